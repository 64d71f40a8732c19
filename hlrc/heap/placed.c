/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* placed.c - hlrc_alloc_placed: memory whose pages have their homes from the beginning. */
#include <errno.h>
#include <hlrc.h>

#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/core/meeting.h"
#include "hlrc/heap/sites.h"
#include "hlrc/sync/barrier.h"

/* Consecutive pages with the same home, of `pages` in all. */
static size_t placed_row_of(size_t pages, hlrc_placement how, size_t unit)
{
    size_t nodes = (size_t)engine.nodes;
    if (how == HLRC_BLOCK)
        return (pages + nodes - 1) / nodes;
    if (how == HLRC_CYCLIC)
        return unit ? (unit - 1) / PAGE_SIZE + 1 : 1;
    return pages;
}

/* Each node places its own pages: no node uses them before the following barrier. */
static void placed_place_own(char *memory, size_t pages, size_t row, size_t first)
{
    size_t nodes = (size_t)engine.nodes, me = (size_t)engine.node;
    size_t turn = (me + nodes - first) % nodes;
    if (row > pages)
        row = pages;
    for (size_t at = turn * row; at < pages; at += nodes * row) {
        size_t n = pages - at < row ? pages - at : row;
        (void)hlrc_place(memory + (at << PAGE_SHIFT), n << PAGE_SHIFT, engine.node);
    }
}

void *hlrc_alloc_placed(size_t size, hlrc_placement how, size_t unit)
{
    call_check("hlrc_alloc_placed");
    if (how > HLRC_AT || (how == HLRC_AT && unit >= (size_t)engine.nodes)) {
        errno = EINVAL;
        return NULL;
    }
    char *memory = hlrc_malloc_all(size);
    if (!memory)
        return NULL;
    size_t pages = size ? (size - 1) / PAGE_SIZE + 1 : 1;
    placed_place_own(memory, pages, placed_row_of(pages, how, unit), how == HLRC_AT ? unit : 0);
    barrier_all(MEETING_PLACED);
    sites_note(memory, size, __builtin_return_address(0));
    return memory;
}
