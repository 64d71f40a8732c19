/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exclusive.h - unshared (EXCLUSIVE) home pages: no other node has a copy, so they are written
 * without a fault, a twin or a notice.
 *
 * A node registers at the home of a page before it reads the page there for the first time. It
 * sets the page's word `has_readers`, then raises the home's word `arrivals`, which covers all
 * pages. So a flush at the home checks one word instead of every page. (Cashmere-2L, Stets et al.
 * 1997, calls this exclusive mode and asks a directory.) A page has readers until it is freed
 * (page_reset).
 *
 * Tracking of a page does not end when it is first announced, but when it is written again: a page
 * that is written once, to be read by all, is announced once.
 *
 * Invariants
 *   [unshared.reader-mark] (4) A page is read from its home only after the reader's mark has
 *       arrived, in this order: the page's word, `arrivals`, the read. ASYNC's home writes both
 *       words itself, before it sends the page.
 *   [unshared.announced-first] (4) A home page becomes EXCLUSIVE only after this node has announced
 *       an interval with it, and only if `has_readers` is 0 after the page was put on the list.
 *       Then a flush that sees a later reader arrive also sees the entry. Copies without a reader's
 *       mark, of untouched pages, are revoked by that interval's notice.
 *   [unshared.new-readers] (1) A flush reads `arrivals` before it takes the dirty list, and after
 *       all stores that preceded its request. If the word has risen, each EXCLUSIVE page that has
 *       readers now is put on the dirty list. This interval announces it, written or not, and it is
 *       tracked from then on. A thread that grants a lock reads `arrivals` too
 *       (interval_published).
 *       - Only flushes record the value seen of `arrivals`, before they check pages and with
 *         interval_closing set. A thread that finds nothing new afterwards reads the dirty list,
 *         then interval_closing (interval.c interval_clean), or checks whether the flush in
 *         progress has recorded anything (interval_published).
 *       - A flush write-protects a page that this check put on the dirty list, since the time of
 *         its last write is unknown. Retained with a twin, it would be announced by each flush that
 *         finds it unchanged [page.equal-twin], and readers would fetch it each time. A fault shows
 *         when it is written again.
 *   [unshared.reset] Pages that are about to be reset are excluded from the check of readers
 *       (page_hold_looks). This begins before the barrier that precedes the reset; otherwise a
 *       notice of them could follow it. It begins after a flush that follows this node's last write
 *       to them, since other nodes read them until they enter that barrier. The arrival at the
 *       barrier waits for a flush of another thread that has checked before. A node that reads such
 *       a page for the first time after that flush reads its final contents. A reset clears the
 *       readers, but no entry of the list, so that no page is listed twice. The check covers the
 *       pages again from the reset on, before the second barrier. A thread that has left this
 *       barrier may get the pages and pass them to a thread of a node whose freeing thread is still
 *       in the barrier.
 *
 *   [unshared.ended] When the program has ended (only_node.h), a flush makes home pages without
 *       readers EXCLUSIVE, announced or not, and announces none of them: what other nodes still
 *       read is this library's, and has readers or was announced.
 *
 *              written in an interval after that one, no readers            a reader came
 *   announced --------------------------------------------------> EXCLUSIVE ---------------> DIRTY
 */
#ifndef HLRC_EXCLUSIVE_H
#define HLRC_EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

int exclusive_init(void); /* 0 or -ENOMEM; room for every page of the space */
void exclusive_end(void);

/* Stops tracking a home page that has been announced and of which no other node has a copy
 * [unshared.announced-first]; returns whether it did. Spins. ASSUMPTION: locked, complete here, no
 * longer BUSY; DIRTY with all changes captured, or clean. */
bool exclusive_begin(uint32_t page, struct page *p);

/* Tracks a home page from now on. Spins. ASSUMPTION: locked. */
void exclusive_end_of(uint32_t page, struct page *p);

/* At the home: whether no other node has read the page so far. A fence and a load. */
bool exclusive_unread(uint32_t page);

/* Whether only this node runs the program (only_node.h). */
bool exclusive_only_node(void);

/* Whether, in addition, this home page is as memory of one process: no other node has read it. A
 * fence and a load. ASSUMPTION: locked. */
bool exclusive_sole(uint32_t page, const struct page *p);

/* Whether the program has ended [unshared.ended]. */
bool exclusive_has_ended(void);

/* Whether readers have registered that no flush has seen [unshared.new-readers]. A fence and a
 * load. */
bool exclusive_arrivals(void);

/* [unshared.new-readers]. Returns whether new readers had registered. Spins. ASSUMPTION: the caller
 * is flushing. */
bool exclusive_look(void);

/* ASYNC's home: registers a reader of this page [unshared.reader-mark]. */
void exclusive_reader(uint32_t page);

#endif
