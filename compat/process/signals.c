/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * signals.c - the program's signal handlers.
 *
 * Invariants
 *   - The kernel writes a handler's frame, and the shared stack may be inaccessible to it. So
 *     handlers run on the alternate stack, which each thread has for page faults. A thread that
 *     does not have it yet, or any more, gets no signals.
 *   - Node 0's process has the program's actions and gets its signals (delegate.h). A thread of
 *     another node that raises a signal takes the action from there first.
 *   - The system calls signals_enter, which calls the program's handler. The actions are in shared
 *     memory, so a thread of another node that causes an error itself (signals_faults) finds there
 *     what the program has set before, as it finds all other stores.
 *   - What a handler stores is published soon, even if its thread does not synchronise
 *     (catcher_note).
 *   - A handler may access shared memory, so it must not run inside an HLRC call: a program that
 *     sets handlers starts as with --signals mask, unless an option says otherwise (start.c).
 */
#include "compat/process/signals.h"

#include <errno.h>
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "compat/process/carry.h"
#include "compat/process/catcher.h"
#include "compat/process/delegate.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/layers.h"
#include "compat/start/start.h"
#include "hlrc/crash/crash.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define SIGNALS  65
#define RESTORER 0x04000000 /* set in actions that the system returns */

typedef void handler_fn(int);

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
handler_fn *__wrap_signal(int sig, handler_fn *handler);
handler_fn *__wrap___sysv_signal(int sig, handler_fn *handler);

/* In shared memory; written by node 0 under the mutex. */
static struct signals_actions {
    struct sigaction of[SIGNALS];
    uint64_t interrupting; /* siginterrupt */
} * actions;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Signals of a thread's own errors; with several nodes, every node has signals_enter for them. */
static const int signals_faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };
static bool forwards; /* this is such a node, not node 0 */

static bool signals_is_fault(int sig)
{
    for (size_t i = 0; i < sizeof signals_faults / sizeof *signals_faults; i++)
        if (sig == signals_faults[i])
            return true;
    return false;
}

static bool signals_is_handler(handler_fn *handler)
{
    return handler != SIG_DFL && handler != SIG_IGN;
}

/* ---- the system's handler ---- */

/* Blocks what the system blocks on node 0. */
static void signals_block_as(const struct sigaction *act, int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(act->sa_flags & SA_NODEFER ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, &act->sa_mask, NULL);
}

/* The access is repeated, or the signal sent again. */
static void signals_take_default(int sig, bool sent)
{
    struct sigaction act = { .sa_handler = SIG_DFL };
    (void)sigaction(sig, &act, NULL);
    if (sent)
        (void)raise(sig);
}

static void signals_enter(int sig, siginfo_t *info, void *context)
{
    int error = errno;
    bool sent = info->si_code <= 0;
    struct sigaction act = actions->of[sig];
    carry_tell(info);
    if (!signals_is_handler(act.sa_handler)) {
        if (forwards && signals_is_fault(sig) && !(sent && act.sa_handler == SIG_IGN))
            signals_take_default(sig, sent);
        errno = error;
        return;
    }
    if (forwards && signals_is_fault(sig)) {
        hlrc_crash_handled(sig, info, context);
        signals_block_as(&act, sig);
    }
    if ((unsigned)act.sa_flags & SA_RESETHAND)
        actions->of[sig].sa_handler = SIG_DFL;
    catcher_note(!((unsigned)act.sa_flags & SA_RESTART)); /* it may leave by siglongjmp */
    errno = error;
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(sig, info, context);
    else
        act.sa_handler(sig);
    catcher_note(false);
}

/* ---- actions ---- */

struct signals_setting {
    int sig;
    bool set;
    struct sigaction act, old;
    int rc;
};

