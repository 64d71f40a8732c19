/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catcher.c - see catcher.h for the invariants. */
#include "compat/process/catcher.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "hlrc/memory/fault.h"

#define PERIOD_NS 10000000

void (*catcher_handled)(void);
static _Atomic bool runs;
static _Atomic uint64_t waits; /* odd: main waits; written by main */
static sigset_t mask;          /* main's; written by main while `waits` is even */
static _Atomic bool is_open;   /* the catcher gets signals */
static int closes = -1;        /* eventfd: it shall not any more */
static const struct timespec period = { .tv_nsec = PERIOD_NS };
static bool blocked; /* by catcher_block; main's */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t handled_signals; /* as bits */
static _Atomic bool noted;               /* by a handler, since the last publication */
static pthread_mutex_t publishing = PTHREAD_MUTEX_INITIALIZER;
static bool ended; /* guarded by `publishing` */

/* Gets signals until a period has passed, or the wait ends. */
static void catcher_open(uint64_t wait)
{
    struct pollfd end = { .fd = closes, .events = POLLIN };
    sigset_t open = mask;
    eventfd_t count;
    atomic_store(&is_open, true);
    /* the order: main ends the wait, then looks whether this is open */
    if (atomic_load(&waits) == wait)
        (void)ppoll(&end, 1, &period, &open);
    (void)eventfd_read(closes, &count);
    atomic_store(&is_open, false);
}

/* [catcher.publishes] */
static void catcher_publish_noted(void)
{
    if (!atomic_exchange(&noted, false))
        return;
    pthread_mutex_lock(&publishing);
    if (!ended && catcher_handled)
        catcher_handled();
    pthread_mutex_unlock(&publishing);
}

void catcher_note(void)
{
    atomic_store(&noted, true);
}

void catcher_set_handled(int sig, bool handled)
{
    uint64_t bit = UINT64_C(1) << (sig - 1);
    if (handled)
        atomic_fetch_or(&handled_signals, bit);
    else
        atomic_fetch_and(&handled_signals, ~bit);
    hlrc_signal_handled(sig, handled);
}

bool catcher_is_handled(int sig)
{
    return atomic_load(&handled_signals) & UINT64_C(1) << (sig - 1);
}

void catcher_end(void)
{
    pthread_mutex_lock(&publishing);
    ended = true;
    pthread_mutex_unlock(&publishing);
}

static void *catcher_body(void *arg)
{
    (void)arg;
    for (uint64_t before = 0;;) {
        uint64_t now = atomic_load(&waits);
        if ((now & 1) && now == before)
            catcher_open(now);
        else
            (void)nanosleep(&period, NULL);
        catcher_publish_noted();
        before = now;
    }
    return NULL;
}

void catcher_need(void)
{
    pthread_t thread;
    sigset_t before;
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&runs)) {
        closes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        lane_block_signals(&before); /* the thread inherits it */
        int rc = closes < 0 ? errno : pthread_create(&thread, NULL, catcher_body, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (rc)
            start_fail("cannot start a thread for signals: %s; raise the limit on processes "
                       "(ulimit -u)",
                       strerror(rc));
        pthread_detach(thread);
        atomic_store(&runs, true);
    }
    pthread_mutex_unlock(&mutex);
}

static bool catcher_is_for_me(void)
{
    return start_sharing && atomic_load_explicit(&runs, memory_order_relaxed) && lane_current &&
           lane_current->index == 0;
}

bool catcher_block(sigset_t *before)
{
    if (!start_sharing || !atomic_load_explicit(&runs, memory_order_relaxed))
        return false;
    lane_block_signals(before);
    if (catcher_is_for_me() && !(atomic_load(&waits) & 1)) {
        mask = *before;
        blocked = true;
    }
    return true;
}

void catcher_unblock(const sigset_t *before)
{
    if (catcher_is_for_me())
        blocked = false;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void catcher_wait_begin(void)
{
    if (!catcher_is_for_me() || (atomic_load(&waits) & 1))
        return;
    if (!blocked)
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
    atomic_fetch_add(&waits, 1);
}

void catcher_wait_end(void)
{
    if (!catcher_is_for_me() || !(atomic_load(&waits) & 1))
        return;
    atomic_fetch_add(&waits, 1);
    if (!atomic_load(&is_open))
        return;
    (void)eventfd_write(closes, 1);
    while (atomic_load(&is_open))
        sched_yield();
}
