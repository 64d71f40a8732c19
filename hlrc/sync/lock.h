/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lock.h - locks. With --locks mcs they use remote atomics: locks_mcs.c, which has its own rules.
 * The rest of this head describes --locks manager, locks_manager.c: a manager per lock knows the
 * tail of a distributed queue, and each owner grants the lock to its successor.
 *
 * Lock l is managed by node l mod N. A request goes to the manager, which records the requester as
 * the new tail and forwards the request to the previous tail. That node grants the lock at once if
 * it holds it unused, else at its unlock. The grant carries the granter's vector time. An owner
 * keeps a lock that no node requests (biased lock): it acquires it again without a message.
 *
 * State of a lock at a node (HAVE is inverted at the manager, which has every lock initially: a
 * zero-filled table is the initial state, and costs no memory before use):
 *
 *           hlrc_lock, request            grant        hlrc_unlock, not requested
 *      absent ----------------> WAITING -----------> HELD <------------------------> CACHED
 *        ^                                             |     hlrc_lock, no message     |
 *        +---------------------------------------------+-------------------------------+
 *                 hlrc_unlock with a successor: grant        a request arrives: grant
 *
 * Invariants
 *   [lock.one-node] A lock is HELD or CACHED at no more than one node; from grant to arrival it is
 *       at none.
 *   [lock.successor] The request that the manager forwards sets `next` at a node that is WAITING or
 *       HELD, or where the lock is LISTED [lock.biased] or a thread is about to take it. There is
 *       at most one, since the manager gives each tail one successor.
 *   [lock.flush-first] When a lock is granted, a flush that began after the last hlrc_unlock has
 *       ended, or there was nothing to publish (interval_mark), and no reader has registered
 *       unnoticed since (interval_published, [unshared.new-readers]). So the next owner gets the
 *       writes made under the lock [interval.covers-dirty]. The acquirer returns after
 *       interval_acquire of the granter's vector time. Threads of one node pass a lock to each
 *       other without a flush.
 *   - While the manager waits for the result of a try, it keeps other requests for that lock in
 *     order, in their slots.
 *   [lock.failed-try] A try that fails has changed neither the lock nor any vector time.
 *   [lock.biased] hlrc_unlock flushes the interval unless the lock is biased: no node has requested
 *       it for some unlocks. A request for a biased lock may arrive before a flush, and its handler
 *       may not wait for one. The request becomes `next`, the lock is LISTED, and the worker
 *       flushes and then grants each LISTED lock that no thread has taken. So a requester of a lock
 *       that no thread holds waits at most for a wake, the rest of one flush and the whole of the
 *       next.
 *   - The worker answers a try as well, from the state of the lock at the end of the flush. Until
 *     then there is no `next`.
 *   [lock.fast-mode] A lock's mode is FREE or TAKEN only where it is CACHED or HELD and no thread
 *       or node waits for it. Then a thread acquires it by one compare-and-swap of the mode. It
 *       releases it by one to GUARDED, before its test for unpublished stores
 *       [interval.unpublished-test], and a store of FREE. A thread that changes anything else
 *       guards it (GUARDED), which disables both fast paths. A thread that has waited long for the
 *       guard is let in after a release (spin.h).
 *   [lock.overtaking] Other threads of the node may find a free lock before a woken waiter runs,
 *       and overtake it. After a limited number of times in a row the lock is reserved for the
 *       waiters. So a thread that polls under the lock does not starve the thread it polls for.
 */
#ifndef HLRC_LOCK_H
#define HLRC_LOCK_H

#include <hlrc.h>
#include <stdint.h>

int lock_init(void);
void lock_end(void);

/* Called before the thread waits for a lock held by a thread of this node: ends the job if that is
 * the caller. */
void lock_check_again(uint32_t lock, uint32_t holder);
/* First lock from `first` on that a thread of this node holds, and that thread's index; LOCK_NONE:
 * none. May be called at any time and takes no lock; may miss locks that change hands. */
uint32_t lock_held_from(uint32_t first, uint32_t *thread);
#define LOCK_NONE UINT32_MAX
/* Reports the locks held in a call that must be made without locks. */
void lock_tell_held(const char *call);

#define LOCK_INTERNAL      1 /* locks of the runtime itself, after the static ones */
#define LOCK_HEAP          HLRC_STATIC_LOCKS
#define LOCK_CREATED_FIRST (HLRC_STATIC_LOCKS + LOCK_INTERNAL)
#define LOCKS_LIMIT        (1u << 31) /* of a job, so that handles fit into 32 bits */
#define LOCKS_LEAST        (1u << 20)
#define LOCKS_MOST         (1u << 24)
/* The number of locks that a node can create: one per KiB of the space, within these bounds. A
 * table of all is address space, not memory. A job with little address space has a small space. */
static inline uint32_t lock_per_node(int nodes, uint32_t pages)
{
    uint64_t by_space = (uint64_t)pages * 4, by_job = LOCKS_LIMIT / (uint32_t)nodes;
    uint64_t n = by_space < LOCKS_LEAST  ? LOCKS_LEAST
                 : by_space > LOCKS_MOST ? LOCKS_MOST
                                         : by_space;
    return (uint32_t)(n < by_job ? n : by_job - LOCK_CREATED_FIRST);
}
#define LOCK_QUEUE_NODES 65536 /* locks that a node has or requests, at most: locks_mcs.c */

#endif
