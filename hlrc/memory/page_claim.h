/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_claim.h - pages that have no home yet get one (page.h P6): of the nodes that ask for a page
 * the protocol makes the first its home.
 */
#ifndef HLRC_PAGE_CLAIM_H
#define HLRC_PAGE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

/* Before this node becomes the home of the page: page and versions can be read by all from then on,
 * without this node's CPU. */
void page_prepare_home(uint32_t page);

/* Learns or takes the home of a complete page before the first write to it, or `ahead` of that;
 * whether it was taken. Waits for the fabric. ASSUMPTION: marked BUSY, and locked, which it is not
 * afterwards. */
bool page_claim(uint32_t page, struct page *p, bool ahead);

/* The same for a page that hlrc_touch is to open for stores, unless its home is known. */
void page_claim_touched(uint32_t page);

/* Makes this node the home of those of a run that no node has written, as a store would (ahead.h
 * AH5). Waits for the fabric alone. */
void page_claim_ahead(uint32_t first, uint32_t count);

/* With --check races: the home of a page that this node has read, which is this node from now on if
 * there is none (reads.h RR3); -1: not known, the page has not come here yet. Waits for what is
 * BUSY, and for the fabric. */
int page_claim_read(uint32_t page);

#endif
