/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limits.c - the limit on address space, with several nodes. Without HLRC each thread's stack
 * counts, and pthread_create returns EAGAIN once there is no room. Here stacks are reserved before
 * main, as all other addresses are. So the room that the program leaves by setrlimit is counted.
 *
 * A limit below the size of node 0's process would only keep HLRC from working: the system does
 * not get it, and getrlimit returns it.
 */
#include "compat/pthread/limits.h"

#include <hlrc.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
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
} * space;

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
    return resource == RLIMIT_AS ? limits_set(&mine) : setrlimit(resource, &mine);
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
    if (resource != RLIMIT_AS || (pid != 0 && pid != getpid()))
        return prlimit(pid, resource, limit, old);
    struct rlimit now;
    if (limits_get(&now) != 0 || (limit && here_setrlimit(resource, limit) != 0))
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
}

__attribute__((constructor)) static void limits_at_start(void)
{
    start_at_begin(limits_begin);
}
