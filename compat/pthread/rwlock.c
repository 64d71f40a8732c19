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
#include "compat/pthread/move.h"
#include "compat/pthread/wrap.h"

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
static int rwlock_wait(struct rwlock *l, const struct monitor_call *c)
{
    bool write = c->tag == WRITER;
    l->writers_waiting += write;
    int rc = monitor_call_wait(c, &l->queue);
    if (rc) {
        l->writers_waiting -= write;
        rwlock_hand_on(l);
    }
    return rc;
}

/* c->value: the calling thread. */
static int rwlock_acquire(struct monitor_call *c)
{
    struct rwlock *l = c->object;
    bool write = c->tag == WRITER;
    int rc = 0;
    if (l->writer == c->value)
        return c->try ? EBUSY : EDEADLK;
    if (rwlock_is_free(l, write))
        l->readers += !write;
    else if (c->try)
        return EBUSY;
    else
        rc = rwlock_wait(l, c);
    if (rc == 0 && write)
        l->writer = c->value;
    return rc;
}

static int rwlock_release(struct monitor_call *c)
{
    struct rwlock *l = c->object;
    if (l->writer)
        l->writer = 0;
    else if (l->readers > 0)
        l->readers--;
    rwlock_hand_on(l);
    return 0;
}

static int rwlock_lock(pthread_rwlock_t *l, unsigned tag, bool try,
                       const struct monitor_until *until)
{
    struct monitor_call c = { .fn = rwlock_acquire,
                              .object = l,
                              .tag = tag,
                              .try = try,
                              .until = until,
                              .value = __wrap_pthread_self() };
    if (until && !monitor_until_valid(&until->time, until->clock))
        return EINVAL;
    if (!try)
        move_point();
    return monitor_call(&c);
}

WRAP_OBJECT(int, pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *attr),
            (l, attr))
{
    int kind = PTHREAD_RWLOCK_DEFAULT_NP;
    if (attr && pthread_rwlockattr_getkind_np(attr, &kind) != 0)
        return EINVAL;
    *(struct rwlock *)(void *)l = (struct rwlock){ .kind = kind };
    return 0;
}

WRAP_NOTHING(pthread_rwlock_destroy, pthread_rwlock_t)

WRAP_OBJECT(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))
{
    return monitor_call(&(struct monitor_call){ .fn = rwlock_release, .object = l });
}

/* `rd` and `wr`. */
#define DEFINE_LOCK(mode, tag)                                                        \
    WRAP_OBJECT(int, pthread_rwlock_##mode##lock, (pthread_rwlock_t * l), (l))        \
    {                                                                                 \
        return rwlock_lock(l, tag, false, NULL);                                      \
    }                                                                                 \
    WRAP_OBJECT(int, pthread_rwlock_try##mode##lock, (pthread_rwlock_t * l), (l))     \
    {                                                                                 \
        return rwlock_lock(l, tag, true, NULL);                                       \
    }                                                                                 \
    WRAP_OBJECT(int, pthread_rwlock_clock##mode##lock,                                \
                (pthread_rwlock_t * l, clockid_t clock, const struct timespec *time), \
                (l, clock, time))                                                     \
    {                                                                                 \
        return rwlock_lock(l, tag, false, &(struct monitor_until){ *time, clock });   \
    }                                                                                 \
    WRAP_OBJECT(int, pthread_rwlock_timed##mode##lock,                                \
                (pthread_rwlock_t * l, const struct timespec *time), (l, time))       \
    {                                                                                 \
        return wrap_pthread_rwlock_clock##mode##lock(l, CLOCK_REALTIME, time);        \
    }
DEFINE_LOCK(rd, READER)
DEFINE_LOCK(wr, WRITER)
