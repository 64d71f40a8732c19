/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_small.h - small blocks of the heap: of this node, from superblocks and the threads'
 * caches, and of other nodes, by way of the outbox; heap.h has the invariants. */
#ifndef HLRC_HEAP_SMALL_H
#define HLRC_HEAP_SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/heap/heap_tables.h"

int heap_small_init(void); /* 0 or a negative errno */
void heap_small_end(void);
/* Sets what the tables have of small blocks. */
void heap_small_describe(struct heap_tables *tables);

/* A block of the class; NULL: no room. */
void *heap_small_allocate(int class, size_t size, bool zeroed);
/* False: no small block begins at ptr, which is in that page. */
bool heap_small_free(void *ptr, uint32_t page);

void heap_small_flush(void); /* heap.h */
void heap_small_trim(void);

#endif
