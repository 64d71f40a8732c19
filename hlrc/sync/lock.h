/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lock.h - locks. With --locks queue by remote atomics: lock_mcs.c, which has rules of its own.
 * With --locks handler, of which the rest of this tells, in lock_queue.c: a manager per lock that
 * knows the last in the queue, and a queue that is handed on from owner to owner.
 *
 * Lock l is managed by node l mod N. A request goes to the manager, who notes the requester as the
 * new last and sends the request on to the one before; that one grants it, now if it holds the lock
 * unused, else at its unlock. The grant carries the granter's vector time. An owner keeps a lock
 * that no node asks for: taking it again sends no message.
 *
 * State of a lock at a node (HAVE is inverted at the manager, which has every lock at the
 * beginning: a zero-filled table is the initial state, and costs no memory before it is used):
 *
 *           hlrc_lock, request            grant          hlrc_unlock, no node asks
 *      absent ----------------> WAITING -----------> HELD <------------------------> CACHED
 *        ^                                             |     hlrc_lock, no message     |
 *        +---------------------------------------------+-------------------------------+
 *                 hlrc_unlock with a successor: grant        a request arrives: grant
 *
 * Invariants
 *   L1  A lock is HELD or CACHED at no more than one node; from grant to arrival it is at none.
 *   L2  `next` is set at a node that is WAITING or HELD, or where the lock is LISTED (L6) or a
 *       thread is about to take it, by the request that the manager sent after it; there is at
 *       most one, since the manager sends each last one successor.
 *   L3  When a lock is granted, a closing that began after the last hlrc_unlock has ended, or
 *       there was nothing to publish (interval_mark), and no reader has come unseen since
 *       (interval_published, exclusive.h EP4): the node that gets it gets the writes made under it
 *       (interval.h I1). The acquirer enters after interval_acquire of the granter's vector time.
 *       Threads of one node hand a lock on without a closing.
 *   L4  While the manager waits for the outcome of a try, it keeps other requests for that lock in
 *       order, in their slots.
 *   L5  A try that fails has changed neither the lock nor any vector time.
 *   L6  hlrc_unlock closes the interval unless the lock has come to stay: no node has asked for it
 *       for some unlocks. Where a request comes then before a closing has, serving it may not wait
 *       for one: it becomes `next`, the lock is LISTED, and the worker closes, then grants what is
 *       LISTED if no thread took it meanwhile. So who waits for a lock that no thread has waits
 *       for a wake, the rest of one closing and the whole of the next, at most.
 *   L7  A try likewise is answered by the worker, as the lock is when the closing has ended; there
 *       is no `next` meanwhile (L4).
 *   L8  A lock's mode is FREE or TAKEN only where it is CACHED or HELD and no thread or node waits
 *       for it: then a thread takes it by one compare-and-swap of the mode, and releases it by one
 *       to GUARDED, before its test for unpublished stores (interval.h I10), and a store of FREE. A
 *       thread that changes anything else guards it (GUARDED), which ends both.
 *   L9  Threads of a node that wait for a lock are overtaken by others of the node, who find it
 *       free before one that was woken has come, so often in a row at most; then it is theirs. So
 *       a thread that takes it again and again, to look for what another does under it, does not
 *       keep that one out.
 */
#ifndef HLRC_LOCK_H
#define HLRC_LOCK_H

#include <stdint.h>

int lock_init(void);
void lock_end(void);

/* The calling thread is about to wait for a lock that a thread of this node holds: ends the job if
 * it is the same. */
void lock_check_again(uint32_t lock, uint32_t holder);
/* The first lock from this one on that a thread of this node holds, and the thread's index;
 * LOCK_NONE: none. At any time and without a lock: of locks that change hands it may miss any. */
uint32_t lock_held_from(uint32_t first, uint32_t *thread);
#define LOCK_NONE UINT32_MAX
/* Says which locks are held in a call in which none should be. */
void lock_tell_held(const char *call);

#define LOCK_INTERNAL      1 /* locks of the runtime itself, behind the static ones */
#define LOCK_HEAP          HLRC_STATIC_LOCKS
#define LOCK_CREATED_FIRST (HLRC_STATIC_LOCKS + LOCK_INTERNAL)
#define LOCKS_PER_NODE \
    (1u << 20) /* that a node can create; a table of all of them is address space, not memory */
#define LOCK_QUEUE_NODES 65536 /* locks that a node has or asks for, at most: lock_mcs.c */

#endif
