/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catcher.c - see catcher.h for the invariants. */
#include "compat/process/catcher.h"

#include <errno.h>
#include <hlrc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>

#include "compat/process/carry.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "hlrc/memory/fault.h"

#define PERIOD_NS   10000000
#define CALLED_NS   1000000 /* until a thread that was called has taken its signals */
#define OFFER_FIRST 2u      /* periods that a signal is pending before it is offered */
#define OFFER_MOST  16u     /* between two offers of one */

void (*catcher_handled)(void);
void (*catcher_offer)(uint64_t signals);
void (*catcher_wake)(struct lane *lane);
static _Atomic bool runs;
bool catcher_polls;
static bool expected; /* handlers; constant once main runs */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t handled_signals; /* as bits */
static _Atomic bool noted;               /* by a handler, since the last publication */
static pthread_mutex_t publishing = PTHREAD_MUTEX_INITIALIZER;
static bool ended; /* guarded by `publishing` */

/* Of the calling thread: its mask while it blocks all signals. */
static _Thread_local struct catcher_own {
    bool blocks, interrupted;
    sigset_t mask;
} own;

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

void catcher_note(bool interrupts)
{
    own.interrupted |= interrupts;
    atomic_store(&noted, true);
}

bool catcher_was_interrupted(void)
{
    bool was = own.interrupted;
    own.interrupted = false;
    return was;
}

void catcher_set_handled(int sig, bool handled)
{
    uint64_t bit = carry_bit(sig);
    if (handled)
        atomic_fetch_or(&handled_signals, bit);
    else
        atomic_fetch_and(&handled_signals, ~bit);
    hlrc_signal_handled(sig, handled);
}

bool catcher_is_handled(int sig)
{
    return atomic_load(&handled_signals) & carry_bit(sig);
}

void catcher_end(void)
{
    pthread_mutex_lock(&publishing);
    ended = true;
    pthread_mutex_unlock(&publishing);
}

/* ---- signals of the process ---- */

struct catcher_search {
    uint64_t signal; /* as a bit */
    struct lane *found;
};

static void catcher_look_at(struct lane *lane, void *arg)
{
    struct catcher_search *s = arg;
    if (atomic_load(&lane->waiter) && (lane->open & s->signal) && (!s->found || lane->index == 0))
        s->found = lane;
}

/* Returns the signals of `pending` that no thread takes. */
static uint64_t catcher_distribute(uint64_t pending)
{
    uint64_t left = 0;
    for (uint64_t rest = pending; rest; rest &= rest - 1) {
        struct catcher_search s = { .signal = rest & -rest };
        lane_each(catcher_look_at, &s);
        if (s.found)
            catcher_call(s.found);
        else
            left |= s.signal;
    }
    return left;
}

/* Called once a period, with the signals that are left. */
static void catcher_offer_left(uint64_t left)
{
    static unsigned periods, next;
    static uint64_t before;
    if (left & ~before)
        next = OFFER_FIRST, periods = 0;
    before = left;
    if (!left || ++periods < next)
        return;
    periods = 0;
    next = next < OFFER_MOST ? 2 * next : next;
    pthread_mutex_lock(&publishing);
    if (!ended && catcher_offer)
        catcher_offer(left);
    pthread_mutex_unlock(&publishing);
}

static uint64_t catcher_pending(void)
{
    sigset_t set;
    return sigpending(&set) == 0 ? carry_bits(&set) : 0;
}

static void *catcher_body(void *arg)
{
    struct pollfd news = { .fd = (int)(intptr_t)arg, .events = POLLIN };
    const struct timespec period = { .tv_nsec = PERIOD_NS }, called = { .tv_nsec = CALLED_NS };
    for (uint64_t left = 0;;) {
        if (left || news.fd < 0)
            (void)nanosleep(&period, NULL);
        else
            (void)ppoll(&news, 1, &period, NULL);
        catcher_publish_noted();
        uint64_t pending = start_away ? 0 : catcher_pending();
        left = catcher_distribute(pending);
        if (pending & ~left)
            (void)nanosleep(&called, NULL);
        if (!start_away)
            catcher_offer_left(left);
    }
    return NULL;
}

/* ---- start ---- */

/* Until then signals of the process wait for the period, too. */
static int catcher_open_news(void)
{
    sigset_t all;
    sigfillset(&all);
    lane_leave_own_signals(&all);
    return start_away ? -1 : signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
}

void catcher_need(void)
{
    pthread_t thread;
    sigset_t before;
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&runs)) {
        lane_block_signals(&before); /* the thread inherits it */
        int rc = pthread_create(&thread, NULL, catcher_body, (void *)(intptr_t)catcher_open_news());
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

void catcher_expect(bool handlers, bool sends)
{
    expected = handlers;
    catcher_polls = handlers && sends;
    if (!start_away)
        catcher_need();
}

/* ---- by a thread ---- */

void catcher_block(void)
{
    if (own.blocks || !expected || !atomic_load_explicit(&runs, memory_order_relaxed))
        return;
    lane_block_signals(&own.mask);
    own.blocks = true;
}

void catcher_unblock(void)
{
    if (!own.blocks)
        return;
    own.blocks = false;
    pthread_sigmask(SIG_SETMASK, &own.mask, NULL);
}

/* [catcher.handles] */
static void catcher_publish_wait(struct lane *l, void *waiter)
{
    atomic_store(&l->called, false);
    atomic_store(&l->waiter, waiter);
    if (catcher_pending() & l->open)
        atomic_store(&l->called, true);
}

bool catcher_wait_begin(void *waiter, uint32_t lock)
{
    struct lane *l = lane_current;
    if (!expected || !l || start_is_child)
        return false;
    if (!own.blocks)
        lane_block_signals(&own.mask);
    own.blocks = true;
    l->open = ~carry_bits(&own.mask);
    l->waits_under = lock;
    catcher_publish_wait(l, waiter);
    return true;
}

void catcher_wait_end(void)
{
    atomic_store(&lane_current->waiter, NULL);
}

bool catcher_is_called(void)
{
    return atomic_load(&lane_current->called);
}

/* The handlers may wait, too, or leave by siglongjmp. */
void catcher_handle(void)
{
    struct lane *l = lane_current;
    struct catcher_own outer = own;
    void *waiter = atomic_exchange(&l->waiter, NULL);
    uint32_t lock = l->waits_under;
    sigset_t now;
    own.blocks = false;
    pthread_sigmask(SIG_SETMASK, &outer.mask, &now);
    pthread_sigmask(SIG_SETMASK, &now, NULL);
    own.blocks = outer.blocks;
    own.mask = outer.mask;
    l->open = ~carry_bits(&own.mask);
    l->waits_under = lock;
    catcher_publish_wait(l, waiter);
}

void catcher_call(struct lane *lane)
{
    if (!atomic_load(&lane->waiter))
        return;
    atomic_store(&lane->called, true);
    catcher_wake(lane);
}
