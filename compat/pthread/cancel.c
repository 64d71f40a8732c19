/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cancel.c - see cancel.h for the invariants. */
#include "compat/pthread/cancel.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/pthread/kill.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define INTERRUPT (SIGRTMAX - 1)
#define FIRST_NS  100000L
#define MOST_NS   20000000L

_Noreturn void __wrap_pthread_exit(void *result);

bool cancel_used;

static _Thread_local bool is_asynchronous;
static pthread_mutex_t ends = PTHREAD_MUTEX_INITIALIZER; /* no thread of this node ends meanwhile */

bool cancel_is_due(void)
{
    return cancel_used && lane_current && lane_current->cancelled && !lane_current->uncancelable;
}

static void cancel_act(void)
{
    cancel_end();
    __wrap_pthread_exit(PTHREAD_CANCELED);
}

void cancel_test(void)
{
    if (cancel_is_due())
        cancel_act();
}

void cancel_end(void)
{
    if (!cancel_used || !lane_current)
        return;
    pthread_mutex_lock(&ends);
    lane_current->cancelled = false;
    lane_current->uncancelable = true;
    pthread_mutex_unlock(&ends);
}

/* ---- interrupts ---- */

/* On the alternate stack. */
static void cancel_on_interrupt(int sig)
{
    (void)sig;
    if (is_asynchronous && cancel_is_due() && lane_current->private_sp)
        cancel_act();
}

static bool cancel_interrupt(struct lane *lane)
{
    pthread_mutex_lock(&ends);
    bool waits = lane->cancelled;
    if (waits && !lane->uncancelable && !delegate_interrupt(lane, INTERRUPT))
        (void)pthread_kill(lane->thread, INTERRUPT);
    pthread_mutex_unlock(&ends);
    return waits;
}

static void *cancel_interrupts(void *lane)
{
    struct timespec t = { .tv_nsec = FIRST_NS };
    while (cancel_interrupt(lane)) {
        (void)nanosleep(&t, NULL);
        t.tv_nsec = t.tv_nsec < MOST_NS / 2 ? 2 * t.tv_nsec : MOST_NS;
    }
    return NULL;
}

void cancel_note(struct lane *lane)
{
    pthread_t thread;
    sigset_t before;
    lane->cancelled = true;
    lane_block_signals(&before); /* the thread inherits it */
    if (pthread_create(&thread, NULL, cancel_interrupts, lane) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
