/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_notices.h - write notices that are read from their writer: what has a record in the
 * writer's ring, and how much a reader reads at once. Mechanism and rules:
 * [notices-read.record-first], [notices-read.oldest], [notices-log.never-late]. Sizes are in words
 * of 8 bytes, tables in pages.
 */
#ifndef HLRC_POLICY_NOTICES_H
#define HLRC_POLICY_NOTICES_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_NOTICES_RING  4096u
#define POLICY_NOTICES_MOST  (POLICY_NOTICES_RING / 2) /* of one record [notices-read.oldest] */
#define POLICY_NOTICES_FIRST 32u                       /* first read of a ring */
#define POLICY_NOTICES_CHUNK 512u                      /* later reads, of a ring or a table */
#define POLICY_NOTICES_BLOCK 64u                       /* pages that share an entry */

static inline uint32_t policy_notices_runs(const uint32_t *pages, uint32_t count)
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < count; i++)
        runs += i == 0 || pages[i] != pages[i - 1] + 1;
    return runs;
}

/* [notices-read.oldest]. A record is a word, and one more for each run. */
static inline bool policy_notices_recorded(uint32_t runs)
{
    return runs + 1 <= POLICY_NOTICES_MOST;
}

/* How much to read of a ring from this slot on; `again`: after a read that did not suffice. */
static inline uint32_t policy_notices_words(uint32_t slot, bool again)
{
    uint32_t words = again ? POLICY_NOTICES_CHUNK : POLICY_NOTICES_FIRST,
             to_end = POLICY_NOTICES_RING - slot;
    return words < to_end ? words : to_end;
}

#endif
