/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * signals.c - the program's signal handlers.
 *
 * Invariants
 *   - The kernel writes a handler's frame, and the shared stack may be inaccessible to it. So
 *     handlers run on the alternate stack, which each thread has for page faults. A thread that
 *     does not have it yet, or any more, gets no signals.
 *   - Node 0's process has the program's handlers and gets its signals (delegate.h). A thread of
 *     another node that raises a signal takes the handler from there first.
 *   - A handler may access shared memory, so it must not run inside an HLRC call: a program that
 *     sets handlers starts as with --signals mask, unless an option says otherwise (start.c).
 */
#include "compat/process/signals.h"

#include <signal.h>

#include "compat/process/catcher.h"
#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

typedef void handler_fn(int);

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
handler_fn *__wrap_signal(int sig, handler_fn *handler);
handler_fn *__wrap___sysv_signal(int sig, handler_fn *handler);

struct signals_setting {
    int sig;
    bool set;
    struct sigaction act, old;
    int rc;
};

/* On the private stack, where the kernel can write. */
static void signals_change(void *arg)
{
    struct signals_setting *s = arg, mine = *s;
    if (start_sharing)
        mine.act.sa_flags |= SA_ONSTACK;
    if (start_sharing && mine.set && mine.act.sa_handler != SIG_DFL &&
        mine.act.sa_handler != SIG_IGN)
        catcher_need();
    mine.rc = sigaction(mine.sig, mine.set ? &mine.act : NULL, &mine.old);
    *s = mine;
}

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (start_away)
        return (int)DELEGATE(__wrap_sigaction, sig, (long)act, (long)old);
    struct signals_setting s = { .sig = sig, .set = act };
    if (act)
        s.act = *act;
    lane_call(signals_change, &s);
    if (s.rc == 0 && old)
        *old = s.old;
    return s.rc;
}

static handler_fn *signals_set_handler(int sig, handler_fn *handler, int flags)
{
    if (start_away)
        return (handler_fn *)DELEGATE(signals_set_handler, sig, (long)handler, flags);
    struct signals_setting s = { .sig = sig, .set = true };
    s.act.sa_handler = handler;
    s.act.sa_flags = flags;
    if (!(flags & SA_NODEFER))
        sigaddset(&s.act.sa_mask, sig);
    lane_call(signals_change, &s);
    return s.rc == 0 ? s.old.sa_handler : SIG_ERR;
}

/* BSD semantics, glibc's default; and System V semantics. */
handler_fn *__wrap_signal(int sig, handler_fn *handler)
{
    return signals_set_handler(sig, handler, SA_RESTART);
}

handler_fn *__wrap___sysv_signal(int sig, handler_fn *handler)
{
    return signals_set_handler(sig, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

/* For a caller on the private stack, which node 0 cannot access. */
static void signals_store(int sig, struct sigaction *to)
{
    if (sigaction(sig, NULL, to) != 0)
        to->sa_handler = SIG_ERR;
}

void signals_get_handler(int sig)
{
    struct sigaction act = { 0 };
    struct delegate_buffer buffer = { 1, &act, sizeof act, true };
    if (!start_away)
        return;
    (void)delegate_call(DELEGATE_FN(signals_store), (const long[DELEGATE_WORDS]){ sig, (long)&act },
                        &buffer);
    if (act.sa_handler != SIG_ERR)
        (void)sigaction(sig, &act, NULL);
}

/* The handler runs on this thread. */
int __wrap_raise(int sig)
{
    signals_get_handler(sig);
    return raise(sig);
}
