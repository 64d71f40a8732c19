/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_claim.h - assigns a home to pages without one (rule 7): the protocol chooses the first node
 * that requests the page.
 */
#ifndef HLRC_PAGE_CLAIM_H
#define HLRC_PAGE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/memory/page.h"

/* Before this node becomes the home of the page: makes page and versions readable by all nodes
 * without this node's CPU. */
void page_prepare_home(uint32_t page);

/* Learns or takes the home of a complete page, before the first write to it or `ahead` of that;
 * returns whether the home was taken. Waits for the fabric. ASSUMPTION: marked BUSY and locked;
 * unlocked afterwards. */
bool page_claim(uint32_t page, struct page *p, bool ahead);

/* The same for a page that hlrc_touch is to open for stores, unless its home is known. */
void page_claim_touched(uint32_t page);

/* Makes this node the home of those pages in a run that no node has written, as a store would
 * [readahead.dense-claims]. Waits only for the fabric. */
void page_claim_ahead(uint32_t first, uint32_t count);

/* With --check races: the home of a page that this node has read. If there is none, this node
 * becomes the home [races.reads-first]. -1: unknown, since the page has not been fetched yet. Waits
 * while the page is BUSY, and for the fabric. */
int page_claim_read(uint32_t page);

#endif
