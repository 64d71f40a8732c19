/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_cache.h - blocks that a thread has freed and gets again, in private memory of the thread:
 * malloc and free of a program of hlrcc, whose threads may all be on one node, need no mutex, and
 * for a run of pages not LOCK_HEAP. Memory of the C library's caches (tcache) has this form.
 *
 * Invariants
 *   [cache.live] A block in a cache is of a superblock of this node, and live to the arena: it is
 *   in one cache only, and changes hands only by heap_arena_give. A run of pages in a cache is live
 *   to the directory, and becomes free only by heap_pages_give. The thread that gets it from its
 *   cache has freed it, and has seen all that was written to it.
 *   - A thread that ends leaves its cache to the next thread that needs one.
 *   - What a cache holds from before heap_init is not used.
 */
#ifndef HLRC_HEAP_CACHE_H
#define HLRC_HEAP_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"

#define HEAP_CACHE_BLOCKS 16u          /* of a class, at most, */
#define HEAP_CACHE_BYTES  8192u        /* and no more than this */
#define HEAP_CACHE_TWICE  (UINT32_MAX) /* of heap_cache_give */
#define HEAP_CACHE_RUNS   4u
#define HEAP_CACHE_PAGES  128u /* of all runs of a cache, at most */

struct heap_cache {
    uint64_t generation; /* of the heap */
    struct heap_cache *next;
    struct heap_cache_class {
        uint32_t count;
        void *blocks[HEAP_CACHE_BLOCKS]; /* the last freed is the last */
    } of[HEAP_CLASSES];
    uint32_t run_count, run_pages; /* pages: of all runs */
    struct heap_cache_run {
        void *ptr;
        uint32_t pages;
    } runs[HEAP_CACHE_RUNS]; /* the last freed is the last */
};

/* The calling thread's, or NULL. */
extern _Thread_local struct heap_cache *heap_cache_mine __attribute__((visibility("hidden")));
extern uint64_t heap_cache_generation __attribute__((visibility("hidden")));
extern uint32_t heap_cache_most[HEAP_CLASSES] __attribute__((visibility("hidden")));

void heap_cache_init(void); /* all are empty; no other thread uses one */

/* The calling thread's, if its contents are of this heap. */
static inline struct heap_cache *heap_cache_current(void)
{
    struct heap_cache *c = heap_cache_mine;
    return c && c->generation == heap_cache_generation ? c : NULL;
}

/* A block of the class from the calling thread's cache; NULL: there is none. */
static inline void *heap_cache_take(int class)
{
    struct heap_cache *c = heap_cache_current();
    return c && c->of[class].count > 0 ? c->of[class].blocks[--c->of[class].count] : NULL;
}

static inline bool heap_cache_has(const struct heap_cache_class *k, const void *ptr)
{
    bool has = false;
    for (uint32_t i = 0; i < k->count; i++)
        has |= k->blocks[i] == ptr;
    return has;
}

/* Keeps the block, if there is room, and the cache does not hold it. */
static inline bool heap_cache_keep(int class, void *ptr)
{
    struct heap_cache *c = heap_cache_current();
    struct heap_cache_class *k = c ? &c->of[class] : NULL;
    if (!k || k->count >= heap_cache_most[class] || heap_cache_has(k, ptr))
        return false;
    k->blocks[k->count++] = ptr;
    return true;
}

/* Keeps the block. Returns how many blocks the cache gave up for it, and stores them at `out`, of
 * HEAP_CACHE_BLOCKS; HEAP_CACHE_TWICE: it held this block already. */
uint32_t heap_cache_give(int class, void *ptr, void **out);
/* The same for all blocks of the class. */
uint32_t heap_cache_empty(int class, void **out);

/* ---- runs of pages ---- */

/* One of `pages` pages or somewhat more; NULL: there is none. */
void *heap_cache_take_run(uint32_t pages);
/* Keeps the run, if there is room among `most` pages, and the cache does not hold it. */
bool heap_cache_keep_run(void *ptr, uint32_t pages, uint32_t most);
bool heap_cache_has_run(const void *ptr);
/* Gives up the run that was freed first. NULL: there is none. */
void *heap_cache_drop_run(void);

#endif
