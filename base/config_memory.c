/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Can this machine back the shared space?
 *
 * The space is sparse: a page costs memory only when it is touched, and a memory object itself has
 * no limit. So a space larger than the memory is no error, but the kernel may kill a job hours
 * later if it touches too much. The user is warned at start. Each page has one home; the number of
 * additional copies at other nodes is unknown. A size that the resource limits forbid is refused
 * here, with the reason.
 */
#include "base/config_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/config.h"
#include "base/procfs.h"

#define MEMINFO_ROOM 8192

/* A value of /proc/meminfo, "Key:   123 kB", in bytes; 0 if there is none. */
static uint64_t config_memory_meminfo_value(const char *text, const char *key)
{
    return procfs_value(text, key, 0) * 1024;
}

static const char *config_memory_meminfo_read(const char *root, char *text, size_t room)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    (void)procfs_read(path, text, room);
    return text;
}

static void config_memory_limit_lower(struct config_memory_limit *limit, uint64_t bytes,
                                      const char *what, uint64_t group)
{
    if (bytes < limit->bytes) {
        limit->bytes = bytes;
        limit->what = what;
        limit->group = group;
    }
}

/* The machine's available memory, or (whole) all of it. */
static void config_memory_limit_machine(const char *root, bool whole,
                                        struct config_memory_limit *limit)
{
    char text[MEMINFO_ROOM];
    (void)config_memory_meminfo_read(root, text, sizeof text);
    uint64_t available = config_memory_meminfo_value(text, whole ? "MemTotal" : "MemAvailable"),
             swap = config_memory_meminfo_value(text, whole ? "SwapTotal" : "SwapFree");
    if (available > 0 && whole)
        config_memory_limit_lower(limit, available + swap, "the memory of the machine", 0);
    else if (available > 0)
        config_memory_limit_lower(limit, available + swap,
                                  swap > 0 ? "MemAvailable and SwapFree" : "MemAvailable", 0);
}

static void config_memory_limit_file(const char *path, struct config_memory_limit *limit)
{
    struct stat id;

    /* no limit: "max" in version 2, a number near 2^63 in version 1 */
    uint64_t bytes = procfs_number(path, UINT64_MAX);
    if (bytes != UINT64_MAX)
        config_memory_limit_lower(limit, bytes, "the limit of the control group",
                                  stat(path, &id) == 0 ? id.st_ino : 0);
}

typedef void visit_fn(const char *dir, int version, void *arg);

/* A group is limited by all groups above it as well. */
static void config_memory_visit_groups(const char *root, const char *mount, const char *group,
                                       int version, visit_fn *visit, void *arg)
{
    char dir[4096], at[2048];

    snprintf(at, sizeof at, "%s", group);
    for (;;) {
        char *slash = strrchr(at, '/');

        snprintf(dir, sizeof dir, "%s%s%s", root, mount, at);
        visit(dir, version, arg);
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

/* One line of /proc/self/cgroup: "0::/path" (version 2) or "4:memory:/path" (version 1). */
static void config_memory_visit_cgroup_line(const char *root, char *line, visit_fn *visit,
                                            void *arg)
{
    char *controllers = strchr(line, ':'),
         *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

    if (group == NULL)
        return;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    controllers++;
    if (*controllers == '\0')
        config_memory_visit_groups(root, "/sys/fs/cgroup", group, 2, visit, arg);
    else if (strcmp(controllers, "memory") == 0)
        config_memory_visit_groups(root, "/sys/fs/cgroup/memory", group, 1, visit, arg);
}

void config_memory_each_group(const char *root, const char *process, visit_fn *visit, void *arg)
{
    char path[4096], line[2048];
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL)
        config_memory_visit_cgroup_line(root, line, visit, arg);
    fclose(file);
}

void config_memory_group_limit(const char *dir, int version, struct config_memory_limit *limit)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", dir,
             version == 2 ? "memory.max" : "memory.limit_in_bytes");
    config_memory_limit_file(path, limit);
}

static void config_memory_limit_group(const char *dir, int version, void *arg)
{
    config_memory_group_limit(dir, version, arg);
}

static void config_memory_limit_find(const char *root, bool whole,
                                     struct config_memory_limit *limit)
{
    limit->bytes = UINT64_MAX;
    limit->what = "no limit";
    limit->group = 0;
    config_memory_limit_machine(root, whole, limit);
    config_memory_each_group(root, "self", config_memory_limit_group, limit);
}

void config_memory_limit(const char *root, struct config_memory_limit *limit)
{
    config_memory_limit_find(root, false, limit);
}

void config_memory_whole(const char *root, struct config_memory_limit *limit)
{
    config_memory_limit_find(root, true, limit);
}

uint64_t config_memory_promisable(const char *root)
{
    char path[4096], text[MEMINFO_ROOM];

    snprintf(path, sizeof path, "%s/proc/sys/vm/overcommit_memory", root);
    if (procfs_number(path, 0) != 2 || *config_memory_meminfo_read(root, text, sizeof text) == '\0')
        return UINT64_MAX;
    uint64_t most = config_memory_meminfo_value(text, "CommitLimit"),
             given = config_memory_meminfo_value(text, "Committed_AS");
    return most > given ? most - given : 0;
}

/* Each view of the space counts as address space, and a memory object counts as a file. */
static int config_memory_check_rlimits(const struct config *cfg, const char *given, char *err,
                                       size_t errlen)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        cfg->memory > limit.rlim_cur / 2) {
        snprintf(err, errlen,
                 "%s: needs twice as much address space, the limit is %.1f GiB; lower "
                 "--memory, or "
                 "raise "
                 "the limit (ulimit -v)",
                 given, (double)limit.rlim_cur / (1 << 30));
        return -ENOMEM;
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        cfg->memory > limit.rlim_cur) {
        snprintf(err, errlen,
                 "%s: the file size limit, which includes memory objects, is %.1f GiB; lower "
                 "--memory, or raise the "
                 "limit (ulimit -f)",
                 given, (double)limit.rlim_cur / (1 << 30));
        return -ENOMEM;
    }
    return 0;
}

int config_memory_check(const char *root, const struct config *cfg, char *err, size_t errlen)
{
    struct config_memory_limit limit;
    char value[32], given[64];

    if (cfg->memory == 0) /* auto: the nodes agree on a size that fits */
        return 0;
    snprintf(given, sizeof given, "%s%s",
             cfg->source[CONFIG_ID_memory] == CONFIG_ENVIRONMENT ? "HLRC_MEMORY=" : "--memory ",
             config_value(cfg, CONFIG_ID_memory, value, sizeof value));
    config_memory_limit(root, &limit);
    int rc = config_memory_check_rlimits(cfg, given, err, errlen);
    if (rc != 0 || cfg->memory <= limit.bytes)
        return rc;
    snprintf(err, errlen,
             "%s: only %.1f GiB available (%s); a job that touches more is killed by the kernel",
             given, (double)limit.bytes / (1 << 30), limit.what);
    return MEMORY_MAY_NOT_FIT;
}

int config_check_memory(const struct config *cfg, char *err, size_t errlen)
{
    return config_memory_check("", cfg, err, errlen);
}
