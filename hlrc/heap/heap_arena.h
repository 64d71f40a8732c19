/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_arena.h - small blocks of one node: superblocks, and which of their blocks are free.
 *
 * A superblock is a run of pages cut into blocks of one class. Everything here is private memory
 * of the node that owns the superblock, so malloc and free of its blocks send nothing; the blocks
 * themselves are never touched. Not thread-safe: the heap's mutex guards it.
 *
 * States of a superblock:
 *
 *            heap_arena_take: last free block        last block freed, and not kept
 *      USABLE -----------------------> FULL      in reserve: ARENA_EMPTIED
 *        ^  ^                            |    USABLE ---------------------------> the caller
 *        |  +----------------------------+            frees its pages by heap_arena_remove
 *     heap_arena_add       heap_arena_give
 *
 * Invariants
 *   - A bit of `map` is 1 when the block is free and its owner knows. A block freed by another node
 *     stays 0 until the owner has collected it.
 *   - Blocks from `fresh` on were never allocated; unless the superblock came with dirty pages they
 *     are zero.
 *   - A class keeps a wholly free superblock if it has no other usable one, so that repeated malloc
 *     and free of one block stay private. All classes together keep at most empty_max, so that
 *     other nodes get the rest.
 */
#ifndef HLRC_HEAP_ARENA_H
#define HLRC_HEAP_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"

struct heap_arena_super {
    struct heap_arena_super *next, *prev; /* in the list of its class: usable or full */
    uint32_t first, pages;
    uint32_t blocks, left; /* number of blocks, and of free blocks */
    uint32_t fresh;
    uint32_t hint;    /* no word of map before this one has a bit set */
    uint32_t inverse; /* of the size of its blocks: 2^32 / size, rounded up */
    uint8_t class;
    bool dirty; /* it came with used pages */
    uint64_t map[];
};

struct heap_arena {
    struct heap_arena_super *usable[HEAP_CLASSES], *full[HEAP_CLASSES];
    struct heap_arena_super **of_page; /* by page: this node's superblock that contains it */
    uint32_t pages;
    uint32_t empty, empty_max; /* wholly free superblocks; how many may be kept */
};

struct heap_arena_block {
    uint64_t offset; /* bytes from the start of the shared space */
    bool used;       /* it must be zeroed */
};

enum heap_arena_status { ARENA_OK, ARENA_EMPTIED, ARENA_NO_BLOCK, ARENA_FREE_ALREADY };

int heap_arena_init(struct heap_arena *a, uint32_t pages, uint32_t empty_max); /* 0 or -ENOMEM */
void heap_arena_end(struct heap_arena *a);
int heap_arena_clear(struct heap_arena *a); /* no superblock is left; 0 or -ENOMEM */

/* false: the class has no usable superblock */
bool heap_arena_take(struct heap_arena *a, int class, struct heap_arena_block *out);

/* A new superblock, not yet part of the arena; NULL without memory. heap_arena_add sets its pages.
 * */
struct heap_arena_super *heap_arena_super_new(int class, uint32_t pages);
void heap_arena_add(struct heap_arena *a, struct heap_arena_super *s, uint32_t first, bool dirty);
void heap_arena_remove(struct heap_arena *a, struct heap_arena_super *s); /* frees it */

/* This node's superblock that contains the page, or NULL. */
static inline struct heap_arena_super *heap_arena_super(const struct heap_arena *a, uint32_t page)
{
    return a->of_page[page];
}

/* The number of the block that begins at the offset, without a division: exact for a multiple of
 * the size, and for any other offset the product differs from it. UINT32_MAX: no block begins
 * there. */
static inline uint32_t heap_arena_block_at(const struct heap_arena_super *s, uint64_t offset)
{
    uint32_t block = (uint32_t)(offset * s->inverse >> 32);
    return block < s->blocks && block * heap_runs_class_size(s->class) == offset ? block
                                                                                 : UINT32_MAX;
}

/* Frees the block that begins `offset` bytes into the superblock. */
enum heap_arena_status heap_arena_give(struct heap_arena *a, struct heap_arena_super *s,
                                       uint64_t offset);
enum heap_arena_status heap_arena_give_block(struct heap_arena *a, struct heap_arena_super *s,
                                             uint32_t block);

/* Does a live block begin that many bytes into the superblock? May be asked without the mutex for a
 * block that is live: its bit does not change. */
static inline bool heap_arena_is_live(const struct heap_arena_super *s, uint32_t offset)
{
    uint32_t block = heap_arena_block_at(s, offset);
    if (block == UINT32_MAX)
        return false;
    uint64_t word = __atomic_load_n(&s->map[block / 64], __ATOMIC_RELAXED);
    return !(word >> block % 64 & 1);
}

/* A wholly free superblock of the class, or NULL. */
struct heap_arena_super *heap_arena_empty(const struct heap_arena *a, int class);

#endif
