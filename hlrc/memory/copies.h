/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * copies.h - the memory of copies: pages whose home is another node, kept here since they were
 * fetched.
 *
 * A copy costs memory until it is given back. Where --cache-size, or what is left of the machine
 * and its control groups, does not allow for more, those that have not been used for longest go.
 * What is used cannot be seen, but for a fault, so they are kept in two queues, each first in,
 * first out: the old ones are closed, and a fault on one of them, which costs no fetch, makes it a
 * new one (Turner and Levy: Segmented FIFO Page Replacement, 1981).
 *
 *                                               fault
 *                +--------------------------------------------------------------+
 *       fetch    v        more than 3/4 of all        still closed at its end   |
 *    --------> ACTIVE ----------------------------> OLD -----------------> given back: STALE
 *              open or closed      closed
 *
 * Invariants
 *   CP1  A page that was fetched, or has lost its home to another node, is in one queue, once,
 *        until it is given back or is found there to be none (struct page `copy`).
 *   CP2  A copy that is given back is clean, and nobody works on it: it is closed and BUSY while
 *        its memory goes, and STALE from then on. So it is as after an invalidation: who needs it
 *        fetches it, and what this node knows of its versions stays. A home page never goes.
 *   CP3  What is dirty cannot go. Where too much is, this node closes an interval at once, as it
 *        may at any time, and keeps no page writable in it (page.h P8). The homes are woken to
 *        apply its diffs: a fetch of a copy that goes needs them (interval.h I7).
 *   CP4  Copies go when threads fault, or operate on words (page_word.h). So while there are too
 *        many, none that is revoked is renewed instead (renew.h): a node whose copies all stayed
 *        open would keep them for ever.
 *   CP5  A copy is in the control group of the node that has it, also where its home writes it: the
 *        node makes its memory where a group bounds it, or copies may have to go.
 */
#ifndef HLRC_COPIES_H
#define HLRC_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

#define COPIES_LEAST 16u /* pages that --cache-size allows for at least */

int copies_init(void);
void copies_end(void);

/* Who closes an interval (CP3); it may wait. */
void copies_on_crowd(void (*close)(void));

/* The page has memory here, and its home is not. ASSUMPTION: locked (CP1). */
void copies_add(uint32_t page, struct page *p);

/* Gives back what is too much; after a thread's fault, and amid runs. Waits where CP3 says so.
 * ASSUMPTION: the caller has no page BUSY or locked. */
void copies_trim(void);

/* Whether CP3 is at work: no page stays writable. */
bool copies_crowded(void);

/* Whether there are more than there may be: those that are not used have to be found (CP4). */
bool copies_over(void);

/* Whether copies may have to be given back: --cache-size says so, or a given --memory is larger
 * than what was left at the start, or half of that has been used since. */
bool copies_may_go(void);

/* How many pages a hint may fetch together. */
uint32_t copies_room(void);

#endif
