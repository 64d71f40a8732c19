/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pending.c - signals that a thread waits for instead of handling them, and functions that the C
 * library calls in a thread of its own (SIGEV_THREAD).
 *
 * Invariants
 *   - A signal of the process is pending at node 0, a signal of a thread (raise, pthread_kill) on
 *     the thread's node. So a thread of another node tests its own first, and then has node 0 wait
 *     for a signal of the process, or for one that its proxy is sent (delegate_interrupt). A signal
 *     that arrives between the two is found after PERIOD_NS. sigsuspend does the same.
 *   - The C library blocks all signals in its threads for SIGEV_THREAD. The function may access
 *     shared memory, so the signals of a thread's own errors are unblocked before it is called.
 */
#include "compat/process/pending.h"

#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#ifdef sigev_notify_thread_id
#    define THREAD_ID sigev_notify_thread_id
#else
#    define THREAD_ID _sigev_un._tid
#endif
#define SECOND_NS INT64_C(1000000000)
#define PERIOD_NS SECOND_NS

struct pending_wait {
    sigset_t set;
    siginfo_t info;
    int64_t ns;
    int got, error; /* as sigtimedwait */
};

static void pending_take(struct pending_wait *w)
{
    struct timespec limit = { w->ns / SECOND_NS, w->ns % SECOND_NS };
    w->got = sigtimedwait(&w->set, &w->info, &limit);
    w->error = errno;
}

/* On the private stack: the system stores to it. */
static void pending_take_own(void *arg)
{
    struct pending_wait *out = arg, w = *out;
    w.ns = 0;
    pending_take(&w);
    w.ns = out->ns;
    *out = w;
}

/* By node 0. */
static int pending_await(struct pending_wait *shared)
{
    struct pending_wait w = *shared;
    pending_take(&w);
    *shared = w;
    return 0;
}

static int64_t pending_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* limit: nanoseconds, or negative for none. */
static int pending_wait(const sigset_t *set, siginfo_t *info, int64_t limit)
{
    struct pending_wait w = { .set = *set };
    int64_t end = pending_clock() + limit, left = PERIOD_NS;
    do {
        delegate_point();
        if (limit >= 0)
            left = end - pending_clock();
        w.ns = left > PERIOD_NS ? PERIOD_NS : left > 0 ? left : 0;
        lane_call(pending_take_own, &w);
        if (w.got < 0)
            (void)DELEGATE(pending_await, (long)&w);
    } while (w.got < 0 && w.error == EAGAIN && left > w.ns);
    delegate_point();
    errno = w.error;
    if (w.got > 0 && info)
        *info = w.info;
    return w.got;
}

int __wrap_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    if (start_away)
        return pending_wait(set, info, -1);
    delegate_point();
    int sig = sigwaitinfo(set, info);
    delegate_point();
    return sig;
}

int __wrap_sigwait(const sigset_t *set, int *sig)
{
    int rc;
    if (start_away) {
        while ((rc = pending_wait(set, NULL, -1)) < 0 && errno == EINTR)
            ;
        *sig = rc;
        return rc < 0 ? errno : 0;
    }
    do { /* sigwait(3) would wait on after the signal that cancels its thread */
        delegate_point();
        rc = sigwaitinfo(set, NULL);
    } while (rc < 0 && errno == EINTR);
    delegate_point();
    *sig = rc;
    return rc < 0 ? errno : 0;
}

int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    bool valid = limit && limit->tv_nsec >= 0 && limit->tv_nsec < SECOND_NS && limit->tv_sec >= 0;
    if (start_away && valid)
        return pending_wait(set, info, limit->tv_sec * SECOND_NS + limit->tv_nsec);
    if (start_away && !limit)
        return pending_wait(set, info, -1);
    delegate_point();
    int sig = sigtimedwait(set, info, limit);
    delegate_point();
    return sig;
}

static void pending_of_own(void *set)
{
    sigset_t mine;
    if (sigpending(&mine) == 0)
        (void)sigorset(set, set, &mine);
}

int __wrap_sigpending(sigset_t *set)
{
    if (!start_away)
        return sigpending(set);
    int rc = (int)DELEGATE(sigpending, (long)set);
    if (rc == 0)
        lane_call(pending_of_own, set);
    return rc;
}

/* ---- sigsuspend ---- */

struct pending_suspension {
    sigset_t mask;
    bool done;
};

