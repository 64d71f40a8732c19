/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_tables.h - layout of the heap's tables, for heap.c, which maintains them, and
 * heap_look.c. */
#ifndef HLRC_HEAP_TABLES_H
#define HLRC_HEAP_TABLES_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/limits.h"
#include "hlrc/heap/heap_arena.h"
#include "hlrc/heap/heap_runs.h"

enum heap_tables_kind { KIND_NONE, KIND_RUN, KIND_ALL, KIND_SMALL /* + class */ };

/* State of a page. Inner pages of runs, and free pages, are KIND_NONE. */
struct heap_tables_entry {
    unsigned kind : 8;
    unsigned owner : 10, pages : 7, index : 7; /* of a superblock; index of this page in it */
    /* run: number of pages; first page of a superblock: link of the pending list, or 0 */
    uint32_t value;
};

static_assert(sizeof(struct heap_tables_entry) == 8,
              "layout() relies on this size; nodes share the structure");
static_assert(NODES_MAX <= 1 << 10 && KIND_SMALL + HEAP_CLASSES <= 1 << 8, "they fit");

/* Constant between heap_init and heap_end; the data it points to changes. */
struct heap_tables {
    uint32_t directory, marks, first; /* pages where they begin */
    uint32_t runs;                    /* bytes from the start of the shared space */
    struct heap_arena *arena;
    void *const *outbox; /* blocks of other nodes that were freed here and are not marked yet */
    const _Atomic uint32_t *outbox_count;
};

/* NULL except between heap_init and heap_end. */
const struct heap_tables *heap_tables(void);

#endif
