/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interval.h - intervals, vector times, and the two halves of synchronisation: release and
 * acquire. A release ends the interval by a flush (interval_close, "closing" in names).
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [interval.covers-dirty] (1) When interval_close returns, every page that was dirty at the call
 *       is in a published interval, whichever thread wrote it. Flushes of a node are serialised,
 *       and each takes the whole dirty list.
 *   - (1) A page is BUSY until its diff is captured. Until then it is write-protected
 *     [page.busy-capture], or retained writable and captured from one copy [page.retained-twin].
 *   [interval.applied-last] (2) applied[page][w] is set to the interval after the diff is in the
 *       page. Diffs of one (page, writer) arrive in interval order, because flushes are serialised
 *       and bulk messages are ordered [bulk.order].
 *   [interval.diff-first] A diff is sent before the interval that announces it is published. A node
 *       that sees the notice can rely on the diff to arrive without further action of the writer.
 *   [interval.pages-first] (3) vt[w] rises only after all pages of w's intervals up to that value
 *       have been invalidated here, or updated [update.pending].
 *   [interval.own-time] vt[self] is the last published interval. An interval whose diffs are all
 *       empty is not created, unless reads are noted in it (reads.h).
 *   [interval.quiet-diffs] Diffs that wake no thread are sent only to homes that enter a barrier
 *       next, by the thread that is about to arrive there. Before a vector time leaves this node by
 *       another path, interval_hand_on wakes the homes that have such diffs: a later request there
 *       may wait for them. A fetch that needs this node's own version does the same (page_fetch.c).
 *       An interval that ends to free memory [copies.flush-early] wakes the homes: it may end
 *       between an arrival and the departure, which assumes that all diffs are applied.
 *   [interval.unpublished-test] To test for unpublished stores, read interval_closing, then the
 *       dirty list, then interval_closing again. From dirty_take to page_flush_end a page that a
 *       flush retains writable [page.retained-twin] is on no list. A test without the second read
 *       of interval_closing misses that page. A test that reads interval_closing only at the end
 *       misses a flush that has ended and that may have captured the page before the last store.
 *       - (1) A full fence separates a thread's stores from its test for unpublished stores (its
 *         reads of interval_closing, the dirty list and closes_begun). A flush raises
 *         interval_closing and closes_begun, then executes a full fence before it reads the pages.
 *         Without either fence both sides may read old values. The thread finds no flush, or notes
 *         the next one. That flush captures a page that stays writable [page.retained-twin] while
 *         the thread's last stores are still in its store buffer. A write-protected page needs no
 *         fence: the TLB shootdown interrupts the storing CPU. A thread that tests for other
 *         threads, whose stores a lock has made visible to it, needs no fence either.
 *   [interval.no-readers] While no other node has readers (only_node.h) a test for unpublished
 *       stores finds none. The mode ends by a flush that begins after its end is stored, with a
 *       full fence between: a thread that still found the mode stored what it wrote before, so that
 *       flush takes it. Another node's first acquire of any lock follows that flush.
 *   - [barrier.diffs-served] A home that has taken the notices of an interval has the diffs of that
 *     interval in its memory or in its receive queue. So a node that has served everything that
 *     arrived before a departure from a barrier has all diffs that the barrier covers.
 *
 *   write fault           interval_close
 *   ----------> dirty ----------------> diffs sent -> published, vt[self]
 *              list     protect, capture                   |
 *                                                          | log: notices.h
 *   interval_acquire (another node):   vt <- pages revoked <
 */
#ifndef HLRC_INTERVAL_H
#define HLRC_INTERVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/probe/probe.h"

int interval_init(void);
void interval_end(void);

/* Release: flushes. Waits for the rest of a flush under way, and for room at the homes. Urgent:
 * wakes the homes' handlers to apply the diffs. Otherwise the diffs may lie until the home waits
 * or is woken, which suffices if all homes are about to enter the same barrier. */
void interval_close(bool urgent);
/* True if this node has no unpublished stores, so interval_close would return at once. Executes a
 * full fence [interval.unpublished-test]. Does not block. */
bool interval_clean(void);

extern _Atomic bool interval_closing __attribute__((visibility("hidden"))); /* a flush runs */
extern _Atomic bool interval_unread __attribute__((visibility("hidden")));  /* only_node.h */
uint64_t interval_next(void); /* number of a flush that has not begun yet */

/* True if neither this thread nor a thread that it synchronised with on this node has unpublished
 * stores. Does not block. ASSUMPTION: a full fence since the caller's last store
 * [interval.unpublished-test]. */
static inline bool interval_spotless(void)
{
    if (engine.alone || atomic_load(&interval_unread)) /* [interval.no-readers] */
        return true;
    if (atomic_load(&interval_closing) || dirty_any()) /* [interval.unpublished-test] */
        return false;
    PROBE(clean_looked);
    return !atomic_load(&interval_closing); /* [interval.unpublished-test] */
}

/* Number of the flush that publishes those stores, 0 if there are none. Does not block. ASSUMPTION:
 * as above [interval.unpublished-test]. */
static inline uint64_t interval_mark(void)
{
    return interval_spotless() ? 0 : interval_next();
}
/* True if they are published, and the pages that have got readers as well [unshared.new-readers]: a
 * vector time may leave this node. If false, it is true after interval_publish, which always begins
 * a flush. */
bool interval_published(uint64_t mark);
void interval_publish(void); /* waits, as an urgent interval_close */

/* Acquire: makes everything visible that the vector time covers. Waits for notices that are still
 * under way and for pages that are BUSY. `occasion`: the lock, or one of these. Acquires of the
 * same occasion are expected to need the same pages (renew.h). */
enum {
    OCCASION_MEETING = UINT32_MAX,
    OCCASION_SIGNAL = UINT32_MAX - 1,
    OCCASION_ORDER = UINT32_MAX - 2
};
void interval_acquire(const uint64_t *vt, uint32_t occasion);
/* Set between the calling thread's flush and its next acquire if it stores nothing in between. If
 * it is the only thread, the acquire then skips a flush (races.h). */
void interval_unstored(bool yes);

void interval_vt(uint64_t *vt); /* a copy of this node's vector time, for a barrier. Spins */
/* The same for a grant or a signal [interval.quiet-diffs]. Spins. */
void interval_hand_on(uint64_t *vt);
/* Raises each component of `time` to that of `other` if it is larger. */
static inline void interval_vt_raise(uint64_t *time, const uint64_t *other)
{
    for (int w = 0; w < engine.nodes; w++)
        if (time[w] < other[w])
            time[w] = other[w];
}

/* Called when a barrier completes: each home has applied the diffs that woke no thread, so their
 * pending wake-ups are cleared [interval.quiet-diffs]. */
void interval_met(void);

#endif
