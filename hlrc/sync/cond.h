/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cond.h - condition variables: a queue of waiters. With --locks handler at a manager, node c mod
 * N, whose handler keeps it: cond.c. With --locks queue at a home, the same node, where those who
 * wait and signal keep it themselves: cond_mcs.c.
 *
 * Invariants
 *   C1  A waiter is registered, and knows it, before its lock is released: a signal that is sent
 *       after a thread took that lock finds it, whatever way the two take.
 *   C2  A signal is a release and waking an acquire: the signal carries the signaller's vector time
 *       to the waiter, who then takes the lock again.
 *   C3  Waiters are woken in the order of registration; a broadcast wakes those registered when it
 *       is served.
 *   C4  A signal counts as under way from its call on until it is served, and for each waiter that
 *       it wakes from then on until that one returns; what begins is counted before what ends
 *       (report.h RE3).
 */
#ifndef HLRC_COND_H
#define HLRC_COND_H

#include <stdatomic.h>
#include <stdint.h>

#define CONDS_PER_NODE \
    (1u << 20) /* that a node can create; a table of all of them is address space, not memory */

#define COND_RECORD_BYTES 64 /* cond_mcs.c */

int cond_init(void);
void cond_end(void);

extern _Atomic int64_t cond_under_way; /* by what began and ended at this node */
static inline void cond_count(int64_t more)
{
    atomic_fetch_add_explicit(&cond_under_way, more, memory_order_relaxed);
}

#endif
