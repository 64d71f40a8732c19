/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * signals.c - the program's handlers of signals.
 *
 * Invariants
 *   SG1  The system writes where a handler has its frame, which the shared stack need not let it:
 *        handlers run on the alternate stack, which each thread has for page faults.
 *        A thread that has it not yet, or no more, gets no signals.
 *   SG2  A handler may touch shared memory, so it does not run amid a call of HLRC: a program that
 *        sets handlers is started as by --signals mask, unless an option says otherwise (start.c).
 */
#include <signal.h>

#include "compat/start/lane.h"
#include "compat/start/start.h"

typedef void handler_fn(int);

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
handler_fn *__wrap_signal(int sig, handler_fn *handler);
handler_fn *__wrap___sysv_signal(int sig, handler_fn *handler);

struct setting {
    int sig;
    bool set;
    struct sigaction act, old;
    int rc;
};

/* On the private stack, where the system can write. */
static void change(void *arg)
{
    struct setting *s = arg, mine = *s;
    if (start_sharing)
        mine.act.sa_flags |= SA_ONSTACK; /* SG1 */
    mine.rc = sigaction(mine.sig, mine.set ? &mine.act : NULL, &mine.old);
    *s = mine;
}

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    struct setting s = { .sig = sig, .set = act };
    if (act)
        s.act = *act;
    lane_call(change, &s);
    if (s.rc == 0 && old)
        *old = s.old;
    return s.rc;
}

static handler_fn *set_handler(int sig, handler_fn *handler, int flags)
{
    struct setting s = { .sig = sig, .set = true };
    s.act.sa_handler = handler;
    s.act.sa_flags = flags;
    if (!(flags & SA_NODEFER))
        sigaddset(&s.act.sa_mask, sig);
    lane_call(change, &s);
    return s.rc == 0 ? s.old.sa_handler : SIG_ERR;
}

/* As BSD has it, and glibc by default; and as System V has. */
handler_fn *__wrap_signal(int sig, handler_fn *handler)
{
    return set_handler(sig, handler, SA_RESTART);
}

handler_fn *__wrap___sysv_signal(int sig, handler_fn *handler)
{
    return set_handler(sig, handler, (int)(SA_RESETHAND | SA_NODEFER));
}
