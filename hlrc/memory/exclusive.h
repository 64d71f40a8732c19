/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exclusive.h - home pages of which no other node has a copy: written without a fault, a twin or a
 * notice.
 *
 * A node makes itself known at the home of a page before it reads the page there for the first
 * time: it sets the page's word `has_readers`, then raises the home's word `arrivals`, which covers
 * all pages. So the home need not look at each page when it closes an interval, but at one word.
 * (Such pages are said to be in exclusive mode in Cashmere-2L, Stets et al. 1997, which asks a
 * directory.) A page has readers until it is given back (page_reset).
 *
 * A page does not leave tracking when it is announced first, but when it is written again: what is
 * written once, to be read by all, is announced once.
 *
 * Invariants
 *   EP1  (4) A page is read from its home only after the reader's mark is there, in this order: the
 *        page's word, `arrivals`, the read. ASYNC's home writes both words itself, before it sends
 *        the page.
 *   EP2  (4) A home page becomes EXCLUSIVE only when this node has announced an interval with it,
 *        and `has_readers` is 0 behind its entry in the list: of a reader who comes then, a closing
 *        that sees it arrive sees the entry. Copies that no reader's mark tells of, those of
 *        untouched pages, are revoked by that interval's notice.
 *   EP3  (1) A closing looks at `arrivals` before it takes the dirty list, and behind everything
 *        that was written before it was asked for. If the word has risen, each EXCLUSIVE page that
 *        has readers by now is put on the dirty list: it is announced by this interval, written or
 *        not, and tracked from then on. Who grants a lock looks, too (interval_published).
 *   EP4  What was seen of `arrivals` is noted by closings alone, before they look at pages, and
 *        with interval_closing set: who finds nothing new afterwards looks at the dirty list and at
 *        interval_closing behind it (interval.c interval_clean), or whether the closing under way
 *        has noted anything (interval_published).
 *   EP5  Pages that are about to be reset do not become dirty by a look (page_hold_looks) from
 *        before the barrier after which they are reset, lest a notice of them comes behind it; but
 *        not before a closing behind this node's last write to them, since other nodes read them
 *        until they come to that barrier. The arrival there waits for a closing of another thread
 *        that has looked before. Who reads one for the first time behind that closing reads what is
 *        there in the end. A reset forgets their readers. It forgets no entry of the list, so that
 *        none is there twice. Looks see the pages again from the reset on, which is
 *        before the barrier behind it: who is through that may have them, and give them to a thread
 *        of a node whose freeing thread has not come out of the barrier yet.
 *   EP6  A page that a look puts on the dirty list is sealed by that closing: when it was written
 *        last nobody knows. Kept with a twin it would be announced by each closing that finds it
 *        unchanged (P9), and readers would fetch it anew each time. A fault shows when it is
 *        written again.
 *
 *              written in an interval after that one, no readers             a reader came
 *   announced ---------------------------------------------------> EXCLUSIVE ---------------> DIRTY
 */
#ifndef HLRC_EXCLUSIVE_H
#define HLRC_EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

int exclusive_init(void); /* 0 or -ENOMEM; room for every page of the space */
void exclusive_end(void);

/* If this is a home page that has been announced and of which no other node has a copy, it is not
 * tracked from now on (EP2). Spins. ASSUMPTION: locked, complete here, no longer BUSY; DIRTY with
 * all changes captured, or clean. */
bool exclusive_begin(uint32_t page, struct page *p);

/* A home page is tracked from now on. Spins. ASSUMPTION: locked. */
void exclusive_end_of(uint32_t page, struct page *p);

/* At the home: no other node has read the page before this look. A fence and a load. */
bool exclusive_unread(uint32_t page);

/* Whether readers have come that no closing has seen (EP3). A fence and a load. */
bool exclusive_arrivals(void);

/* EP3. Whether readers had come. Spins. ASSUMPTION: the caller closes an interval. */
bool exclusive_look(void);

/* ASYNC's home: some node will have a copy of this page (EP1). */
void exclusive_reader(uint32_t page);

#endif