static void signals_set(struct signals_setting *s)
{
    struct sigaction act = s->act, was = actions->of[s->sig];
    bool handles = s->set && signals_is_handler(act.sa_handler);
    if (handles) {
        catcher_need();
        catcher_set_handled(s->sig, true);
        actions->of[s->sig] = s->act; /* before the system may call signals_enter */
        act.sa_sigaction = signals_enter;
        act.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    }
    s->rc = sigaction(s->sig, s->set ? &act : NULL, &s->old);
    if (s->rc != 0)
        actions->of[s->sig] = was;
    else if (s->set)
        actions->of[s->sig] = s->act;
    if (s->rc == 0 && s->set && !handles)
        catcher_set_handled(s->sig, false);
    if (s->old.sa_sigaction == signals_enter) {
        s->old = was;
        s->old.sa_flags |= RESTORER;
    }
}

/* On the private stack, where the kernel can write. */
static void signals_change(void *arg)
{
    struct signals_setting *s = arg, mine = *s;
    sigset_t before;
    if (start_sharing && mine.sig > 0 && mine.sig < SIGNALS) {
        lane_block_signals(&before); /* a handler may call this, too */
        pthread_mutex_lock(&mutex);
        signals_set(&mine);
        pthread_mutex_unlock(&mutex);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else {
        mine.rc = sigaction(mine.sig, mine.set ? &mine.act : NULL, &mine.old);
    }
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
    if (start_sharing && sig > 0 && sig < SIGNALS &&
        actions->interrupting & UINT64_C(1) << (sig - 1))
        flags &= ~SA_RESTART;
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

handler_fn *__wrap_bsd_signal(int, handler_fn *) __attribute__((alias("__wrap_signal")));
handler_fn *__wrap_ssignal(int, handler_fn *) __attribute__((alias("__wrap_signal")));
handler_fn *__wrap_sysv_signal(int, handler_fn *) __attribute__((alias("__wrap___sysv_signal")));

int __wrap_sigignore(int sig)
{
    return signals_set_handler(sig, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

/* The mask is the calling thread's. */
handler_fn *__wrap_sigset(int sig, handler_fn *handler)
{
    struct sigaction old;
    sigset_t set, before;
    sigemptyset(&set);
    if (sigaddset(&set, sig) != 0)
        return SIG_ERR;
    handler_fn *was = handler == SIG_HOLD
                          ? __wrap_sigaction(sig, NULL, &old) == 0 ? old.sa_handler : SIG_ERR
                          : signals_set_handler(sig, handler, 0);
    if (was == SIG_ERR)
        return SIG_ERR;
    pthread_sigmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &before);
    return sigismember(&before, sig) ? SIG_HOLD : was;
}

int __wrap_siginterrupt(int sig, int interrupts)
{
    struct sigaction act;
    if (!start_sharing)
        return siginterrupt(sig, interrupts);
    if (start_away)
        return (int)DELEGATE(__wrap_siginterrupt, sig, interrupts);
    if (__wrap_sigaction(sig, NULL, &act) != 0)
        return -1;
    uint64_t bit = UINT64_C(1) << (sig - 1);
    actions->interrupting = interrupts ? actions->interrupting | bit : actions->interrupting & ~bit;
    act.sa_flags = interrupts ? act.sa_flags & ~SA_RESTART : act.sa_flags | SA_RESTART;
    return __wrap_sigaction(sig, &act, NULL);
}

/* ---- raised by the program ---- */

/* For a caller on the private stack, which node 0 cannot access. */
static void signals_store(int sig, struct sigaction *to)
{
    if (sigaction(sig, NULL, to) != 0)
        to->sa_handler = SIG_ERR;
}

void signals_get_handler(int sig)
{
    struct sigaction act = { 0 };
    struct delegate_buffer buffer = { 1, &act, sizeof act, true, false };
    if (!start_away || (forwards && signals_is_fault(sig)))
        return;
    (void)delegate_call(DELEGATE_FN(signals_store), (const long[DELEGATE_WORDS]){ sig, (long)&act },
                        &buffer);
    if (act.sa_handler == SIG_ERR)
        return;
    if (act.sa_sigaction == signals_enter) {
        catcher_need();
        catcher_set_handled(sig, true);
    }
    (void)sigaction(sig, &act, NULL);
}

bool signals_end_sleeps(void)
{
    return start_away && forwards;
}

/* The handler runs on this thread. */
int __wrap_raise(int sig)
{
    signals_get_handler(sig);
    if (start_away && lane_current)
        carry_note(lane_current, sig);
    return raise(sig);
}

int signals_queue_own(int sig, union sigval value)
{
    signals_get_handler(sig);
    if (start_away && lane_current)
        carry_note(lane_current, sig);
    return pthread_sigqueue(pthread_self(), sig, value);
}

int __wrap_gsignal(int) __attribute__((alias("__wrap_raise")));

/* A thread of another node knows its own number, which is of its process. */
int __wrap_tgkill(pid_t process, pid_t thread, int sig)
{
    if (start_away && thread == gettid() && process == (pid_t)DELEGATE(getpid, 0))
        return __wrap_raise(sig);
    return tgkill(process, thread, sig);
}

/* ---- the alternate stack ---- */

/* With several nodes handlers have HLRC's: the program's may be inaccessible to the kernel. */
int __wrap_sigaltstack(const stack_t *set, stack_t *old)
{
    static _Thread_local stack_t theirs = { .ss_flags = SS_DISABLE };
    stack_t now = { 0 }, was = theirs;
    if (!start_sharing)
        return sigaltstack(set, old);
    (void)sigaltstack(NULL, &now);
    bool runs = (now.ss_flags & SS_ONSTACK) && !(was.ss_flags & SS_DISABLE);
    int error = !set                                                   ? 0
                : runs                                                 ? EPERM
                : set->ss_flags & ~(SS_DISABLE | SS_ONSTACK)           ? EINVAL
                : !(set->ss_flags & SS_DISABLE) && set->ss_size < 2048 ? ENOMEM
                                                                       : 0;
    if (error) {
        errno = error;
        return -1;
    }
    if (set)
        theirs = *set;
    was.ss_flags |= runs ? SS_ONSTACK : 0;
    if (old)
        *old = was;
    return 0;
}

/* ---- start ---- */

/* The program imports a function that sets handlers, that blocks signals, that sends them to a
 * thread. */
static bool handles_signals, blocks_signals, sends_signals;

static void signals_look_at_name(const char *name, bool copied, size_t bytes)
{
    (void)copied, (void)bytes;
    handles_signals |= layers_sets_handlers(name);
    blocks_signals |= strcmp(name, "__wrap_pthread_sigmask") == 0 ||
                      strcmp(name, "__wrap_sigprocmask") == 0 ||
                      strcmp(name, "__wrap_sigsetmask") == 0 || strcmp(name, "sighold") == 0 ||
                      strcmp(name, "pthread_attr_setsigmask_np") == 0;
    sends_signals |= strcmp(name, "__wrap_pthread_kill") == 0 ||
                     strcmp(name, "__wrap_pthread_sigqueue") == 0 ||
                     strcmp(name, "__wrap_tgkill") == 0;
}

static void signals_begin(void)
{
    struct sigaction act = { .sa_sigaction = signals_enter };
    if (!start_sharing)
        return;
    actions = start_shared_memory(sizeof *actions, "actions of signals");
    image_each_needed(signals_look_at_name);
    if (handles_signals || blocks_signals)
        catcher_expect(handles_signals, sends_signals);
    forwards = handles_signals && hlrc_node_id() != 0;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; forwards && i < sizeof signals_faults / sizeof *signals_faults; i++)
        (void)sigaction(signals_faults[i], &act, NULL);
}

__attribute__((constructor)) static void signals_at_start(void)
{
    start_at_begin(signals_begin);
}
