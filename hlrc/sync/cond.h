/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cond.h - condition variables: a queue of waiters. With --locks manager the handler of the
 * manager, node c mod N, keeps the queue: cond.c. With --locks mcs it lies at that node as its
 * home, and waiters and signallers update it by remote operations: conds_mcs.c.
 *
 * Invariants
 *   [cond.registered-first] A waiter's registration is complete before its lock is released. So a
 *       signal sent after a thread took that lock finds the waiter, whatever path each takes.
 *   [cond.signal-time] A signal is a release and a wake-up an acquire: the signal carries the
 *       signaller's vector time to the waiter, which then acquires the lock again.
 *   [cond.own-wake] A waiter whose time is over wakes all waiters, itself among them, and then
 *       waits for that wake or an earlier one. So no registration outlives its wait, and a signal
 *       that a waiter got too late is not lost: all others test their condition.
 *   - Waiters are woken in the order of registration; a broadcast wakes those registered when it is
 *     served.
 *   - A signal counts as pending from its call until it is served, and for each waiter that it
 *     wakes from then until that waiter returns. Starts are counted before ends
 *     [deadlock.in-transit].
 */
#ifndef HLRC_COND_H
#define HLRC_COND_H

#include <stdatomic.h>
#include <stdint.h>

#define CONDS_PER_NODE \
    (1u << 20) /* that a node can create; a table of all is address space, not memory */

#define COND_RECORD_BYTES 64 /* conds_mcs.c */

int cond_init(void);
void cond_end(void);

extern _Atomic int64_t cond_under_way; /* net count of starts and ends at this node */
static inline void cond_count(int64_t more)
{
    atomic_fetch_add_explicit(&cond_under_way, more, memory_order_relaxed);
}

#endif
