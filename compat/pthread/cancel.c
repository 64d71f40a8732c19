/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cancel.c - see cancel.h for the invariants. */
#include "compat/pthread/cancel.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/process/signals.h"
#include "compat/pthread/table.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define INTERRUPT (SIGRTMAX - 1)
#define FIRST_NS  100000L
#define MOST_NS   20000000L

bool cancel_used;

/* Of this node's threads, by entry. */
static struct cancel_thread {
    const struct lane *lane;
    _Atomic bool requested;   /* set by the agent, cleared by the thread */
    _Atomic bool disabled;    /* written by the thread */
    bool asynchronous, waits; /* the thread's own */
} threads[TABLE_THREADS + 1];
static _Thread_local struct cancel_thread *own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* no requested thread ends */
static void (*leave_thread)(void);

static bool cancel_is_due(void)
{
    return own && atomic_load_explicit(&own->requested, memory_order_relaxed) && !own->disabled;
}

static void cancel_act(void)
{
    cancel_end();
    leave_thread();
}

void cancel_test(void)
{
    if (cancel_is_due())
        cancel_act();
}

void cancel_begin(uint32_t entry)
{
    own = cancel_used ? &threads[entry] : NULL;
}

void cancel_end(void)
{
    if (!own)
        return;
    pthread_mutex_lock(&mutex);
    own->requested = false;
    own->disabled = true;
    pthread_mutex_unlock(&mutex);
}

/* ---- waits in monitors ---- */

void cancel_wait_begin(void)
{
    cancel_test();
    if (own)
        own->waits = true;
}

int cancel_wait_end(int error)
{
    if (own)
        own->waits = false;
    if (error == ECANCELED)
        cancel_test();
    return error;
}

bool cancel_may_end_wait(void)
{
    return own && own->waits && !own->disabled;
}

bool cancel_ends_wait(void)
{
    return cancel_may_end_wait() && cancel_is_due();
}

/* ---- interrupts ---- */

/* On the alternate stack. */
static void cancel_on_interrupt(int sig)
{
    (void)sig;
    if (cancel_is_due() && own->asynchronous && lane_current->private_sp)
        cancel_act();
}

static bool cancel_interrupt(struct cancel_thread *t)
{
    pthread_mutex_lock(&mutex);
    bool requested = t->requested;
    if (requested && !t->disabled && !delegate_interrupt(t->lane, INTERRUPT))
        (void)pthread_kill(t->lane->thread, INTERRUPT);
    pthread_mutex_unlock(&mutex);
    return requested;
}

static void *cancel_interrupts(void *thread)
{
    struct timespec t = { .tv_nsec = FIRST_NS };
    while (cancel_interrupt(thread)) {
        (void)nanosleep(&t, NULL);
        t.tv_nsec = t.tv_nsec < MOST_NS / 2 ? 2 * t.tv_nsec : MOST_NS;
    }
    return NULL;
}

void cancel_prepare(uint32_t entry)
{
    threads[entry].requested = threads[entry].disabled = false;
    threads[entry].asynchronous = threads[entry].waits = false;
}

void cancel_request(uint32_t entry, const struct lane *lane)
{
    pthread_t thread;
    sigset_t before;
    threads[entry].lane = lane;
    threads[entry].requested = true;
    lane_block_signals(&before); /* the thread inherits it */
    if (pthread_create(&thread, NULL, cancel_interrupts, &threads[entry]) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cancel_request_own(void)
{
    own->requested = true;
    if (own->asynchronous)
        cancel_test();
}

void cancel_start(void (*leave)(void))
{
    struct sigaction act = { .sa_handler = cancel_on_interrupt, .sa_flags = SA_ONSTACK };
    leave_thread = leave;
    (void)sigaction(INTERRUPT, &act, NULL);
    delegate_watch_points(cancel_test);
}

/* ---- the calls ---- */

WRAP(int, pthread_setcancelstate, (int state, int *old), (state, old))
{
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (!own)
        return pthread_setcancelstate(state, old);
    int before = own->disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    if (old)
        *old = before;
    own->disabled = state == PTHREAD_CANCEL_DISABLE;
    if (own->asynchronous)
        cancel_test();
    return 0;
}

WRAP(int, pthread_setcanceltype, (int type, int *old), (type, old))
{
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (!own)
        return pthread_setcanceltype(type, old);
    if (old)
        *old = own->asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    own->asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (own->asynchronous)
        cancel_test();
    return 0;
}

void __wrap_pthread_testcancel(void);
void __wrap_pthread_testcancel(void)
{
    if (own)
        cancel_test();
    else
        pthread_testcancel();
}

/* Calls that each node performs itself, unless a signal may end them. */
#define POINT(type, name, parameters, call) \
    type __wrap_##name parameters;          \
    type __wrap_##name parameters           \
    {                                       \
        cancel_test();                      \
        type result = call;                 \
        cancel_test();                      \
        return result;                      \
    }

/* By node 0. */
static int cancel_sleep_there(clockid_t clock, int flags, const struct timespec *time,
                              struct timespec *left)
{
    struct timespec mine = *time, rest = *left;
    int rc = clock_nanosleep(clock, flags, &mine, &rest);
    *left = rest;
    return rc;
}

static int cancel_sleep(clockid_t clock, int flags, const struct timespec *time,
                        struct timespec *left)
{
    if (!signals_end_sleeps())
        return clock_nanosleep(clock, flags, time, left);
    struct timespec mine = *time, rest = left ? *left : mine; /* on the shared stack */
    int rc = (int)DELEGATE(cancel_sleep_there, clock, flags, (long)&mine, (long)&rest);
    if (left)
        *left = rest;
    return rc;
}

static int cancel_sleep_or_fail(const struct timespec *time, struct timespec *left)
{
    if (!signals_end_sleeps())
        return nanosleep(time, left);
    int rc = cancel_sleep(CLOCK_REALTIME, 0, time, left);
    errno = rc ? rc : errno;
    return rc ? -1 : 0;
}

#define SLEEP(name, argument) \
    (signals_end_sleeps() ? (int)DELEGATE(name, (long)(argument)) : (int)name(argument))
POINT(unsigned, sleep, (unsigned seconds), (unsigned)SLEEP(sleep, seconds))
POINT(int, usleep, (useconds_t us), SLEEP(usleep, us))
POINT(int, nanosleep, (const struct timespec *time, struct timespec *left),
      cancel_sleep_or_fail(time, left))
POINT(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
      cancel_sleep(clock, flags, time, left))
