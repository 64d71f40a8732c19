/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * past.h - faults that have twice come together come together again: where a thread faults on a
 * page that was opened, the last two times, between the same releases or acquires as pages near it,
 * these are opened too.
 *
 * It finds what streams of faults (ahead.h) do not: rows far apart, in whatever order, as a program
 * that changes between rows and columns has them, and stores here and there, as one that sorts. A
 * page's turns are when it was last opened and when before, for loads and for stores apart; the
 * pages of a block of PAST_BLOCK that have the same ones are a group.
 *
 * Invariants
 *   PG1  Opening a group is a hint, as AH1.
 *   PG2  Each time other pages are left out of a group, one in PAST_LEFT_OUT. Those that are used
 *        fault and are of the group again; those that are not have dropped out of it, as what has
 *        been opened ahead of need would never show.
 */
#ifndef HLRC_PAST_H
#define HLRC_PAST_H

#include <stdbool.h>
#include <stdint.h>

#define PAST_BLOCK    64u /* pages */
#define PAST_LEFT_OUT 32u

int past_init(void); /* 0 or -ENOMEM */
void past_end(void);

/* A closing or an acquire. By any thread. */
void past_turn(void);

/* A fault on this page, which is open now: opens its group. Spins. */
void past_fault(uint32_t page, bool write);
/* A page that a stream has come to in strides, or has opened. Those of streams from page to page
 * are none of a group: another walk of the kind may have another range. */
void past_opened(uint32_t page, bool write);

#endif
