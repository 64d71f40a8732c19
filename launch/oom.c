/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/oom.h"

#include <stdio.h>
#include <string.h>

#include "base/config_memory.h"
#include "base/procfs.h"

/* -1: none. */
static int64_t oom_counter_read(const char *dir, int version)
{
    char path[OOM_PATH + 32], text[1024];

    snprintf(path, sizeof path, "%s/%s", dir,
             version == 2 ? "memory.events" : "memory.oom_control");
    (void)procfs_read(path, text, sizeof text);
    return (int64_t)procfs_value(text, "oom_kill", UINT64_MAX);
}

struct oom_search {
    struct oom *oom;
    bool found;
};

/* Adds only the innermost group: the groups above it may count kills of other groups, too. */
static void oom_innermost_add(const char *dir, int version, void *arg)
{
    struct oom_search *search = arg;
    struct oom *oom = search->oom;
    int64_t killed = search->found ? -1 : oom_counter_read(dir, version);

    if (killed < 0 || strlen(dir) >= OOM_PATH)
        return;
    search->found = true;
    for (int i = 0; i < oom->count; i++)
        if (strcmp(oom->group[i].dir, dir) == 0)
            return;
    if (oom->count == OOM_GROUPS)
        return;
    struct oom_group *group = &oom->group[oom->count++];
    snprintf(group->dir, sizeof group->dir, "%s", dir);
    group->version = version;
    group->killed = (uint64_t)killed;
}

void oom_watch(struct oom *oom, pid_t pid)
{
    struct oom_search search = { oom, false };
    char process[16] = "self";

    if (pid > 0)
        snprintf(process, sizeof process, "%d", (int)pid);
    config_memory_each_group("", process, oom_innermost_add, &search);
}

static void oom_size_text(uint64_t bytes, char *text, size_t len)
{
    if (bytes >= UINT64_C(10) << 30)
        snprintf(text, len, "%.1f GiB", (double)bytes / (1 << 30));
    else
        snprintf(text, len, "%llu MiB", (unsigned long long)(bytes >> 20));
}

/* The lowest limit of the group and its ancestors, or the memory of the machine. */
static void oom_limit_text(const struct oom_group *group, char *text, size_t len)
{
    struct config_memory_limit limit = { .bytes = UINT64_MAX };
    char dir[OOM_PATH], size[32];

    snprintf(dir, sizeof dir, "%s", group->dir);
    for (char *slash; (slash = strrchr(dir, '/')) != NULL; *slash = '\0')
        config_memory_group_limit(dir, group->version, &limit);
    struct config_memory_limit machine;
    config_memory_whole("", &machine);
    oom_size_text(limit.bytes < machine.bytes ? limit.bytes : machine.bytes, size, sizeof size);
    snprintf(text, len,
             limit.bytes <= machine.bytes ? "the limit of its control group is %s"
                                          : "this machine has %s",
             size);
}

bool oom_seen(struct oom *oom, char *text, size_t len)
{
    bool seen = false;

    for (int i = 0; i < oom->count; i++) {
        struct oom_group *group = &oom->group[i];
        int64_t killed = oom_counter_read(group->dir, group->version);

        if (killed <= (int64_t)group->killed)
            continue;
        group->killed = (uint64_t)killed;
        if (!seen)
            oom_limit_text(group, text, len);
        seen = true;
    }
    return seen;
}
