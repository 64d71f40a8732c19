/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sem.c - semaphores: a post while threads wait grants its unit to the first of them.
 *
 * Named semaphores, and others that are not in the program's shared memory, belong to node 0's
 * process and perhaps to other processes: calls on them are the C library's, by node 0.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/process/catcher.h"
#include "compat/process/delegate.h"
#include "compat/pthread/cancel.h"
#include "compat/pthread/monitor.h"
#include "compat/pthread/move.h"
#include "compat/pthread/wrap.h"

/* In the bytes of a sem_t. */
struct sem {
    struct monitor_queue queue;
    uint32_t value;
};
static_assert(sizeof(struct sem) <= sizeof(sem_t), "it fits into the type of the C library");

/* Performs the call on a semaphore that is not this file's. */
#define BY_LIBC(s, name, arguments, ...) \
    if (!start_has_object(s))            \
    return start_away ? (int)DELEGATE(name, __VA_ARGS__) : name arguments

static int sem_fail_by(int error)
{
    if (error)
        errno = error;
    return error ? -1 : 0;
}

static int sem_down(struct monitor_call *c)
{
    struct sem *s = c->object;
    if (s->value == 0)
        return c->try ? EAGAIN : monitor_call_wait(c, &s->queue);
    s->value--;
    return 0;
}

static int sem_up(struct monitor_call *c)
{
    struct sem *s = c->object;
    if (s->queue.first)
        monitor_queue_wake(&s->queue);
    else if (s->value == SEM_VALUE_MAX)
        return EOVERFLOW;
    else
        s->value++;
    return 0;
}

static int sem_read(struct monitor_call *c)
{
    c->value = ((const struct sem *)c->object)->value;
    return 0;
}

static int sem_wait_until(sem_t *s, bool try, const struct monitor_until *until)
{
    struct monitor_call c = {
        .fn = sem_down, .object = s, .try = try, .until = until, .ends = true
    };
    if (until && !monitor_until_valid(&until->time, until->clock))
        return sem_fail_by(EINVAL);
    if (!try) {
        move_point();
        cancel_wait_begin();
    }
    (void)catcher_was_interrupted();
    int rc;
    do
        rc = monitor_call(&c);
    while (rc == EINTR && !catcher_was_interrupted());
    return sem_fail_by(cancel_wait_end(rc));
}

WRAP_OBJECT(int, sem_init, (sem_t * s, int shared, unsigned value), (s, shared, value))
{
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return sem_fail_by(EINVAL);
    *(struct sem *)(void *)s = (struct sem){ .value = value };
    return 0;
}

WRAP_NOTHING(sem_destroy, sem_t)

WRAP_OBJECT(int, sem_wait, (sem_t * s), (s))
{
    BY_LIBC(s, sem_wait, (s), (long)s);
    return sem_wait_until(s, false, NULL);
}

WRAP_OBJECT(int, sem_trywait, (sem_t * s), (s))
{
    BY_LIBC(s, sem_trywait, (s), (long)s);
    return sem_wait_until(s, true, NULL);
}

WRAP_OBJECT(int, sem_clockwait, (sem_t * s, clockid_t clock, const struct timespec *time),
            (s, clock, time))
{
    BY_LIBC(s, sem_clockwait, (s, clock, time), (long)s, clock, (long)time);
    return sem_wait_until(s, false, &(struct monitor_until){ *time, clock });
}

WRAP_OBJECT(int, sem_timedwait, (sem_t * s, const struct timespec *time), (s, time))
{
    return wrap_sem_clockwait(s, CLOCK_REALTIME, time);
}

WRAP_OBJECT(int, sem_post, (sem_t * s), (s))
{
    BY_LIBC(s, sem_post, (s), (long)s);
    return sem_fail_by(monitor_call(&(struct monitor_call){ .fn = sem_up, .object = s }));
}

WRAP_OBJECT(int, sem_getvalue, (sem_t * s, int *value), (s, value))
{
    BY_LIBC(s, sem_getvalue, (s, value), (long)s, (long)value);
    struct monitor_call c = { .fn = sem_read, .object = s };
    (void)monitor_call(&c);
    *value = (int)c.value;
    return 0;
}
