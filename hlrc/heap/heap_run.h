/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_run.h - blocks of the heap that are runs of pages: from the free runs and the threads'
 * caches. heap.h has the invariants. */
#ifndef HLRC_HEAP_RUN_H
#define HLRC_HEAP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/heap/heap_runs.h"
#include "hlrc/heap/heap_tables.h"

/* Pages from the free runs, whose number is a multiple of `align`, for a block of that kind. */
bool heap_run_take(uint32_t count, uint64_t align, enum heap_tables_kind kind,
                   struct heap_runs_taken *out);
/* Ends the job with a line if no run begins at ptr, which is in that page. */
void heap_run_free(void *ptr, uint32_t page);

/* By the calling thread's cache, as heap_cached.h says. */
void *heap_run_take_cached(size_t bytes);
bool heap_run_keep_cached(void *ptr, uint32_t page);
/* Frees what that cache holds. False: it was empty. */
bool heap_run_trim(void);

#endif
