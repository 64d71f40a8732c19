/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * renew.h - competitive update (renew_*): the acquire updates a copy instead of closing it.
 *
 * A copy that is fetched again after each invalidation is not worth closing: a fault and two
 * changes of protection cost four times the fetch. So it stays open, and the acquire fetches it,
 * together with all others like it, before it ends. But then no fault shows whether the copy is
 * used. So each copy has a budget of updates in a row. When it is used up, the copy is closed. If
 * a thread accesses it soon, the budget is doubled, up to --renew; otherwise it is 0. This is the
 * competitive update of Karlin, Manasse, Rudolph and Sleator (Competitive Snoopy Caching, 1988),
 * for the hybrid of update and invalidation of Dwarkadas, Keleher, Cox and Zwaenepoel (Evaluation
 * of Release Consistent Software Distributed Shared Memory on Emerging Network Technology, 1993).
 *
 *              notice, budget left                       fetched
 *     open ---------------------------> STALE and open -----------> open
 *      ^  |    notice, none left                  | late, refused, or its home migrates
 *      |  +---------------------> STALE, closed <-+
 *      +-------------------------------+
 *           fault: the copy is used
 *
 * Invariants
 *   [update.pending] A copy that is STALE and open is `pending`: the acquire in progress fetches or
 *       closes it before its vector time counts [interval.pages-first]. Until then it keeps its old
 *       contents.
 *   [update.own-stores] Threads may store to an open page during the update, and their stores stay:
 *       only bytes that differ between the twin and the fetched page are written, with the fetched
 *       value.
 *       - A fetch for an open page goes to a bounce page first, and to the page once its versions
 *         cover the needed ones: no thread sees its own stores undone.
 *   - An acquire waits for an update at most POLICY_UPDATE_WAIT_NS, and not at all after a late
 *     one. A late copy is closed; a thread that needs it waits for the fetch in flight. So does a
 *     release if the copy is dirty: dirty copies are updated only where no remote CPU takes part.
 *   - Where an acquire reads its notices, and pages, it fetches in the same round trip the pages
 *     that acquires of the same occasion have updated before, with all their versions. They are
 *     STALE and pending before a notice names them. Their needed versions are compared after all
 *     notices have been applied [page.needed-versions]. A page that no notice named twice in a row
 *     is expected no more.
 */
#ifndef HLRC_RENEW_H
#define HLRC_RENEW_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

int renew_init(void);
void renew_end(void);

/* The acquire in progress revokes a page: returns whether it stays open, pending. By the acquiring
 * thread. ASSUMPTION: locked. */
bool renew_instead(uint32_t page, struct page *p);

/* Starts fetches of the pages that this acquire is expected to update; `occasion` as in interval.h.
 * By the acquiring thread, once it may read what it acquires, before it takes any notice. Does not
 * wait. */
void renew_expected(uint32_t occasion);

/* Updates or closes all pending pages [update.pending], and begins the next acquire. Waits. */
void renew_all(void);

#endif
