/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_fetch.h - fetching pages; between page.c and the protocol. */
#ifndef HLRC_PAGE_FETCH_H
#define HLRC_PAGE_FETCH_H

#include "hlrc/memory/page.h"

int page_fetch_init(void);
void page_fetch_end(void);

/* Makes a stale page complete; serves meanwhile. True when this node has become home of a page that
 * had none. ASSUMPTION: marked BUSY, and locked; neither afterwards. */
bool page_fetch(uint32_t page, struct page *p);

/* Finishes a prefetch of this page that is under way, if there still is one. */
void page_prefetch_finish(uint32_t page);

/* Starts one for a page that is stale, is no home page, and that no thread works on; whether it
 * has. `early`: before all that is needed is known. */
bool page_prefetch_start(uint32_t page, bool early);
/* Goes on with those of a list that have come half way. Spins. */
void page_prefetch_advance(const uint32_t *list, uint32_t n);
/* Waits until it has arrived, but not beyond this time (clock_ns), and takes it over; opens no
 * page. False: it is under way still. */
bool page_prefetch_end(uint32_t page, int64_t deadline);

/* Where room for fewer than so many is left: takes over what has arrived, which no thread may ever
 * ask for. Spins. */
void page_prefetch_reclaim(uint32_t least);

/* Finishes all that are under way at this node, before its memory goes. ASSUMPTION: none is started
 * meanwhile. */
void page_prefetch_finish_all(void);

#endif
