/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_fetch.h - fetching pages; between page.c and the protocol. */
#ifndef HLRC_PAGE_FETCH_H
#define HLRC_PAGE_FETCH_H

#include "hlrc/memory/page.h"

int page_fetch_init(void);
void page_fetch_end(void);

/* Makes a stale page complete; serves meanwhile. True when this node has become home of a page that
 * had none. ASSUMPTION: the caller set BUSY, which this clears. */
bool page_fetch(uint32_t page, struct page *p);

/* Finishes a prefetch of this page that is under way, if there still is one. */
void page_prefetch_finish(uint32_t page);

/* Finishes all that are under way at this node, before its memory goes. ASSUMPTION: none is started
 * meanwhile. */
void page_prefetch_finish_all(void);

#endif
