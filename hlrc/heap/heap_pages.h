/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_pages.h - pages of the shared heap: where its tables are, its lock, and its free runs. The
 * functions of the tables' entries and runs assume LOCK_HEAP, except as heap.h says. */
#ifndef HLRC_HEAP_PAGES_H
#define HLRC_HEAP_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"
#include "hlrc/heap/heap_tables.h"

#define HEAP_PAGES_MARKS 4u /* words of 64 bits, per page: a bit for every HEAP_GRAIN bytes */
#define HEAP_PAGES_END   UINT32_MAX /* of a list */

/* The first page. */
struct heap_pages_header {
    uint32_t ready; /* the list of runs has been made */
    /* by owner: first page + 1 of a superblock with marks; 0 or HEAP_PAGES_END: none */
    uint32_t pending[];
};

/* Constant between heap_init and heap_end. */
extern struct heap_pages_at {
    uint32_t directory, marks, first; /* pages */
    uint32_t super_pages;             /* of a superblock with small blocks, usually */
} heap_pages_at __attribute__((visibility("hidden")));

/* Sets heap_pages_at for a space of that size. */
void heap_pages_layout(uint32_t pages);
uint32_t heap_pages_needed(size_t bytes);
uint32_t heap_pages_clamp(uint32_t value, uint32_t low, uint32_t high);

void *heap_pages_app(uint32_t page); /* where the program finds it */
size_t heap_pages_header_bytes(void);
struct heap_pages_header *heap_pages_header(void);
struct heap_tables_entry *heap_pages_entry(uint32_t page);
uint64_t *heap_pages_marks(uint32_t page);

void heap_pages_lock(void);
void heap_pages_unlock(void);
struct heap_runs *heap_pages_runs(void);
void heap_pages_give(uint32_t first, uint32_t count, bool clean); /* to the free runs */

_Noreturn void heap_pages_free_failed(const void *ptr);
_Noreturn void heap_pages_damaged(uint32_t page);

#endif
