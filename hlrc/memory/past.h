/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * past.h - access history: pages that faulted together twice are opened together. If a thread
 * faults on a page that was opened, the last two times, between the same releases or acquires as
 * nearby pages, these are opened too.
 *
 * It finds what streams of faults (ahead.h) miss: rows far apart, in any order, as in a program
 * that alternates between rows and columns; and scattered stores, as in a sort. A page's turns are
 * the times of its last two openings, for loads and for stores separately. The pages of a block of
 * POLICY_HISTORY_BLOCK with the same turns are a group.
 *
 * Invariants
 *   - Opening a group is a hint, as all readahead.
 *   - Each time other pages are left out of a group, one in POLICY_HISTORY_LEFT_OUT. Left-out pages
 *     that are used fault and rejoin the group. Unused ones drop out; pages opened ahead of need
 *     would never show that.
 */
#ifndef HLRC_PAST_H
#define HLRC_PAST_H

#include <stdbool.h>
#include <stdint.h>

int past_init(void); /* 0 or -ENOMEM */
void past_end(void);

/* A flush or an acquire. By any thread. */
void past_turn(void);

/* A fault on this page, which is open now: opens its group. Spins. */
void past_fault(uint32_t page, bool write);
/* A page that a strided stream has reached or opened. Pages of streams from page to page belong to
 * no group: another such walk may have another range. */
void past_opened(uint32_t page, bool write);

#endif
