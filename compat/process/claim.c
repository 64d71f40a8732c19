/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* claim.c - see claim.h for the invariants. */
#include "compat/process/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compat/process/carry.h"
#include "compat/process/delegate.h"
#include "compat/process/signals.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

bool claim_would_take(const struct lane *lane, uint64_t signal)
{
    if (lane->channel)
        return false;
    if (atomic_load(&lane->waiter))
        return lane->open & signal;
    return !(carry_blocked(lane->id) & signal);
}

/* By node 0, as sigtimedwait. */
static int claim_take_there(siginfo_t *lent, uint64_t signals)
{
    static const struct timespec at_once;
    siginfo_t info;
    sigset_t set, others;
    sigemptyset(&set);
    sigemptyset(&others);
    for (int sig = 1; sig < _NSIG; sig++) {
        struct sigaction act;
        if (!(signals & carry_bit(sig)) || sigaction(sig, NULL, &act) != 0)
            continue;
        bool handled = act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN;
        sigaddset(handled ? &set : &others, sig);
    }
    pthread_sigmask(SIG_UNBLOCK, &others, NULL);
    pthread_sigmask(SIG_BLOCK, &others, NULL);
    int sig = sigtimedwait(&set, &info, &at_once);
    if (sig > 0)
        *lent = info;
    return sig;
}

bool claim_take(uint64_t signals, siginfo_t *info)
{
    struct delegate_buffer buffer = { 0, info, sizeof *info, true, false };
    const long words[DELEGATE_WORDS] = { 0, (long)signals };
    sigset_t before;
    lane_block_signals(&before); /* the proxy has this mask */
    int sig = (int)delegate_call(DELEGATE_FN(claim_take_there), words, &buffer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (sig <= 0)
        return false;
    signals_get_handler(sig);
    return true;
}

/* ---- masks ---- */

/* On the private stack. The signals become pending for the thread. */
static void claim_pending(void *arg)
{
    uint64_t signals = *(const uint64_t *)arg;
    siginfo_t info;
    sigset_t before;
    lane_block_signals(&before);
    while (claim_take(signals, &info))
        carry_put(&info);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static uint64_t claim_mask_now(void)
{
    static _Thread_local sigset_t now; /* the system accesses private memory only */
    (void)pthread_sigmask(SIG_SETMASK, NULL, &now);
    return carry_bits(&now);
}

/* [claim.unblocked] The handlers run on the program's stack, and may change the mask, too. */
static int claim_change_mask(int how, const sigset_t *set, sigset_t *old)
{
    static _Thread_local sigset_t wanted;
    if (!start_sharing)
        return pthread_sigmask(how, set, old);
    uint64_t before = claim_mask_now();
    if (set)
        wanted = *set;
    uint64_t bits = carry_bits(&wanted), unblocks = before & (how == SIG_UNBLOCK ? bits : ~bits);
    if (start_away && set && how != SIG_BLOCK && unblocks) {
        lane_call(claim_pending, &unblocks);
        wanted = *set;
    }
    int rc = set ? pthread_sigmask(how, &wanted, NULL) : 0;
    if (rc == 0 && old) {
        sigemptyset(old);
        memcpy(old, &before, sizeof before);
    }
    return rc;
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return claim_change_mask(how, set, old);
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int rc = claim_change_mask(how, set, old);
    errno = rc ? rc : errno;
    return rc ? -1 : 0;
}

int __wrap_sigsetmask(int mask)
{
    sigset_t set, old;
    sigemptyset(&set);
    memcpy(&set, &mask, sizeof mask);
    return __wrap_sigprocmask(SIG_SETMASK, &set, &old) == 0 ? (int)carry_bits(&old) : -1;
}

int __wrap_sigrelse(int sig)
{
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, sig) == 0 ? __wrap_sigprocmask(SIG_UNBLOCK, &set, NULL) : -1;
}
