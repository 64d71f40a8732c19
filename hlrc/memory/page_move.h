/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_move.h - home migration to the node that writes: the steps for one page. The round that all
 * nodes make together is sync/homes.h.
 *
 * A home adds up the cost of one writer's diffs, as long as no writes by itself or another node
 * come between them. At half the cost of a migration it watches the page: it removes its own
 * threads' access, which costs them at most one fault. A home that reads what another node writes
 * is best off as it is: the diffs bring what it reads, while a fetch brings the whole page. When
 * as much again has been spent without a fault, the writer should be the home. So a migration
 * costs about what the program had paid before (ski rental: Karlin, Manasse, Rudolph and Sleator,
 * 1988). Pages placed by hlrc_place stay there.
 *
 * At first few pages are watched at once, or a share of them if there are many. The number grows
 * if this leads to migrations, and falls if it leads to faults.
 */
#ifndef HLRC_PAGE_MOVE_H
#define HLRC_PAGE_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

#define WATCH_AFTER 34u   /* units of cost; doubled for each try */
#define TRIES_MOST  3u    /* of one page, until it is freed */
#define MOVES_ROUND 4096u /* of one home in one round */
#define BATCH_LEAST 64u   /* fewest pages watched at once */
#define BATCH_GROWS 16u
#define TOLD_AFTER  8u  /* units of cost */
#define TOLD_RING   64u /* words of each writer at one home */
#define WATCH_SHARE 2u  /* at least one in WATCH_SHARE candidates is watched */

struct move {
    uint32_t page;
    uint32_t to;
};

/* At the home: a diff of `writer` with `bytes` bytes was applied, or the home wrote the page
 * itself. ASSUMPTION: locked. */
void page_move_note(uint32_t page, struct page *p, int writer, uint32_t bytes);

/* The same where the home does not see the diffs (--diffs write). The writer adds up their cost,
 * and now and then writes a word to a ring in the home's control window; each writer has a ring.
 * Words that are not read in time are lost. Called by flushes; the home calls page_move_listen.
 * Spins. */
void page_move_tell(int home, uint32_t page, uint32_t bytes);
void page_move_listen(void);

/* A thread of this node needs the page. ASSUMPTION: locked. */
void page_move_used(struct page *p);

/* Whether this home has pages to watch or to migrate. */
bool page_move_wanted(void);

/* Watches the former; stores the latter, at most MOVES_ROUND, in `out` and returns their number.
 * Spins. */
uint32_t page_move_take(struct move *out);

/* The steps of a round, for each page of it, in this order; all but the last wait. */
void page_move_hold(uint32_t page);    /* no new access; no flush retains it writable */
bool page_move_settled(uint32_t page); /* neither busy nor dirty; waits for BUSY */
/* At the new home: completes the page, up to this vector time, which covers what any node has
 * written to it. */
void page_move_bring(uint32_t page, const uint64_t *time);
void page_move_switch(uint32_t page, int to);
void page_move_release(uint32_t page);

#endif
