/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limits.c - limits on threads, with several nodes.
 *
 * Address space: without HLRC each thread's stack counts, and pthread_create returns EAGAIN once
 * there is no room. Here stacks are reserved before main, as all other addresses are. So the room
 * that the program leaves by setrlimit is counted.
 *
 * A limit below the size of node 0's process would only keep HLRC from working: the system does
 * not get it, and getrlimit returns it.
 *
 * Processes of the user (RLIMIT_NPROC) and of control groups (pids.max): the system refuses a
 * thread on the node that starts it. Where no refusal is possible the creator does not wait for
 * the start: the threads of the host, and all that the job may have, are fewer than the limit.
 */
#include "compat/pthread/limits.h"

#include <hlrc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/pthread/table.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* In shared memory; guarded by LOCK_THREADS. */
static struct limits_space {
    bool counts, kept; /* threads, since the last setrlimit; the system does not have the limit */
    struct rlimit limit;
    uint64_t room;
    uint32_t live; /* threads at that time */
    bool bounds;   /* the program has set this limit on processes */
    struct rlimit processes;
} * space;

static rlim_t group_most; /* threads that the control groups of this process allow */

size_t limits_stack_bytes(const pthread_attr_t *attr)
{
    pthread_attr_t usual;
    size_t bytes = 0;
    if (attr) {
        (void)pthread_attr_getstacksize(attr, &bytes);
    } else if (pthread_getattr_default_np(&usual) == 0) {
        (void)pthread_attr_getstacksize(&usual, &bytes);
        pthread_attr_destroy(&usual);
    }
    return bytes ? bytes : 1;
}

bool limits_allow(size_t stack_bytes)
{
    uint32_t more = table->live > space->live ? table->live - space->live : 0;
    return !space->counts || more < space->room / stack_bytes;
}

/* ---- the number of threads ---- */

/* The lowest limit of a control group and the groups that it is in. */
static rlim_t limits_of_group(const char *root, const char *group)
{
    rlim_t least = RLIM_INFINITY;
    char path[4096];
    int len = snprintf(path, sizeof path - sizeof "/pids.max", "%s%s", root, group);
    for (char *end = path + len; len > 0 && len < (int)(sizeof path - sizeof "/pids.max");) {
        unsigned long long most;
        memcpy(end, "/pids.max", sizeof "/pids.max");
        FILE *file = fopen(path, "re");
        if (file && fscanf(file, "%llu", &most) == 1 && most < least)
            least = most;
        if (file)
            fclose(file);
        *end = '\0';
        end = strrchr(path, '/');
        if (!end || end < path + strlen(root))
            break;
    }
    return least;
}

/* Lines of /proc/self/cgroup: "0::/path" (version 2), "7:pids:/path" (version 1). */
static rlim_t limits_of_groups(void)
{
    rlim_t least = RLIM_INFINITY;
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        char *name = strchr(line, ':'), *group = name ? strchr(name + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        rlim_t most = name[1] == '\0' ? limits_of_group("/sys/fs/cgroup", group)
                      : strcmp(name + 1, "pids") == 0
                          ? limits_of_group("/sys/fs/cgroup/pids", group)
                          : RLIM_INFINITY;
        least = most < least ? most : least;
    }
    if (file)
        fclose(file);
    return least;
}

bool limits_are_near(int node)
{
    return space->bounds || table->nodes[node].full;
}

void limits_observe(void)
{
    struct rlimit mine = { RLIM_INFINITY, RLIM_INFINITY };
    struct sysinfo all;
    (void)getrlimit(RLIMIT_NPROC, &mine);
    if (space->bounds && space->processes.rlim_cur != mine.rlim_cur && hlrc_node_id() != 0)
        (void)setrlimit(RLIMIT_NPROC, &space->processes);
    rlim_t most = group_most < mine.rlim_cur ? group_most : mine.rlim_cur;
    bool full = most != RLIM_INFINITY && (sysinfo(&all) != 0 || all.procs + TABLE_THREADS >= most);
    struct table_mailbox *own = &table->nodes[hlrc_node_id()];
    if (own->full != full)
        own->full = full; /* a store makes the others read the page again */
}

