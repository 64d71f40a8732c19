/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy_placement.h - the default home of a page: where its home is looked up, or assigned.
 *
 * Blocks of pages are dealt to the nodes in turn. The part of the heap that is used first has
 * smaller blocks than the rest; so may the pages after the heap have (hlrc/memory/range.h). Blocks
 * are given as log2 of their pages.
 */
#ifndef HLRC_POLICY_PLACEMENT_H
#define HLRC_POLICY_PLACEMENT_H

#include <stdint.h>

struct policy_placement {
    uint32_t heap_pages;
    uint32_t near, near_pages; /* first page, and pages, of the part that is used first */
    uint32_t near_shift, far_shift, range_shift;
};

/* log2 of the pages of the block that has this page */
static inline uint32_t policy_placement_shift(struct policy_placement p, uint32_t page)
{
    if (page >= p.heap_pages)
        return p.range_shift;
    return page - p.near < p.near_pages ? p.near_shift : p.far_shift;
}

static inline uint32_t policy_placement_home(struct policy_placement p, uint32_t page,
                                             uint32_t nodes)
{
    return (page >> policy_placement_shift(p, page)) % nodes;
}

#endif
