/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * races.h - with --check races: detects unordered accesses of two nodes to the same byte, at least
 * one of them a write.
 *
 *   writer: flush            page's home                                 race thread
 *   diff, vector time -----> compared with the last writers per byte --> races_take, report
 *
 *   - An interval follows another node's interval if the vector time of its node, when the page had
 *     been compared with its twin, covers the other's number. It includes all that a thread learnt
 *     before it stored, so a program without races has no report.
 *   [races.last-writers] For each byte of a page the home knows which interval of each node wrote
 *       it last. It drops that once another interval that is ordered after it, or was reported, has
 *       written the byte. A diff arrives before its interval is published and is compared before it
 *       is applied. So all writes that precede a diff have been compared when it arrives
 *       (first_write.h for the home's own). Stores of the home that are not flushed yet are
 *       compared before a diff overwrites them. If a write races with an earlier write than the
 *       last, it races with the last too, or that race was reported (Flanagan and Freund,
 *       FastTrack, 2009). Reads are compared with the last writes when they arrive, and kept for
 *       comparison with later writes. A node's later reads of the same bytes replace them. Stores
 *       that are compared before they are flushed get the number of the flush that was next when
 *       the comparison began: a flush that ends during it may have captured them.
 *   - An acquire flushes what the node has written before its vector time rises. An unlock passes
 *     on the vector time of its moment (--locks mcs). So no store before the acquire or after the
 *     unlock counts as ordered by it.
 *   - A race is reported once for each page and pair of nodes, and counted.
 *   - A record is dropped once all diffs that may still arrive are ordered after it. Records are
 *     dropped at the next comparison of the page if all nodes have met in two barriers since,
 *     because diffs sent before have arrived by then. In a page with RECORDS_OF_PAGE records,
 *     records are also dropped by the last vector times of the other nodes. If that drops too few,
 *     the two oldest records of one node are merged under the older number. This may miss a race,
 *     but adds no report.
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
    struct first_write first; /* of the page in that interval */
};

struct races_race {
    uint32_t page, byte, bytes; /* the first run of bytes that both accessed */
    struct races_side earlier, later;
};

int races_init(void); /* 0 or -ENOMEM */
void races_end(void);

/* At the home: `writer` changed the bytes of `mask` (diff.h diff_scan) in its interval, at its
 * vector time `time`. Spins. */
void races_note(uint32_t page, int writer, uint64_t interval, const uint64_t *time,
                struct first_write first, const uint64_t *mask);

/* The same for this node's stores to a page whose home is here. `interval`: the one that will
 * contain them, or an earlier one. */
void races_note_own(uint32_t page, uint64_t interval, const uint64_t *time, const uint64_t *mask);

/* The same for reads (reads.h). */
void races_note_reads(int reader, uint64_t interval, const uint64_t *time,
                      const struct reads_set *set);
/* the code address is of this process */
void races_note_own_reads(uint64_t interval, const uint64_t *time, const struct reads_set *set);

/* The vector time of the diffs of `writer`; the vector time that this node sent to `home` last. */
uint64_t *races_time_of(int writer);
uint64_t *races_time_sent(int home);

/* All nodes have met in a barrier and know of what `time` covers. */
void races_met(const uint64_t *time);

/* Translates a code address of this process to a form that other nodes can look up, before a note
 * is sent. Set before the first flush. */
extern uint64_t (*races_code)(uint64_t code);

uint64_t races_found(void); /* by this node so far */

/* Waits for a race that was not taken yet. False: races_stop was called and no race is left. For
 * one thread. */
bool races_take(struct races_race *out);
void races_stop(void);

#endif
