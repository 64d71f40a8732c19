/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_cache.h - small blocks that a thread has freed and gets again, in private memory of the
 * thread: malloc and free of a program of hlrcc, whose threads may all be on one node, need no
 * mutex. Memory of the C library's caches (tcache) has this form.
 *
 * Invariants
 *   [cache.live] A block in a cache is of a superblock of this node, and live to the arena: it is
 *   in one cache only, and changes hands only by heap_arena_give.
 *   - A thread that ends leaves its cache to the next thread that needs one.
 *   - What a cache holds from before heap_init is not used.
 */
#ifndef HLRC_HEAP_CACHE_H
#define HLRC_HEAP_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define HEAP_CACHE_BLOCKS 16u          /* of a class, at most, */
#define HEAP_CACHE_BYTES  8192u        /* and no more than this */
#define HEAP_CACHE_TWICE  (UINT32_MAX) /* of heap_cache_give */

void heap_cache_init(void); /* all are empty; no other thread uses one */

/* A block of the class from the calling thread's cache; NULL: there is none. */
void *heap_cache_take(int class);
/* Keeps the block, if there is room, and the cache does not hold it. */
bool heap_cache_keep(int class, void *ptr);
/* Keeps the block. Returns how many blocks the cache gave up for it, and stores them at `out`, of
 * HEAP_CACHE_BLOCKS; HEAP_CACHE_TWICE: it held this block already. */
uint32_t heap_cache_give(int class, void *ptr, void **out);
/* The same for all blocks of the class. */
uint32_t heap_cache_empty(int class, void **out);

#endif
