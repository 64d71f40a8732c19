/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barrier.c - barriers: the last thread to arrive wakes all others and begins the next round. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/move.h"
#include "compat/pthread/wrap.h"

/* In the bytes of a pthread_barrier_t. */
struct barrier {
    struct monitor_queue queue;
    uint32_t threads, arrived;
};
static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t),
              "it fits into the type of the C library");

static int pthread_barrier_arrive(struct monitor_call *c)
{
    struct barrier *b = c->object;
    if (++b->arrived < b->threads) {
        (void)monitor_call_wait(c, &b->queue);
        return 0;
    }
    b->arrived = 0;
    monitor_queue_wake_all(&b->queue);
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

WRAP_OBJECT(int, pthread_barrier_init,
            (pthread_barrier_t * b, const pthread_barrierattr_t *attr, unsigned threads),
            (b, attr, threads))
{
    (void)attr;
    if (threads == 0)
        return EINVAL;
    *(struct barrier *)(void *)b = (struct barrier){ .threads = threads };
    return 0;
}

WRAP_NOTHING(pthread_barrier_destroy, pthread_barrier_t)

WRAP_OBJECT(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))
{
    move_point();
    return monitor_call(&(struct monitor_call){ .fn = pthread_barrier_arrive, .object = b });
}
