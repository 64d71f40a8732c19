/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_runs.h - free pages, and the size classes of blocks: the heap's arithmetic, over plain
 * memory.
 *
 * Nothing here waits, locks or allocates. The list lies in shared memory and is used under the
 * heap's lock. It touches as little of the list as possible: a search ends at the first fit, a
 * change moves only what follows it.
 *
 * Invariants of a list of runs
 *   - Records are sorted by start, do not overlap and are not empty.
 *   - Neighbours that touch differ in `clean`. So there are never more records than pages.
 *   - The pages of a clean record are zero on every node: no node has touched them since the start
 *     or since a reset. So they have no home, unless a thread that filled the neighbouring pages
 *     claimed them ahead [readahead.dense-claims].
 */
#ifndef HLRC_HEAP_RUNS_H
#define HLRC_HEAP_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- runs of free pages ---- */

struct heap_runs_run {
    uint32_t start, count; /* pages */
    uint32_t clean;        /* 0 or 1 */
};

struct heap_runs {
    uint32_t used;
    struct heap_runs_run run[];
};

struct heap_runs_taken {
    uint32_t start;
    /* the smallest range that contains all its pages that are not clean */
    uint32_t dirty_start, dirty_count;
};

void heap_runs_init(struct heap_runs *r, uint32_t start, uint32_t count);

/* First fit: the lowest `count` free pages such that start + skew is a multiple of align (a power
 * of two, in pages); they may span several records. False, without a change, if there are none. */
bool heap_runs_take(struct heap_runs *r, uint32_t count, uint64_t align, uint64_t skew,
                    struct heap_runs_taken *out);

/* False, without a change, if a page of the range is free already. */
bool heap_runs_give(struct heap_runs *r, uint32_t start, uint32_t count, bool clean);

uint32_t heap_runs_total(const struct heap_runs *r);
/* longest range of free pages, over adjacent records */
uint32_t heap_runs_largest(const struct heap_runs *r);

/* ---- size classes ---- */

/* Multiples of 16 up to 128, then eight steps to each doubling: at most a ninth of a block is
 * wasted. */
#define HEAP_CLASSES   72
#define HEAP_SMALL_MAX 32768u
#define HEAP_GRAIN     16u /* smallest block; every block is a multiple of it */

static inline uint32_t heap_runs_class_size(int class)
{
    if (class < 8)
        return HEAP_GRAIN * ((uint32_t) class + 1);
    uint32_t doubling = ((uint32_t) class - 8) / 8, step = ((uint32_t) class - 8) % 8 + 1;
    return (128u << doubling) + step * (16u << doubling);
}

/* The smallest class of at least `size` bytes, which are at most HEAP_SMALL_MAX. */
static inline int heap_runs_class_of(uint32_t size)
{
    if (size <= 128)
        return (int)((size - 1) / HEAP_GRAIN);
    int log = 31 - __builtin_clz(size - 1);         /* size is in (2^log, 2^(log+1)] */
    uint32_t step = ((size - 1) >> (log - 3)) & 7u; /* its eighth of that range */
    return 8 + (log - 7) * 8 + (int)step;
}

/* The smallest class for `size` bytes whose blocks, laid end to end from a page boundary, are all
 * aligned; -1: none. ASSUMPTION: size > 0, align is a power of two. */
int heap_runs_class_for(size_t size, size_t align);

#endif
