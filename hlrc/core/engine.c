/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* engine.c - the state of this node, and the pages at the application's addresses; see engine.h. */
#include "hlrc/core/engine.h"

struct engine engine;

const struct engine_range *engine_range_of(const void *addr)
{
    for (const struct engine_range *r = engine.ranges; r < engine.ranges + engine.range_count; r++)
        if ((uintptr_t)addr - (uintptr_t)r->app < (size_t)r->pages << PAGE_SHIFT)
            return r;
    return NULL;
}

const struct engine_range *engine_range_of_page(uint32_t page)
{
    for (const struct engine_range *r = engine.ranges; r < engine.ranges + engine.range_count; r++)
        if (page - r->first < r->pages)
            return r;
    return NULL;
}
