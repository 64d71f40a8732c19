/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * renew.h - copies that are renewed by the acquire that would have closed them.
 *
 * A copy that is fetched again whenever it was closed is not worth closing: a fault and two changes
 * of access cost four times what the fetch does. So it is left open, and the acquire fetches it,
 * together with all others like it, before it ends. But nobody sees then whether it is used. So
 * each copy has a budget of renewals in a row; when that is used up it is closed, and if a thread
 * asks for it soon the budget is doubled, up to --renew, else there is none. That is the
 * competitive update of Karlin, Manasse, Rudolph and Sleator (Competitive Snoopy Caching, 1988),
 * for the hybrid of update and invalidation of Dwarkadas, Keleher, Cox and Zwaenepoel (Evaluation
 * of Release Consistent Software Distributed Shared Memory on Emerging Network Technology, 1993).
 *
 *              notice, budget left                       fetched
 *     open ---------------------------> STALE and open -----------> open
 *      ^  |    notice, none left                  | late, refused, or its home moves
 *      |  +---------------------> STALE, closed <-+
 *      +-------------------------------+
 *           fault: the copy is used
 *
 * Invariants
 *   RN1  A copy that is STALE and open is `pending`: the acquire under way fetches or closes it
 *        before its vector time counts (interval.h I5). Until then it holds what it held before.
 *   RN2  What is fetched for an open page goes to a bounce page first, and to the page when its
 *        versions were found to cover what is needed: no thread sees its own stores undone.
 *   RN3  Threads store to an open page meanwhile, and what they store stays: only bytes that differ
 *        between the twin and what was fetched are written, with what was fetched.
 *   RN4  An acquire waits for a renewal no longer than PATIENCE_NS, and not at all after one that
 *        was late. A copy that is late is closed; who needs it waits for the fetch under way. So
 *        does a release if it is dirty: such copies are renewed where no remote CPU takes part.
 *   RN5  Where an acquire reads its notices, and pages, those that its like has renewed before are
 *        fetched in the same round trip, with all their versions: they are STALE and pending before
 *        a notice says so, and what is needed of them is compared when all notices have been
 *        applied (page.h P4). A page that was expected in vain twice in a row is expected no more.
 */
#ifndef HLRC_RENEW_H
#define HLRC_RENEW_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

int renew_init(void);
void renew_end(void);

/* A page is revoked by the acquire under way: whether it stays open, pending. By the thread that
 * acquires. ASSUMPTION: locked. */
bool renew_instead(uint32_t page, struct page *p);

/* RN5: begins to fetch what this acquire is expected to renew; `occasion` as in interval.h. By the
 * thread that acquires, once it may read what it acquires, before it takes any notice. Does not
 * wait. */
void renew_expected(uint32_t occasion);

/* Renews or closes all that are pending (RN1), and begins the next acquire. Waits (RN4). */
void renew_all(void);

#endif
