/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap_look.h - what lies at an address of shared memory, as far as this node knows, for who tells
 * of a crash.
 *
 * Invariants
 *   HL1  Nothing waits, locks, allocates or fetches: tables are read as they lie in the engine's
 *        view, or in this node's private memory, perhaps in the midst of a change. A table that
 *        other nodes have changed since this one read it is not believed.
 *   HL2  What hlrc_malloc_all and hlrc_free_all do, each node notes in private memory.
 */
#ifndef HLRC_HEAP_LOOK_H
#define HLRC_HEAP_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_what {
    HEAP_LIVE,      /* in a block of hlrc_malloc or hlrc_aligned_alloc */
    HEAP_ALL,       /* in one of hlrc_malloc_all */
    HEAP_FREED,     /* in a block that was given back; size 0: in pages that were */
    HEAP_FREED_ALL, /* by hlrc_free_all */
    HEAP_UNUSED,    /* no block was ever there */
    HEAP_TABLES,    /* of the heap itself */
    HEAP_UNKNOWN,   /* other nodes may have allocated there since this one looked */
};

struct heap_place {
    enum heap_what what;
    const void *block; /* where it begins */
    size_t size;       /* as allocated: at least as much as was asked for */
    bool doubtful;     /* other nodes have allocated since this one looked, perhaps there */
};

void heap_look_end(void); /* forgets what was noted */

/* HL2: a block of `size` bytes begins at ptr; 0: it does no more. */
void heap_note_all(const void *ptr, size_t size);

/* ASSUMPTION: in_heap(addr). */
struct heap_place heap_look(const void *addr);

#endif
