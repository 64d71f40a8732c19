/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_arena.h - small blocks of one node: superblocks, and which of their blocks are free.
 *
 * A superblock is a run of pages cut into blocks of one class. Everything here is private memory of
 * the node that owns the superblock, so malloc and free of its own blocks send nothing; blocks
 * themselves are never touched. Not thread-safe: the heap's mutex guards it.
 *
 * A superblock, and who moves it:
 *
 *            arena_take: last free block        last block given back, and not
 *      USABLE -----------------------> FULL      to be kept: ARENA_EMPTIED
 *        ^  ^                            |    USABLE ---------------------------> the caller
 *        |  +----------------------------+            arena_remove gives its pages away
 *     arena_add       arena_give
 *
 * Invariants
 *   HA1  A bit of `map` is 1 when the block is free and its owner knows. A block freed by another
 *        node stays 0 until the owner has collected it.
 *   HA2  Blocks at or behind `fresh` were never handed out; unless the superblock came with dirty
 *        pages they are zero.
 *   HA3  A class keeps a superblock that is wholly free if it has no other usable one, so that
 *        allocating and freeing one block in turn stays private; but all classes together keep no
 *        more than empty_max, for the sake of other nodes.
 */
#ifndef HLRC_HEAP_ARENA_H
#define HLRC_HEAP_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"

struct super {
    struct super *next, *prev; /* in the list of its class: usable or full */
    uint32_t first, pages;
    uint32_t blocks, left; /* how many there are, how many are free */
    uint32_t fresh;        /* HA2 */
    uint32_t hint;         /* no word of map before this one has a bit set */
    uint8_t class;
    bool dirty;     /* it came with pages that were used before */
    uint64_t map[]; /* HA1 */
};

struct arena {
    struct super *usable[HEAP_CLASSES], *full[HEAP_CLASSES];
    struct super **of_page; /* by page: the superblock of this node that it is in */
    uint32_t pages;
    uint32_t empty, empty_max; /* superblocks that are wholly free; how many may be kept */
};

struct arena_block {
    uint64_t offset; /* bytes from the start of the shared space */
    bool used;       /* it must be zeroed */
};

enum arena_status { ARENA_OK, ARENA_EMPTIED, ARENA_NO_BLOCK, ARENA_FREE_ALREADY };

int arena_init(struct arena *a, uint32_t pages, uint32_t empty_max); /* 0 or -ENOMEM */
void arena_end(struct arena *a);

/* false: no superblock of the class is usable */
bool arena_take(struct arena *a, int class, struct arena_block *out);

/* A new superblock, not yet part of the arena; NULL without memory. arena_add gives it its
 * pages. */
struct super *super_new(int class, uint32_t pages);
void arena_add(struct arena *a, struct super *s, uint32_t first, bool dirty);
void arena_remove(struct arena *a, struct super *s); /* frees it */

/* The superblock of this node that the page is in, or NULL. */
struct super *arena_super(const struct arena *a, uint32_t page);

/* Gives back the block that begins `offset` bytes into the superblock. */
enum arena_status arena_give(struct arena *a, struct super *s, uint64_t offset);
enum arena_status arena_give_block(struct arena *a, struct super *s, uint32_t block);

/* A superblock of the class that is wholly free, or NULL. */
struct super *arena_empty(const struct arena *a, int class);

#endif