/* On the private stack. */
static void limits_bound(void *limit)
{
    struct rlimit new = *(const struct rlimit *)limit;
    hlrc_lock(LOCK_THREADS);
    space->bounds = true;
    space->processes = new;
    hlrc_unlock(LOCK_THREADS);
}

/* ---- by node 0 ---- */

/* Bytes of addresses that this process uses; 0: unknown. */
static uint64_t limits_size(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct limits_change {
    struct rlimit limit;
    bool set;
    uint64_t size;
};

/* On the private stack. Sets the limit, or reads one that the system does not have. */
static void limits_exchange(void *arg)
{
    struct limits_change *out = arg, c = *out;
    hlrc_lock(LOCK_THREADS);
    if (c.set) {
        uint64_t limit = c.limit.rlim_cur;
        space->limit = c.limit;
        space->counts = limit != RLIM_INFINITY;
        space->kept = limit < c.size;
        space->room = limit < c.size ? limit : limit - c.size;
        space->live = table ? table->live : 0;
    } else if (space->kept) {
        c.limit = space->limit;
        c.set = true;
    }
    hlrc_unlock(LOCK_THREADS);
    *out = c;
}

static int limits_set(const struct rlimit *limit)
{
    struct limits_change c = { *limit, true, limits_size() };
    struct rlimit before;
    int rc = limit->rlim_cur > limit->rlim_max || limit->rlim_cur >= c.size
                 ? setrlimit(RLIMIT_AS, &c.limit)
                 : getrlimit(RLIMIT_AS, &before);
    if (rc == 0)
        lane_call(limits_exchange, &c);
    return rc;
}

static int limits_get(struct rlimit *limit)
{
    struct limits_change c = { .set = false };
    struct rlimit mine;
    int rc = getrlimit(RLIMIT_AS, &mine);
    lane_call(limits_exchange, &c);
    if (rc == 0)
        *limit = c.set ? c.limit : mine;
    return rc;
}

/* ---- the program's calls; rlim_t has 64 bits in any case ---- */

HERE(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit), (resource, limit),
     WORDS(resource, (long)limit))
{
    struct rlimit mine = *limit;
    int rc = resource == RLIMIT_AS ? limits_set(&mine) : setrlimit(resource, &mine);
    if (rc == 0 && resource == RLIMIT_NPROC)
        lane_call(limits_bound, &mine);
    return rc;
}

HERE(int, getrlimit, (__rlimit_resource_t resource, struct rlimit *limit), (resource, limit),
     WORDS(resource, (long)limit))
{
    struct rlimit mine;
    int rc = resource == RLIMIT_AS ? limits_get(&mine) : getrlimit(resource, &mine);
    if (rc == 0)
        *limit = mine;
    return rc;
}

HERE(int, prlimit,
     (pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit, struct rlimit *old),
     (pid, resource, limit, old), WORDS(pid, resource, (long)limit, (long)old))
{
    if ((resource != RLIMIT_AS && resource != RLIMIT_NPROC) || (pid != 0 && pid != getpid()))
        return prlimit(pid, resource, limit, old);
    struct rlimit now;
    if (here_getrlimit(resource, &now) != 0 || (limit && here_setrlimit(resource, limit) != 0))
        return -1;
    if (old)
        *old = now;
    return 0;
}

int __wrap_setrlimit64(__rlimit_resource_t, const struct rlimit64 *)
    __attribute__((alias("__wrap_setrlimit")));
int __wrap_getrlimit64(__rlimit_resource_t, struct rlimit64 *)
    __attribute__((alias("__wrap_getrlimit")));
int __wrap_prlimit64(pid_t, enum __rlimit_resource, const struct rlimit64 *, struct rlimit64 *)
    __attribute__((alias("__wrap_prlimit")));

static void limits_begin(void)
{
    if (start_sharing)
        space = start_shared_memory(sizeof *space, "limits");
    if (start_sharing)
        group_most = limits_of_groups();
}

__attribute__((constructor)) static void limits_at_start(void)
{
    start_at_begin(limits_begin);
}
