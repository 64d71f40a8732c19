/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barrier.c - barriers: the last thread to arrive wakes all others and begins the next round. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

/* In the bytes of a pthread_barrier_t. */
struct barrier {
    struct monitor_queue queue;
    uint32_t threads, arrived;
};
static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t),
              "it fits into the type of the C library");

static struct barrier *barrier_inside(pthread_barrier_t *b)
{
    return (struct barrier *)(void *)b;
}

struct barrier_arrival {
    struct barrier *barrier;
    int rc;
};

static void pthread_barrier_arrive(void *arg)
{
    struct barrier_arrival *a = arg;
    struct barrier *b = a->barrier;
    int rc = 0;
    hlrc_lock_t monitor = monitor_enter(b);
    if (++b->arrived < b->threads) {
        (void)monitor_queue_wait(&b->queue, monitor, 0, NULL);
    } else {
        b->arrived = 0;
        monitor_queue_wake_all(&b->queue);
        rc = PTHREAD_BARRIER_SERIAL_THREAD;
    }
    monitor_leave(monitor);
    a->rc = rc;
}

int __wrap_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
                                unsigned threads)
{
    if (!start_sharing)
        return pthread_barrier_init(b, attr, threads);
    if (threads == 0)
        return EINVAL;
    *barrier_inside(b) = (struct barrier){ .threads = threads };
    return 0;
}

int __wrap_pthread_barrier_destroy(pthread_barrier_t *b)
{
    return start_sharing ? 0 : pthread_barrier_destroy(b);
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!start_sharing)
        return pthread_barrier_wait(b);
    struct barrier_arrival a = { barrier_inside(b), 0 };
    lane_call(pthread_barrier_arrive, &a);
    return a.rc;
}
