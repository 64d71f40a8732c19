/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * copies.h - the memory of copies: pages whose home is another node, kept here after a fetch.
 *
 * A copy uses memory until it is evicted. If --cache-size, or the memory left to the machine and
 * its control groups, does not allow more, the least recently used copies are evicted. Only a
 * fault shows that a copy is used. So there are two FIFO queues. Copies of the old one are closed,
 * and a fault on one of them, which costs no fetch, makes it active again (Turner and Levy:
 * Segmented FIFO Page Replacement, 1981).
 *
 *                                               fault
 *                +--------------------------------------------------------------+
 *       fetch    v        more than 3/4 of all        still closed at its end   |
 *    --------> ACTIVE ----------------------------> OLD -----------------> evicted: STALE
 *              open or closed      closed
 *
 * Invariants
 *   - A page that was fetched, or whose home has migrated to another node, is in one queue, once,
 *     until it is evicted or found there to be no copy (struct page `copy`).
 *   [copies.evict-clean] A copy is evicted only if it is clean and no thread works on it. It is
 *       closed and BUSY while its memory is freed, and STALE from then on. So it is as after an
 *       invalidation: the next access fetches it, and this node's knowledge of its versions stays.
 *       A home page is never evicted.
 *   [copies.flush-early] Dirty copies cannot be evicted. If there are too many, this node flushes
 *       at once, as it may at any time, and retains no page writable [page.retained-twin]. The
 *       homes are woken to apply its diffs, since a fetch of an evicted copy needs them
 *       [interval.quiet-diffs].
 *   - Copies are evicted when threads fault, or perform atomic operations (page_word.h). So while
 *     there are too many, no revoked copy is updated instead (renew.h): a node whose copies all
 *     stayed open would keep them for ever.
 *   - A copy counts in the control group of the node that has it, also where its home writes it:
 *     the node allocates its memory if a group limits it, or if copies may have to be evicted.
 */
#ifndef HLRC_COPIES_H
#define HLRC_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

#define COPIES_LEAST 16u /* fewest pages that --cache-size allows */

int copies_init(void);
void copies_end(void);

/* Sets the function that flushes [copies.flush-early]; it may wait. */
void copies_on_crowd(void (*close)(void));

/* Adds a page that has memory here and its home elsewhere. ASSUMPTION: locked. */
void copies_add(uint32_t page, struct page *p);

/* Evicts excess copies; after a thread's fault, and during runs. Waits where [copies.flush-early]
 * says so. ASSUMPTION: the caller has no page BUSY or locked. */
void copies_trim(void);

/* Whether [copies.flush-early] is in progress: no page is retained writable. */
bool copies_crowded(void);

/* Whether there are more copies than allowed: unused ones have to be found. */
bool copies_over(void);

/* Whether copies may have to be evicted: --cache-size is set, or a given --memory is larger than
 * what was left at the start, or half of that has been used since. */
bool copies_may_go(void);

/* How many pages a hint may fetch together. */
uint32_t copies_room(void);

#endif
