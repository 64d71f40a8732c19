/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * races.h - with --check races: accesses of two nodes to the same byte, a write among them, that
 * nothing orders.
 *
 *   writer: closing          page's home                               a thread of its own
 *   diff, vector time -----> compared with who wrote each byte last --> races_take: told of
 *
 *   RK1  An interval is ordered behind another node's where the vector time that its node had when
 *        the page had been compared covers the other's number. Whatever a thread has learnt before
 *        it stored is in that, so a program without races has no report.
 *   RK2  For each byte of a page the home knows which interval of each node wrote it last, unless
 *        another that is ordered behind, or was reported, has since. A diff comes there
 *        before its interval is published, and is compared before it is applied; so what a diff is
 *        ordered behind has been compared when it comes (FW2 for the home's own). What the home has
 *        stored and not closed is compared before a diff overwrites it. A write that races with an
 *        earlier one than the last races with the last, or that one has been reported (Flanagan and
 *        Freund, FastTrack, 2009).
 *        What was read is compared with the last writes when it comes, and kept to be compared with
 *        those that come later; a node's own later reads of the same bytes take its place.
 *        Stores that are compared before they are closed get the number of the closing that is next
 *        when the look at them begins: one that ends meanwhile may have had them.
 *   RK3  An acquire closes what the node has written before its vector time rises, and what an
 *        unlock hands on is the vector time of that moment (--locks queue): no store before the one
 *        or behind the other is taken for ordered.
 *   RK4  One report for a page and two nodes; all are counted.
 *   RK5  Records are forgotten behind which all diffs are that may come: when the page is compared
 *        next, where all nodes have met twice behind them, by when diffs of before have come; of a
 *        page with RECORDS_OF_PAGE, by the vector times of other nodes' last ones. If these are
 *        too few, of one node the two that are oldest become one with the older number: what that
 *        misses is a race, and no report is added.
 */
#ifndef HLRC_RACES_H
#define HLRC_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/memory/first_write.h"
#include "hlrc/memory/reads.h"

struct races_side {
    int node;
    bool reads;
    uint64_t interval;
    struct first_write first; /* of its page in that interval */
};

struct race {
    uint32_t page, byte, bytes; /* the first run that both have written */
    struct races_side earlier, later;
};

int races_init(void); /* 0 or -ENOMEM */
void races_end(void);

/* At the home: `writer` has changed the bytes of `mask` (diff.h diff_scan) in its interval, when
 * its vector time was `time`. Spins. */
void races_note(uint32_t page, int writer, uint64_t interval, const uint64_t *time,
                struct first_write first, const uint64_t *mask);

/* The same for what this node has stored to a page whose home is here. `interval`: the one that it
 * will be in, or an earlier one. */
void races_note_own(uint32_t page, uint64_t interval, const uint64_t *time, const uint64_t *mask);

/* The same for what was read (reads.h). */
void races_note_reads(int reader, uint64_t interval, const uint64_t *time,
                      const struct read_set *set);
/* its code is this process's */
void races_note_own_reads(uint64_t interval, const uint64_t *time, const struct read_set *set);

/* The vector time that the diffs of `writer` come with; that `home` was sent before this node's. */
uint64_t *races_time_of(int writer);
uint64_t *races_time_sent(int home);

/* All nodes have come to a meeting, and know of what `time` covers (RK5). */
void races_met(const uint64_t *time);

/* The code of an instruction of this process, as other nodes can look it up; before a note leaves.
 * Set before the first closing. */
extern uint64_t (*races_code)(uint64_t code);

uint64_t races_found(void); /* by this node so far */

/* Waits for a race that was not taken yet; false: races_stop, and none is left. One thread. */
bool races_take(struct race *out);
void races_stop(void);

#endif
