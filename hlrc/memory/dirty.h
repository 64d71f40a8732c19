/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dirty.h - the pages that this node has written since its last interval, or may have written:
 * pages that the last flush retained writable.
 *
 * Invariants
 *   - A page is added before it becomes writable, under its lock [page.writable-tracked], or by the
 *     flush that retains it writable [page.retained-twin]. It is on one list only, once (LISTED).
 *   - dirty_take takes the whole list. A thread that finds the list empty afterwards sees the
 *     taker's announcement, which the taker wrote before: the list is emptied by a release store
 *     and read by an acquire load.
 */
#ifndef HLRC_DIRTY_H
#define HLRC_DIRTY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint32_t dirty_count __attribute__((visibility("hidden"))); /* pages on the list */

/* reads have been noted (reads.h) */
extern _Atomic bool dirty_reads __attribute__((visibility("hidden")));

/* Takes no lock; [interval.unpublished-test] if the caller has stored. */
static inline bool dirty_any(void)
{
    return atomic_load_explicit(&dirty_count, memory_order_acquire) != 0 ||
           atomic_load_explicit(&dirty_reads, memory_order_acquire);
}

int dirty_init(void); /* 0 or -ENOMEM; room for every page of the space */
void dirty_end(void);

void dirty_add(uint32_t page); /* takes a spin lock, does not wait */
/* takes all, ascending; valid until the next call. One thread at a time */
uint32_t dirty_take(const uint32_t **list);

#endif
