/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_move.h - home migration to the node that writes: the steps for one page. The round that all
 * nodes make together is sync/homes.h.
 *
 * hlrc/policy/policy_migrate.h decides which pages migrate. A home that reads what another node
 * writes is best off as it is: the diffs bring what it reads, while a fetch brings the whole page.
 * So a page is first watched: the home removes its own threads' access, which costs them at most
 * one fault. Pages placed by hlrc_place stay there.
 */
#ifndef HLRC_PAGE_MOVE_H
#define HLRC_PAGE_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

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

/* Watches the former; stores the latter, at most POLICY_MIGRATE_ROUND, in `out` and returns
 * their number. Spins. */
uint32_t page_move_take(struct policy_migrate_move *out);

/* The steps of a round, for each page of it, in this order; all but the last wait. */
void page_move_hold(uint32_t page);    /* no new access; no flush retains it writable */
bool page_move_settled(uint32_t page); /* neither busy nor dirty; waits for BUSY */
/* At the new home: completes the page, up to this vector time, which covers what any node has
 * written to it. */
void page_move_bring(uint32_t page, const uint64_t *time);
void page_move_switch(uint32_t page, int to);
void page_move_release(uint32_t page);

#endif
