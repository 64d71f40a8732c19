/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_fetch.h - fetching pages; between page.c and the protocol. */
#ifndef HLRC_PAGE_FETCH_H
#define HLRC_PAGE_FETCH_H

#include "hlrc/memory/page.h"

int page_fetch_init(void);
void page_fetch_end(void);

/* Makes a stale page complete; serves requests while it waits. True if this node has become the
 * home of a page that had none. ASSUMPTION: marked BUSY and locked; neither afterwards. */
bool page_fetch(uint32_t page, struct page *p);

/* Finishes this page's prefetch, if one is in flight. */
void page_prefetch_finish(uint32_t page);

/* Starts a prefetch of a page that is stale, has its home elsewhere, and on which no thread works;
 * returns whether it did. `early`: before all needed versions are known. */
bool page_prefetch_start(uint32_t page, bool early);
/* Continues the prefetches of a list that are half done. Spins. */
void page_prefetch_advance(const uint32_t *list, uint32_t n);
/* Waits until this page's prefetch has arrived, but not beyond `deadline` (clock_ns), and installs
 * it; opens no page. False: it is still in flight. */
bool page_prefetch_end(uint32_t page, int64_t deadline);

/* If fewer than `least` slots are free: installs what has arrived, since no thread may ever access
 * it. Spins. */
void page_prefetch_reclaim(uint32_t least);

/* Finishes all prefetches in flight at this node, before its memory is freed. ASSUMPTION: none is
 * started during the call. */
void page_prefetch_finish_all(void);

#endif
