/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_lock.h - locks by their managers: which node manages a lock, whether an unlock has to
 * publish what was written under it (lock bias), and which thread or node gets the lock next
 * (hand-over order).
 *
 * A lock that was released --lazy-release times in a row on its node is biased: what is written
 * under it is published when another node requests it. Threads of the node get it before a node
 * that waits for it, at most POLICY_LOCK_RUN times in a row. Mechanism and rules: [lock.one-node],
 * [lock.successor], [lock.flush-first], [lock.failed-try], [lock.biased], [lock.fast-mode],
 * [lock.overtaking]. Counts are of unlocks, and saturate.
 *
 * Source: the lazy release of one lock is that of biased locking (Kawachiya, Koseki and Onodera,
 * Lock Reservation, 2002); the bounded run is that of cohort locks (Dice, Marathe and Shavit,
 * 2012).
 */
#ifndef HLRC_POLICY_LOCK_H
#define HLRC_POLICY_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_LOCK_RUN 8 /* hand-overs within the node while another node waits */
#define POLICY_LOCK_OVERTAKEN \
    64 /* times in a row that waiting threads may be overtaken [lock.overtaking] */

static inline uint32_t policy_lock_manager(uint32_t lock, uint32_t nodes)
{
    return lock % nodes;
}

/* The count of unlocks since the lock came here, after one more. */
static inline uint8_t policy_lock_stayed(uint8_t stays)
{
    return (uint8_t)(stays < UINT8_MAX ? stays + 1 : UINT8_MAX);
}

static inline bool policy_lock_biased(uint8_t stays, uint64_t lazy_release)
{
    return lazy_release > 0 && stays >= lazy_release;
}

/* Whether it passes to a waiting thread of this node. `requested`: by another node. */
static inline bool policy_lock_stays_here(bool waiters, bool requested, uint8_t run)
{
    return waiters && (!requested || run < POLICY_LOCK_RUN);
}

/* Whether what was written under it need not be published yet [lock.flush-first], [lock.biased].
 * `listed`: left to the worker, which grants it. */
static inline bool policy_lock_unpublished(bool stays_here, bool requested, bool listed,
                                           uint8_t stays, uint64_t lazy_release)
{
    if (lazy_release > 0 && stays_here)
        return true;
    return !requested && !listed && policy_lock_biased(stays, lazy_release);
}

/* [lock.overtaking]: whether a thread that has not waited yet queues after the waiting ones. */
static inline bool policy_lock_yields(bool waiters, bool waited, uint8_t overtaken)
{
    return waiters && !waited && overtaken >= POLICY_LOCK_OVERTAKEN;
}

#endif
