/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cond.c - condition variables: a queue, and the clock of timed waits. A thread enters the queue
 * before it releases the mutex, so that no signal is missed. */
#include <assert.h>
#include <errno.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/mutex.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

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

struct cond_waiting {
    struct cond *cond;
    hlrc_lock_t mutex;
    const struct monitor_until *until;
    int rc;
};

static void cond_wait_on(void *arg)
{
    struct cond_waiting *a = arg;
    struct cond *c = a->cond;
    hlrc_lock_t mutex = a->mutex;
    struct monitor_until copy, *until = NULL;
    if (a->until) {
        copy = *a->until;
        until = &copy;
    }
    hlrc_lock_t monitor = monitor_enter(c);
    struct monitor_waiter *w = monitor_queue_enter(&c->queue, 0);
    hlrc_unlock(mutex);
    int rc = monitor_queue_await(&c->queue, w, monitor, until);
    monitor_leave(monitor);
    hlrc_lock(mutex);
    a->rc = rc;
}

/* Restores the thread's holds of the mutex. */
static int cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct monitor_until *until)
{
    int error;
    hlrc_lock_t lock = mutex_lock_of(mutex, &error);
    if (error == 0)
        error = mutex_check_held(mutex, lock);
    if (error == 0 && until && !monitor_until_valid(&until->time, until->clock))
        error = EINVAL;
    if (error)
        return error;
    struct cond_waiting a = { cond_inside(cond), lock, until, 0 };
    lane_call(cond_wait_on, &a);
    return a.rc;
}

static void cond_signal_one(void *arg)
{
    struct cond *c = arg;
    hlrc_lock_t monitor = monitor_enter(c);
    if (c->queue.first)
        monitor_queue_wake(&c->queue);
    monitor_leave(monitor);
}

static void cond_signal_all(void *arg)
{
    struct cond *c = arg;
    hlrc_lock_t monitor = monitor_enter(c);
    monitor_queue_wake_all(&c->queue);
    monitor_leave(monitor);
}

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
    if (!start_sharing)
        return pthread_cond_init(cond, attr);
    clockid_t clock = CLOCK_REALTIME;
    if (attr && pthread_condattr_getclock(attr, &clock) != 0)
        return EINVAL;
    *cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    cond_inside(cond)->clock = clock;
    return 0;
}

/* Woken threads may not have returned yet. */
int __wrap_pthread_cond_destroy(pthread_cond_t *cond)
{
    return start_sharing ? 0 : pthread_cond_destroy(cond);
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return start_sharing ? cond_wait_until(cond, mutex, NULL) : pthread_cond_wait(cond, mutex);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *time)
{
    if (!start_sharing)
        return pthread_cond_timedwait(cond, mutex, time);
    struct monitor_until until = { *time, cond_inside(cond)->clock };
    return cond_wait_until(cond, mutex, &until);
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *time)
{
    if (!start_sharing)
        return pthread_cond_clockwait(cond, mutex, clock, time);
    struct monitor_until until = { *time, clock };
    return cond_wait_until(cond, mutex, &until);
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
    if (!start_sharing)
        return pthread_cond_signal(cond);
    lane_call(cond_signal_one, cond_inside(cond));
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (!start_sharing)
        return pthread_cond_broadcast(cond);
    lane_call(cond_signal_all, cond_inside(cond));
    return 0;
}
