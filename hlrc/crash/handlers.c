/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handlers.c - see handlers.h. The address sanitizer defines these functions itself: with it
 * HLRC's are left out. */
#include "hlrc/crash/handlers.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system_sigaction.h"
#include "hlrc/memory/fault.h"

#define SIGNALS 32 /* above all signals of errors */

/* Written while no handler of the signal can run, or by the program, which must order that with
 * its signals in any case. */
static _Atomic bool fronted[SIGNALS];
static struct sigaction next[SIGNALS];
static _Atomic uint64_t open_signals; /* as bits */

void handlers_front(int sig, bool ours)
{
    next[sig] = (struct sigaction){ .sa_handler = SIG_DFL };
    fronted[sig] = ours;
}

struct sigaction handlers_next(int sig)
{
    return next[sig];
}

void handlers_open(int sig, bool open)
{
    uint64_t bit = UINT64_C(1) << sig;
    if (open)
        open_signals |= bit;
    else
        open_signals &= ~bit;
}

void handlers_default(int sig)
{
    struct sigaction dfl = { .sa_handler = SIG_DFL };
    (void)system_sigaction(sig, &dfl, NULL);
}

const sigset_t *handlers_opened(const sigset_t *set, sigset_t *copy)
{
    uint64_t open = open_signals;
    if (!open)
        return set;
    *copy = *set;
    for (int sig = 1; sig < SIGNALS; sig++)
        if (open & UINT64_C(1) << sig)
            sigdelset(copy, sig);
    return copy;
}

#ifndef __SANITIZE_ADDRESS__
static int handlers_put_behind(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction was;
    if (sig == SIGSEGV) {
        fault_next(act, &was);
    } else {
        was = next[sig];
        if (act)
            next[sig] = *act;
    }
    if (old)
        *old = was;
    return 0;
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct sigaction copy;
    if (act) {
        copy = *act;
        copy.sa_mask = *handlers_opened(&act->sa_mask, &copy.sa_mask);
    }
    if (sig > 0 && sig < SIGNALS && fronted[sig])
        return handlers_put_behind(sig, act ? &copy : NULL, old);
    return system_sigaction(sig, act ? &copy : NULL, old);
}

__sighandler_t signal(int sig, __sighandler_t handler)
{
    struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;
    if (sig <= 0 || sig >= SIGNALS || !fronted[sig])
        return ssignal(sig, handler); /* the same function, by another name */
    sigaddset(&act.sa_mask, sig);
    handlers_put_behind(sig, &act, &old);
    return old.sa_handler;
}
#endif
