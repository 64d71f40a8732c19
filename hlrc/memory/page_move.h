/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_move.h - homes that move to the node that writes: what one page does; the round that all
 * nodes make together is sync/homes.h.
 *
 * A home adds up what the diffs of one writer have cost, as long as none of its own or another's
 * come between them. When that is half of what a move costs it watches the page: takes its own
 * threads' access away, which costs them one fault at most. For a home that reads what another
 * node writes is best off as it is: the diffs bring it what it reads, and a page is fetched
 * whole. When as much again has been spent, and no fault was seen, the writer should be the home:
 * so a move costs about what the program had paid before (ski rental: Karlin, Manasse, Rudolph and
 * Sleator, 1988). What hlrc_place put somewhere stays there.
 *
 * Few pages are watched at once at first, or a share of them where they are many; more where that
 * led to moves, fewer where it led to faults.
 */
#ifndef HLRC_PAGE_MOVE_H
#define HLRC_PAGE_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

#define WATCH_AFTER 34u   /* units of cost; twice as many for each try */
#define TRIES_MOST  3u    /* of one page, until it is given back */
#define MOVES_ROUND 4096u /* of one home in one round */
#define BATCH_LEAST 64u   /* pages that are watched at once */
#define BATCH_GROWS 16u
#define TOLD_AFTER  8u  /* units of cost */
#define TOLD_RING   64u /* words of one writer at one home */
#define WATCH_SHARE 2u  /* of those that could be, one in so many is at least */

struct move {
    uint32_t page;
    uint32_t to;
};

/* At the home: a diff of this node was applied, of so many bytes, or the home wrote the page
 * itself. ASSUMPTION: locked. */
void page_move_note(uint32_t page, struct page *p, int writer, uint32_t bytes);

/* The same where the home does not see its diffs (--diffs write): the writer adds up, and tells the
 * home now and then by a word in its control window, one of a ring for each writer; what is not
 * read in time is lost. By closings; page_move_listen at the home. Spins. */
void page_move_tell(int home, uint32_t page, uint32_t bytes);
void page_move_listen(void);

/* A thread of this node needs the page. ASSUMPTION: locked. */
void page_move_used(struct page *p);

/* Pages there are, of this home, to be watched or moved. */
bool page_move_wanted(void);

/* Watches the former; the latter, at most MOVES_ROUND, into `out`: how many. Spins. */
uint32_t page_move_take(struct move *out);

/* The steps of a round, for each page of it, in this order; all but the last wait. */
void page_move_hold(uint32_t page); /* no thread gets new access; no closing leaves it writable */
bool page_move_settled(uint32_t page); /* nobody works on it, and it is not dirty; waits for BUSY */
/* At the new home: complete, up to this vector time, which covers what any node has written to it.
 */
void page_move_bring(uint32_t page, const uint64_t *time);
void page_move_switch(uint32_t page, int to);
void page_move_release(uint32_t page);

#endif
