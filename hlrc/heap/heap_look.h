/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_look.h - describes an address of shared memory, as far as this node knows, for crash
 * reports.
 *
 * Invariants
 *   - Nothing waits, locks, allocates or fetches: tables are read in the engine's view, or in this
 *     node's private memory, possibly during a change. A table that other nodes have changed since
 *     this node read it is not trusted.
 *   - Each node records hlrc_malloc_all and hlrc_free_all in private memory.
 */
#ifndef HLRC_HEAP_LOOK_H
#define HLRC_HEAP_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_what {
    HEAP_LIVE,      /* in a block of hlrc_malloc or hlrc_aligned_alloc */
    HEAP_ALL,       /* in one of hlrc_malloc_all */
    HEAP_FREED,     /* in a freed block; size 0: in freed pages */
    HEAP_FREED_ALL, /* by hlrc_free_all */
    HEAP_UNUSED,    /* never allocated */
    HEAP_TABLES,    /* of the heap itself */
    HEAP_UNKNOWN,   /* other nodes may have allocated there since this node read the tables */
};

struct heap_place {
    enum heap_what what;
    const void *block; /* its first byte */
    size_t size;       /* as allocated: at least the requested size */
    bool doubtful;     /* other nodes may have allocated there since this node read the tables */
};

void heap_look_end(void); /* forgets the records */

/* A block of `size` bytes begins at ptr; 0: it was freed. */
void heap_note_all(const void *ptr, size_t size);

/* ASSUMPTION: engine_in_heap(addr). */
struct heap_place heap_look(const void *addr);

#endif
