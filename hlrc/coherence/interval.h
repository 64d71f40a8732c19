/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interval.h - intervals, vector times, and the two halves of synchronisation: release and acquire.
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   I1  (1) interval_close returns only when every page that was dirty when it was called is in a
 *       published interval, whichever thread wrote it: closings of a node are serialised, and each
 *       takes the whole dirty list.
 *   I2  (1) a page is BUSY until its diff is captured, and write-protected meanwhile (page.h P7),
 *       or kept writable and captured from one copy (P8).
 *   I3  (2) applied[page][w] becomes the interval after the diff is in the page; diffs of one
 *       (page, writer) arrive in interval order, because closings are serialised and bulk messages
 *       are ordered (bulk.h B2).
 *   I4  a diff is sent before the interval that announces it is published: a node that sees the
 *       notice can count on the diff to arrive without any further action of the writer.
 *   I5  (3) vt[w] rises only after all pages of w's intervals up to that value have been revoked
 *       here, or renewed (renew.h RN1).
 *   I6  vt[self] is the last published interval; an interval whose diffs are all empty does not
 *       come into being, unless reads are noted in it (reads.h RR1).
 *   I7  Diffs that wake no thread are for homes that meet next in a barrier: only the thread that
 *       is about to arrive there sends such diffs. Before a vector time leaves this node in any
 *       other way, interval_hand_on wakes the homes that have them, and so does a fetch that needs
 *       this node's own version (page_fetch.c): a request there may have to wait for them. An
 *       interval that ends to make room (copies.h CP3) wakes the homes: it may end between an
 *       arrival and the departure, which takes all diffs for applied.
 *   I8  Who looks whether there is anything to publish looks at interval_closing before the dirty
 *       list and after it. A page that a closing leaves writable (page.h P8) is on no list from
 *       dirty_take to page_flush_end: it is missed in the list by who looks before the second, and
 *       so is the closing by who looks only after it has ended, though it may have captured the
 *       page before the last store.
 *   I9  (R4) A home that has taken the notices of an interval has the diffs of that interval in its
 *       memory, or in its receive queue. So who has served what came before a departure from a
 *       barrier has all diffs that the barrier covers.
 *   I10  (1) A full fence lies between a thread's stores and its test for unpublished ones, that is
 *       its reads of interval_closing, the dirty list and closes_begun. A closing raises
 *       interval_closing and closes_begun, then has a full fence before it reads the pages. Without
 *       either fence both sides read old values: the thread finds no closing, or notes the one that
 *       comes next, and that closing captures a page that stays writable (page.h P8) while the
 *       thread's last stores are still in its store buffer. A page that is write-protected needs no
 *       fence: the TLB shootdown interrupts the CPU that stores. A thread that tests on behalf of
 *       others, whose stores a lock has made visible to it, needs none either.
 *
 *   write fault           interval_close
 *   ----------> dirty ----------------> diffs sent -> published, vt[self]
 *              list     protect, capture                   |
 *                                                          | log: notice_log.h
 *   interval_acquire (another node):   vt <- pages revoked <
 */
#ifndef HLRC_INTERVAL_H
#define HLRC_INTERVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/perturb.h"
#include "hlrc/engine.h"
#include "hlrc/memory/dirty.h"

int interval_init(void);
void interval_end(void);

/* Release. Waits: for the rest of a closing under way, for room at the homes. Urgent: the homes'
 * handlers are woken to apply the diffs; otherwise they may lie until the home waits or is woken,
 * which is right when all homes are about to take part in the same barrier. */
void interval_close(bool urgent);
/* True if this node has no unpublished stores: interval_close would return at once. A full fence
 * (I10) and loads; does not block. */
bool interval_clean(void);

extern _Atomic bool interval_closing __attribute__((visibility("hidden"))); /* one is under way */
uint64_t interval_next(void); /* the number of the closing that begins next, or after it */

/* True if neither this thread nor a thread that it synchronised with on this node has unpublished
 * stores. Does not block. ASSUMPTION: a full fence since the caller's last store (I10). */
static inline bool interval_spotless(void)
{
    if (engine.alone)
        return true;
    if (atomic_load(&interval_closing) || dirty_any()) /* I8 */
        return false;
    perturb(clean_looked);
    return !atomic_load(&interval_closing); /* I8 */
}

/* Number of the closing that publishes those stores, 0 if there are none. Does not block.
 * ASSUMPTION: as above (I10). */
static inline uint64_t interval_mark(void)
{
    return interval_spotless() ? 0 : interval_next();
}
/* It is, and so are the pages of which readers have come (EP3): a vector time may leave this node.
 * If not, then once interval_publish has returned, which begins a closing in any case. */
bool interval_published(uint64_t mark);
void interval_publish(void); /* waits, as an urgent interval_close */

/* Acquire: makes everything visible that the vector time covers. Waits, for notices that are still
 * under way and for pages that are BUSY. `occasion`: the lock, or one of these; what is alike needs
 * the same pages (renew.h RN5). */
enum { OCCASION_MEETING = UINT32_MAX, OCCASION_SIGNAL = UINT32_MAX - 1 };
void interval_acquire(const uint64_t *vt, uint32_t occasion);
/* The calling thread has closed, and stores nothing until it acquires: a closing is spared where it
 * is the only one (races.h RK3). */
void interval_unstored(bool yes);

void interval_vt(uint64_t *vt); /* a copy of this node's vector time, for a barrier. Spins */
/* the same for a grant or a signal (I7). Spins */
void interval_hand_on(uint64_t *vt);
/* Raises a vector time to the other where that is larger. */
static inline void vt_raise(uint64_t *time, const uint64_t *other)
{
    for (int w = 0; w < engine.nodes; w++)
        if (time[w] < other[w])
            time[w] = other[w];
}

/* A barrier is complete: each home has applied the diffs that woke no thread, and is not woken for
 * them any more (I7). */
void interval_met(void);

#endif
