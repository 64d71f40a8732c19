/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rwlock.c - reader-writer locks. A release grants the lock to waiters in their order, to several
 * readers at once. New readers overtake a waiting writer, except with
 * PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP. */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

enum { READER, WRITER }; /* tags of waiters */

/* In the bytes of a pthread_rwlock_t. `kind` is where static initialisers store it. */
struct rwlock {
    struct monitor_queue queue;
    pthread_t writer; /* 0: none */
    uint32_t readers;
    uint32_t writers_waiting;
    uint64_t unused[2];
    int32_t kind;
};
static_assert(sizeof(struct rwlock) <= sizeof(pthread_rwlock_t),
              "it fits into the type of the C library");
static_assert(offsetof(struct rwlock, kind) == offsetof(pthread_rwlock_t, __data.__flags),
              "static initialisers");

static struct rwlock *rwlock_inside(pthread_rwlock_t *l)
{
    return (struct rwlock *)(void *)l;
}

struct rwlock_request {
    struct rwlock *lock;
    pthread_t me;
    bool write, try;
    const struct monitor_until *until;
    int rc;
};

static bool rwlock_is_free(const struct rwlock *l, bool write)
{
    if (l->writer)
        return false;
    if (write)
        return l->readers == 0;
    return l->kind != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP || l->writers_waiting == 0;
}

/* Grants the lock to waiters that may have it, before it wakes them. */
static void rwlock_hand_on(struct rwlock *l)
{
    while (l->queue.first && !l->writer) {
        bool write = monitor_queue_tag(&l->queue) == WRITER;
        if (write && l->readers > 0)
            break;
        if (write) {
            l->writers_waiting--;
            l->writer = (pthread_t)-1; /* the woken thread stores its name */
        } else {
            l->readers++;
        }
        monitor_queue_wake(&l->queue);
    }
}

/* Readers may have waited only for the writer that gives up. */
static int rwlock_wait(struct rwlock *l, const struct rwlock_request *r,
                       const struct monitor_until *until, hlrc_lock_t monitor)
{
    l->writers_waiting += r->write;
    int rc = monitor_queue_wait(&l->queue, monitor, r->write ? WRITER : READER, until);
    if (rc) {
        l->writers_waiting -= r->write;
        rwlock_hand_on(l);
    }
    return rc;
}

static int rwlock_take(struct rwlock *l, const struct rwlock_request *r,
                       const struct monitor_until *until, hlrc_lock_t monitor)
{
    int rc = 0;
    if (l->writer == r->me)
        return r->try ? EBUSY : EDEADLK;
    if (rwlock_is_free(l, r->write))
        l->readers += !r->write;
    else if (r->try)
        return EBUSY;
    else
        rc = rwlock_wait(l, r, until, monitor);
    if (rc == 0 && r->write)
        l->writer = r->me;
    return rc;
}

static void rwlock_acquire(void *arg)
{
    struct rwlock_request *out = arg, r = *out;
    struct monitor_until copy, *until = NULL;
    if (r.until) {
        copy = *r.until;
        until = &copy;
    }
    hlrc_lock_t monitor = monitor_enter(r.lock);
    int rc = rwlock_take(r.lock, &r, until, monitor);
    monitor_leave(monitor);
    out->rc = rc;
}

static void rwlock_release(void *arg)
{
    struct rwlock *l = arg;
    hlrc_lock_t monitor = monitor_enter(l);
    if (l->writer)
        l->writer = 0;
    else if (l->readers > 0)
        l->readers--;
    rwlock_hand_on(l);
    monitor_leave(monitor);
}

static int rwlock_lock(pthread_rwlock_t *lock, bool write, bool try,
                       const struct monitor_until *until)
{
    struct rwlock_request r = { rwlock_inside(lock), __wrap_pthread_self(), write, try, until, 0 };
    if (until && !monitor_until_valid(&until->time, until->clock))
        return EINVAL;
    lane_call(rwlock_acquire, &r);
    return r.rc;
}

int __wrap_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    int kind = PTHREAD_RWLOCK_DEFAULT_NP;
    if (!start_sharing)
        return pthread_rwlock_init(l, attr);
    if (attr && pthread_rwlockattr_getkind_np(attr, &kind) != 0)
        return EINVAL;
    *rwlock_inside(l) = (struct rwlock){ .kind = kind };
    return 0;
}

int __wrap_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    return start_sharing ? 0 : pthread_rwlock_destroy(l);
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    if (!start_sharing)
        return pthread_rwlock_unlock(l);
    lane_call(rwlock_release, rwlock_inside(l));
    return 0;
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    return start_sharing ? rwlock_lock(l, false, false, NULL) : pthread_rwlock_rdlock(l);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    return start_sharing ? rwlock_lock(l, true, false, NULL) : pthread_rwlock_wrlock(l);
}

int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
    return start_sharing ? rwlock_lock(l, false, true, NULL) : pthread_rwlock_tryrdlock(l);
}

int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
    return start_sharing ? rwlock_lock(l, true, true, NULL) : pthread_rwlock_trywrlock(l);
}

int __wrap_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *time)
{
    if (!start_sharing)
        return pthread_rwlock_clockrdlock(l, clock, time);
    return rwlock_lock(l, false, false, &(struct monitor_until){ *time, clock });
}

int __wrap_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                      const struct timespec *time)
{
    if (!start_sharing)
        return pthread_rwlock_clockwrlock(l, clock, time);
    return rwlock_lock(l, true, false, &(struct monitor_until){ *time, clock });
}

int __wrap_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *time)
{
    return start_sharing ? __wrap_pthread_rwlock_clockrdlock(l, CLOCK_REALTIME, time)
                         : pthread_rwlock_timedrdlock(l, time);
}

int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *time)
{
    return start_sharing ? __wrap_pthread_rwlock_clockwrlock(l, CLOCK_REALTIME, time)
                         : pthread_rwlock_timedwrlock(l, time);
}
