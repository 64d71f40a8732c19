/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * unchanged.h - with --checkpoint: home pages whose contents are the ones of the last checkpoint.
 * The next one knows that without reading them.
 *
 * Each checkpoint registers the pages whose contents it knows. Unshared pages are stored to without
 * a fault (exclusive.h). So a checkpoint write-protects them, and the first store to one opens all
 * such pages of its chunk. This costs a fault a chunk, and the next checkpoint reads the chunk.
 *
 * Invariants
 *   [unchanged.stores] A registered page does not allow stores of this node. The change of the view
 *       that allows them ends the registration. So does an atomic operation of this node, which
 *       stores through the engine's view: that of an EXCLUSIVE page raises no version.
 *   [unchanged.versions] Other nodes' stores arrive without this node's view, and with --diffs
 *       write without its CPU. Each diff, put and atomic operation of another node raises a version
 *       of the page before the barrier of the next checkpoint ends [barrier.diffs-served],
 *       [word.announced]. Versions only rise, so an unchanged sum means unchanged versions. Where
 *       they begin anew, or another node may have stored without one, the registration ends: when a
 *       page is reset, or its home moves.
 */
#ifndef HLRC_UNCHANGED_H
#define HLRC_UNCHANGED_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"
#include "hlrc/memory/page_view.h"

#define UNCHANGED_CHUNK 16u /* pages; divides RUN_PAGES */

/* By page: one more than the sum of its versions; 0: not registered. NULL without --checkpoint.
 * Under the page's lock. */
extern uint64_t *unchanged_sums;

int unchanged_init(void); /* 0 or -ENOMEM */
void unchanged_end(void);

static inline void unchanged_forget(uint32_t page)
{
    if (unchanged_sums)
        unchanged_sums[page] = 0;
}

static inline bool unchanged_is_registered(uint32_t page)
{
    return unchanged_sums && unchanged_sums[page] != 0;
}

/* Whether a store waits for unchanged_open. ASSUMPTION: locked, not BUSY. */
static inline bool unchanged_is_closed(uint32_t page, const struct page *p)
{
    return (p->flags & (PAGE_EXCLUSIVE | PAGE_STALE)) == PAGE_EXCLUSIVE &&
           p->access == ACCESS_READ && unchanged_is_registered(page);
}

/* Whether the page is registered, its home is here and it is unchanged. Spins. */
bool unchanged_holds(uint32_t page);

/* Registers the pages of `which` of a run of at most RUN_PAGES, as far as their homes are here.
 * Pages of `which` and not of `close` are not write-protected, and not registered if they allow
 * stores. False if the view has no room for that: the other pages are as before. Spins.
 * ASSUMPTION: no thread stores to shared memory, and all diffs have arrived. */
bool unchanged_register(uint32_t first, uint32_t count, const bool *which, const bool *close);

/* For a store: opens the page and all registered unshared pages around it in its chunk. False if
 * the caller has to look at the page again. Spins. ASSUMPTION: not locked. */
bool unchanged_open(uint32_t page);

#endif
