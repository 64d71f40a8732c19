/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_readahead.h - readahead: which pages a fault opens in addition to its own.
 *
 * base/streams.h detects the streams in a thread's faults, and how many steps of a stream to open.
 * Here these steps become pages of the space. Mechanism and rules: [readahead.twin],
 * [readahead.dense-claims], [readahead.first-blocks]. Steps and strides are in pages.
 */
#ifndef HLRC_POLICY_READAHEAD_H
#define HLRC_POLICY_READAHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/streams.h"

static inline bool policy_readahead_adjacent(int32_t stride)
{
    return stride == 1 || stride == -1;
}

/* How many of these steps stay within a space of `pages` pages. */
static inline uint32_t policy_readahead_within(uint32_t pages, uint32_t page, uint32_t steps,
                                               int32_t stride)
{
    uint32_t room = stride > 0 ? (pages - 1 - page) / (uint32_t)stride : page / (uint32_t)-stride;
    return steps < room ? steps : room;
}

/* Consecutive pages to open. */
struct policy_readahead_run {
    uint32_t first, count;
    /* of them, from `first` on, to become home of, if they have none [readahead.dense-claims] */
    uint32_t claims;
};

/* The run of a stream of adjacent pages. `fresh`: it stores to pages homed here, and the next page
 * has no home. */
static inline struct policy_readahead_run policy_readahead_run(struct streams_table *s,
                                                               uint32_t page, uint32_t steps,
                                                               int32_t stride, bool fresh)
{
    uint32_t claims =
        fresh ? streams_ahead_claims(s, page, steps) : 0; /* [readahead.dense-claims] */
    uint32_t count = claims ? claims : steps;
    return (struct policy_readahead_run){ stride > 0 ? page + 1 : page - count, count, claims };
}

#define AHEAD_BLOCK      16u
#define AHEAD_BLOCK_MOST 512u

/* The block to become home of with a page that only this node writes [readahead.first-blocks]. */
static inline struct policy_readahead_run policy_readahead_block(uint32_t page, uint32_t pages,
                                                                 bool (*is_home)(uint32_t page))
{
    uint32_t size = AHEAD_BLOCK, first = page & -size, next = first + size;
    while (size < AHEAD_BLOCK_MOST &&
           ((first > 0 && is_home(first - 1)) || (next < pages && is_home(next)))) {
        size *= 2;
        first = page & -size;
        next = first + size;
    }
    uint32_t count = next < pages ? size : pages - first;
    return (struct policy_readahead_run){ first, count, count };
}

#endif
