/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * carry.h - signals that are pending for one thread, which the thread blocks. A thread of another
 * node carries them to its proxy for each call that node 0 performs (delegate.h), so signalfd,
 * poll and sigtimedwait find them there.
 */
#ifndef COMPAT_CARRY_H
#define COMPAT_CARRY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lane;

/* Signals as bits: 1 for signal 1. */
static inline uint64_t carry_bit(int sig)
{
    return UINT64_C(1) << (sig - 1);
}

/* The signals of a set, as bits. */
uint64_t carry_bits(const sigset_t *set);

/* A signal is about to be sent to this thread of another node than 0. */
void carry_note(struct lane *lane, int sig);
/* What was noted for the calling thread, and its mask blocks. Forgets the notes. */
uint64_t carry_noted(const sigset_t *mask);

/* What a thread of this process blocks, by the system's number of it. */
uint64_t carry_blocked(pid_t thread);

/* Takes a signal of the set that is pending for the calling thread, which blocks all of them.
 * Signals of the process stay. False: there is none. */
bool carry_take(uint64_t set, siginfo_t *info);
/* Makes it pending for the calling thread; for another thread of this process. */
void carry_put(const siginfo_t *info);
void carry_send(struct lane *lane, const siginfo_t *info);
/* As pthread_sigqueue to the thread of this process with the system's number, with this si_code,
 * which is negative. Returns 0 or an error. */
int carry_queue(pid_t thread, int sig, int code, union sigval value);
/* By a handler of the system's: what carry_send was given. */
void carry_tell(siginfo_t *info);

#endif
