/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_history.h - access history: which pages of a block are opened together with a page that
 * faulted. Mechanism and rules: hlrc/memory/past.h.
 *
 * The turn of a node is the number of its flushes and acquires, modulo 255, plus 1. The turns of a
 * page are those of its last two openings, for loads and for stores separately: the last in the
 * lower byte, the one before in the upper byte; 0: never. Pages of a block with the same turns are
 * a group, opened together.
 */
#ifndef HLRC_POLICY_HISTORY_H
#define HLRC_POLICY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_HISTORY_BLOCK    64u /* pages */
#define POLICY_HISTORY_LEFT_OUT 32u /* one in this many pages of a group */

static inline uint8_t policy_history_turn(uint32_t count)
{
    return (uint8_t)(count % 255 + 1);
}

/* The page is opened now. Returns its new turns. */
static inline uint16_t policy_history_opened(uint16_t turns, uint8_t now)
{
    return (uint8_t)turns == now ? turns : (uint16_t)(turns << 8 | now);
}

/* A fault on a page with these turns: whether it opens the page's group. */
static inline bool policy_history_opens(uint16_t turns, uint8_t now)
{
    return turns >> 8 != 0 && (uint8_t)turns != now;
}

/* The group of pages with the turns `were`, among `count` pages from `first` on, as a bit each.
 * `turns` has theirs. Pages that are left out this time are not in it. */
uint64_t policy_history_group(const uint16_t *turns, uint32_t first, uint32_t count, uint16_t were,
                              uint8_t now);

/* Takes the first run of pages out of a group: `*at` is its first bit. Returns its length; 0: the
 * group is empty. */
uint32_t policy_history_run(uint64_t *group, uint32_t *at);

#endif
