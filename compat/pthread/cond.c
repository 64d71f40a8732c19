/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cond.c - condition variables: a queue, and the clock of timed waits. A thread enters the queue
 * before it releases the mutex, so that no signal is missed. */
#include <assert.h>
#include <errno.h>

#include "compat/pthread/cancel.h"
#include "compat/pthread/monitor.h"
#include "compat/pthread/mutex.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"

/* In the bytes of a pthread_cond_t; all zeros is its initialiser. The C library reads the words
 * after these when C++ destroys it. */
struct cond {
    struct monitor_queue queue;
    clockid_t clock;
};
static_assert(sizeof(struct cond) <= offsetof(pthread_cond_t, __data.__g1_orig_size),
              "it fits into the type of the C library");

static struct cond *cond_inside(pthread_cond_t *c)
{
    return (struct cond *)(void *)c;
}

/* In the monitor until the mutex is released. */
static int cond_wait_on(struct monitor_call *c)
{
    struct cond *cond = c->object;
    struct monitor_waiter *w = monitor_queue_enter(&cond->queue, 0);
    mutex_release(c->other);
    return monitor_queue_await(&cond->queue, w, c->monitor, c->until);
}

/* Restores the thread's holds of the mutex. */
static int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct monitor_until *until)
{
    int error = mutex_check_held(mutex);
    if (error == 0 && until && !monitor_until_valid(&until->time, until->clock))
        error = EINVAL;
    if (error)
        return error;
    cancel_wait_begin();
    error = monitor_call(&(struct monitor_call){
        .fn = cond_wait_on, .object = cond, .other = mutex, .until = until });
    mutex_take_again(mutex);
    return cancel_wait_end(error);
}

static int cond_signal_one(struct monitor_call *c)
{
    struct cond *cond = c->object;
    if (cond->queue.first)
        monitor_queue_wake(&cond->queue);
    return 0;
}

static int cond_signal_all(struct monitor_call *c)
{
    monitor_queue_wake_all(&((struct cond *)c->object)->queue);
    return 0;
}

WRAP_OBJECT(int, pthread_cond_init, (pthread_cond_t * cond, const pthread_condattr_t *attr),
            (cond, attr))
{
    clockid_t clock = CLOCK_REALTIME;
    if (attr && pthread_condattr_getclock(attr, &clock) != 0)
        return EINVAL;
    *cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    cond_inside(cond)->clock = clock;
    return 0;
}

/* Woken threads may not have returned yet. */
WRAP_NOTHING(pthread_cond_destroy, pthread_cond_t)

WRAP_OBJECT(int, pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), (cond, mutex))
{
    return cond_wait_until(cond, mutex, NULL);
}

WRAP_OBJECT(int, pthread_cond_clockwait,
            (pthread_cond_t * cond, pthread_mutex_t *mutex, clockid_t clock,
             const struct timespec *time),
            (cond, mutex, clock, time))
{
    return cond_wait_until(cond, mutex, &(struct monitor_until){ *time, clock });
}

WRAP_OBJECT(int, pthread_cond_timedwait,
            (pthread_cond_t * cond, pthread_mutex_t *mutex, const struct timespec *time),
            (cond, mutex, time))
{
    return wrap_pthread_cond_clockwait(cond, mutex, cond_inside(cond)->clock, time);
}

WRAP_OBJECT(int, pthread_cond_signal, (pthread_cond_t * cond), (cond))
{
    return monitor_call(&(struct monitor_call){ .fn = cond_signal_one, .object = cond });
}

WRAP_OBJECT(int, pthread_cond_broadcast, (pthread_cond_t * cond), (cond))
{
    return monitor_call(&(struct monitor_call){ .fn = cond_signal_all, .object = cond });
}
