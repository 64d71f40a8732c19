/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unchanged.c - see unchanged.h. */
#include "hlrc/memory/unchanged.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>

#include "base/reserve.h"
#include "hlrc/core/engine.h"

static_assert(RUN_PAGES % UNCHANGED_CHUNK == 0, "a chunk lies in one run");

uint64_t *unchanged_sums;

#define SUMS_BYTES ((size_t)engine.pages * sizeof *unchanged_sums)

int unchanged_init(void)
{
    unchanged_sums = reserve(SUMS_BYTES);
    return unchanged_sums ? 0 : -ENOMEM;
}

void unchanged_end(void)
{
    uint64_t *sums = unchanged_sums;
    unchanged_sums = NULL;
    reserve_end(sums, SUMS_BYTES);
}

/* [unchanged.versions] */
static uint64_t unchanged_sum(uint32_t page)
{
    uint64_t sum = 1;
    for (int w = 0; w < engine.nodes; w++)
        sum += atomic_load_explicit(engine_applied_here(page, w), memory_order_acquire);
    return sum;
}

/* ASYNC's default home may not know yet that it is the home. ASSUMPTION: locked. */
static bool unchanged_is_home(const struct page *p)
{
    return page_is_home(p, engine.node) || (p->home == 0 && (p->flags & PAGE_EXCLUSIVE));
}

bool unchanged_holds(uint32_t page)
{
    if (!unchanged_is_registered(page))
        return false;
    struct page *p = page_lock(page);
    /* [unchanged.versions] */
    bool holds = unchanged_is_home(p) && unchanged_sums[page] == unchanged_sum(page);
    page_unlock(p);
    return holds;
}

/* ASSUMPTION: locked. */
static bool unchanged_is_idle(const struct page *p)
{
    return !(p->flags & (PAGE_BUSY | PAGE_STALE)) && !p->held && !p->unsure;
}

bool unchanged_register(uint32_t first, uint32_t count, const bool *which, const bool *close)
{
    bool closes[RUN_PAGES] = { false };
    for (uint32_t i = 0; i < count; i++) {
        const struct page *p = page_lock(first + i);
        closes[i] = which[i] && close[i] && p->access == ACCESS_WRITE && unchanged_is_home(p) &&
                    unchanged_is_idle(p) && (p->flags & PAGE_EXCLUSIVE);
    }
    int rc = page_view_change_marked(first, count, closes, ACCESS_READ);
    for (uint32_t i = 0; i < count; i++) {
        struct page *p = page_at(first + i);
        if (rc == 0 && which[i] && p->access != ACCESS_WRITE && unchanged_is_home(p) &&
            unchanged_is_idle(p))
            unchanged_sums[first + i] = unchanged_sum(first + i);
        page_unlock(p);
    }
    if (rc)
        page_view_mend(first, count);
    return rc == 0;
}

/* ASSUMPTION: locked. */
static bool unchanged_opens(uint32_t page)
{
    const struct page *p = page_at(page);
    return unchanged_is_closed(page, p) && unchanged_is_idle(p) && !p->migrate.watched;
}

bool unchanged_open(uint32_t page)
{
    uint32_t low = page / UNCHANGED_CHUNK * UNCHANGED_CHUNK, end = low + UNCHANGED_CHUNK;
    bool opens[UNCHANGED_CHUNK] = { false };
    end = end < engine.pages ? end : engine.pages;
    for (uint32_t i = low; i < end; i++) {
        (void)page_lock(i);
        opens[i - low] = unchanged_opens(i) && (i == page || !page_held(i));
    }
    bool opened = opens[page - low];
    int rc = opened ? page_view_change_marked(low, end - low, opens, ACCESS_WRITE) : 0;
    for (uint32_t i = low; i < end; i++)
        page_unlock(page_at(i));
    if (rc)
        page_view_mend(low, end - low);
    return opened && rc == 0;
}
