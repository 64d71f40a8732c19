/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sem.c - semaphores: a post while threads wait grants its unit to the first of them. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

/* In the bytes of a sem_t. */
struct sem {
    struct monitor_queue queue;
    uint32_t value;
};
static_assert(sizeof(struct sem) <= sizeof(sem_t), "it fits into the type of the C library");

static struct sem *sem_inside(sem_t *s)
{
    return (struct sem *)(void *)s;
}

struct sem_request {
    struct sem *sem;
    bool try;
    const struct monitor_until *until;
    int rc; /* an errno */
    uint32_t value;
};

static int sem_fail_by(int error)
{
    if (error)
        errno = error;
    return error ? -1 : 0;
}

static void sem_down(void *arg)
{
    struct sem_request *out = arg, r = *out;
    struct monitor_until copy, *until = NULL;
    int rc = 0;
    if (r.until) {
        copy = *r.until;
        until = &copy;
    }
    hlrc_lock_t monitor = monitor_enter(r.sem);
    if (r.sem->value > 0)
        r.sem->value--;
    else
        rc = r.try ? EAGAIN : monitor_queue_wait(&r.sem->queue, monitor, 0, until);
    monitor_leave(monitor);
    out->rc = rc;
}

static void sem_up(void *arg)
{
    struct sem_request *out = arg;
    struct sem *s = out->sem;
    int rc = 0;
    hlrc_lock_t monitor = monitor_enter(s);
    if (s->queue.first)
        monitor_queue_wake(&s->queue);
    else if (s->value == SEM_VALUE_MAX)
        rc = EOVERFLOW;
    else
        s->value++;
    monitor_leave(monitor);
    out->rc = rc;
}

static void sem_look(void *arg)
{
    struct sem_request *out = arg;
    struct sem *s = out->sem;
    hlrc_lock_t monitor = monitor_enter(s);
    uint32_t value = s->value;
    monitor_leave(monitor);
    out->value = value;
}

static int pthread_sem_wait(sem_t *s, bool try, const struct monitor_until *until)
{
    struct sem_request r = { .sem = sem_inside(s), .try = try, .until = until };
    if (until && !monitor_until_valid(&until->time, until->clock))
        return sem_fail_by(EINVAL);
    lane_call(sem_down, &r);
    return sem_fail_by(r.rc);
}

int __wrap_sem_init(sem_t *s, int shared, unsigned value)
{
    if (!start_sharing)
        return sem_init(s, shared, value);
    if (value > SEM_VALUE_MAX)
        return sem_fail_by(EINVAL);
    *sem_inside(s) = (struct sem){ .value = value };
    return 0;
}

int __wrap_sem_destroy(sem_t *s)
{
    return start_sharing ? 0 : sem_destroy(s);
}

int __wrap_sem_wait(sem_t *s)
{
    return start_sharing ? pthread_sem_wait(s, false, NULL) : sem_wait(s);
}

int __wrap_sem_trywait(sem_t *s)
{
    return start_sharing ? pthread_sem_wait(s, true, NULL) : sem_trywait(s);
}

int __wrap_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *time)
{
    if (!start_sharing)
        return sem_clockwait(s, clock, time);
    return pthread_sem_wait(s, false, &(struct monitor_until){ *time, clock });
}

int __wrap_sem_timedwait(sem_t *s, const struct timespec *time)
{
    return start_sharing ? __wrap_sem_clockwait(s, CLOCK_REALTIME, time) : sem_timedwait(s, time);
}

int __wrap_sem_post(sem_t *s)
{
    if (!start_sharing)
        return sem_post(s);
    struct sem_request r = { .sem = sem_inside(s) };
    lane_call(sem_up, &r);
    return sem_fail_by(r.rc);
}

int __wrap_sem_getvalue(sem_t *s, int *value)
{
    if (!start_sharing)
        return sem_getvalue(s, value);
    struct sem_request r = { .sem = sem_inside(s) };
    lane_call(sem_look, &r);
    *value = (int)r.value;
    return 0;
}