/* On the private stack. Its own signal is pending: the handler runs at once. */
static void pending_suspend_own(void *arg)
{
    struct pending_suspension *out = arg, s = *out;
    sigset_t own;
    (void)sigpending(&own);
    for (int sig = 1; sig < _NSIG && !s.done; sig++)
        s.done = sigismember(&own, sig) == 1 && sigismember(&s.mask, sig) == 0;
    if (s.done)
        (void)sigsuspend(&s.mask);
    out->done = s.done;
}

/* By node 0: whether a handler has run. */
static int pending_suspend_there(const sigset_t *mask)
{
    struct timespec limit = { PERIOD_NS / SECOND_NS, PERIOD_NS % SECOND_NS };
    sigset_t mine = *mask;
    return ppoll(NULL, 0, &limit, &mine) < 0 && errno == EINTR;
}

int __wrap_sigsuspend(const sigset_t *mask)
{
    struct pending_suspension s = { .mask = *mask };
    if (start_sharing) /* the handler may access shared memory */
        lane_leave_own_signals(&s.mask);
    delegate_point();
    if (!start_away)
        (void)sigsuspend(&s.mask);
    while (start_away && !s.done) {
        lane_call(pending_suspend_own, &s);
        s.done |= !s.done && DELEGATE(pending_suspend_there, (long)&s.mask);
        delegate_point();
    }
    delegate_point();
    errno = EINTR;
    return -1;
}

/* ---- SIGEV_THREAD ---- */

/* Kept, since a notification may be under way when its timer is deleted. */
struct pending_notice {
    void (*fn)(union sigval);
    union sigval value;
};

static void pending_notify(union sigval notice)
{
    const struct pending_notice *n = notice.sival_ptr;
    lane_block_signals(NULL);
    n->fn(n->value);
}

bool pending_copy(struct sigevent *mine, const struct sigevent *event)
{
    *mine = *event;
    if (event->sigev_notify != SIGEV_THREAD)
        return true;
    struct pending_notice *n = malloc(sizeof *n);
    if (!n)
        return false;
    *n = (struct pending_notice){ event->sigev_notify_function, event->sigev_value };
    mine->sigev_notify_function = pending_notify;
    mine->sigev_value.sival_ptr = n;
    return true;
}

/* ---- timers ---- */

void (*pending_send_to)(pthread_t thread, int sig, union sigval value);

/* Kept. The thread may wait inside HLRC, on any node: it gets its signal as by pthread_kill. */
struct pending_target {
    pthread_t thread;
    int sig;
    union sigval value;
};

static void pending_send(union sigval notice)
{
    const struct pending_target *t = notice.sival_ptr;
    lane_block_signals(NULL);
    pending_send_to(t->thread, t->sig, t->value);
}

static void pending_look_at(struct lane *lane, void *arg)
{
    struct pending_target *t = arg;
    if (lane->id == t->sig && lane->name)
        t->thread = lane->name;
}

/* Of the thread of this node that has this number; 0: none, or it is not in the table. */
static pthread_t pending_find_thread(pid_t id)
{
    struct pending_target t = { .sig = id };
    lane_each(pending_look_at, &t);
    return t.thread;
}

/* By node 0. */
static int pending_create(clockid_t clock, struct sigevent *event, timer_t *timer, pthread_t thread)
{
    struct sigevent mine;
    timer_t made;
    if (event && !pending_copy(&mine, event))
        return -1;
    if (event && thread) {
        struct pending_target *t = malloc(sizeof *t);
        if (!t)
            return -1;
        *t = (struct pending_target){ thread, event->sigev_signo, event->sigev_value };
        mine.sigev_notify = SIGEV_THREAD;
        mine.sigev_notify_function = pending_send;
        mine.sigev_notify_attributes = NULL;
        mine.sigev_value.sival_ptr = t;
    }
    int rc = timer_create(clock, event ? &mine : NULL, &made);
    if (rc == 0)
        *timer = made;
    return rc;
}

int __wrap_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    if (!start_sharing)
        return timer_create(clock, event, timer);
    bool threaded = event && event->sigev_notify == SIGEV_THREAD_ID;
    pthread_t thread = threaded && pending_send_to ? pending_find_thread(event->THREAD_ID) : 0;
    if (delegate_is_away())
        return (int)DELEGATE(pending_create, clock, (long)event, (long)timer, (long)thread);
    return pending_create(clock, event, timer, thread);
}

HERE(int, mq_notify, (mqd_t queue, const struct sigevent *event), (queue, event),
     WORDS(queue, (long)event))
{
    struct sigevent mine;
    if (event && !pending_copy(&mine, event))
        return -1;
    return mq_notify(queue, event ? &mine : NULL);
}
