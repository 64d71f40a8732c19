/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cache of an adapter's atomic unit: lines of one word each, in sets of `ways` lines. The set
 * is the word's number modulo the number of sets. The cache is write-through, so a line that is
 * not in use may be evicted at any time.
 *
 *   - A line is in use while a read of the host's memory is in progress for it, while operations
 *     that found it are not done, and while the newest value is in the register file. A line in use
 *     is not evicted. If all lines of a set are in use, placement fails.
 *   - An address has one line at most, in its set.
 *   - The evicted line is the one found or placed longest ago; empty lines are taken first.
 */
#ifndef SIM_NIC_CACHE_H
#define SIM_NIC_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nic_cache_line {
    uint64_t address;
    uint64_t used;   /* counter value when last found or placed; 0: empty */
    unsigned users;  /* operations that found it, and are not done */
    bool waits;      /* for the host's memory */
    bool computes;   /* read by the ALU, and not written back */
    bool registered; /* the newest value is in the register file */
    unsigned kept;   /* consecutive times that it was written there */
};

struct nic_cache {
    unsigned lines, ways;
    uint64_t clock;
    struct nic_cache_line *line;
};

/* ASSUMPTIONS: LINES is a multiple of WAYS, and both are above 0. */
void nic_cache_init(struct nic_cache *cache, unsigned lines, unsigned ways);
void nic_cache_free(struct nic_cache *cache);

/* nic_cache_set - the number of the set of an address */
static inline uint64_t nic_cache_set(const struct nic_cache *cache, uint64_t address)
{
    return address / 8 % (cache->lines / cache->ways);
}

/* nic_cache_find - its line, which becomes the most recently used; NULL if it has none */
struct nic_cache_line *nic_cache_find(struct nic_cache *cache, uint64_t address);

/* nic_cache_place - a line for an address that has none; NULL if its whole set is in use */
struct nic_cache_line *nic_cache_place(struct nic_cache *cache, uint64_t address);

#endif
