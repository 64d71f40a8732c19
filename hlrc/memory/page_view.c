/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_view.c - see page_view.h for the invariants. */
#include "hlrc/memory/page_view.h"

#include <errno.h>

#include "base/diag.h"
#include "base/perturb.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/default_home.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/space.h"
#include "hlrc/memory/unchanged.h"
#include "hlrc/probe/probe.h"

#define PARTS    16u /* of the pages that were met (page.h): one is collapsed at a time */
#define HOPELESS 100 /* collapses in a row that found no border */

static _Atomic int in_vain; /* collapses in a row that freed nothing */

static int page_view_note_change(int rc, uint32_t first, uint32_t count, enum protocol_access right)
{
    for (uint32_t i = first; i < first + count; i++) {
        if (rc == 0 || page_at(i)->access < right)
            page_at(i)->access = right;
        page_at(i)->unsure = rc != 0;
        if (right == ACCESS_WRITE)
            unchanged_forget(i); /* [unchanged.stores] */
    }
    return rc;
}

int page_view_change(uint32_t first, uint32_t count, enum protocol_access right)
{
    if (PERTURB_FAILS()) { /* as the system fails: with the first half done */
        if (count > 1)
            (void)space_protect(first, count / 2, right);
        return page_view_note_change(-ENOMEM, first, count, right);
    }
    return page_view_note_change(space_protect(first, count, right), first, count, right);
}

int page_view_change_marked(uint32_t first, uint32_t count, const bool *marked,
                            enum protocol_access right)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        while (i + n < count && marked[i + n])
            n++;
        if (n && page_view_change(first + i, n, right) != 0)
            return -ENOMEM;
        i += n ? n : 1;
    }
    return 0;
}

/* What the view allows, read without the page's lock. */
static unsigned page_view_access_of(uint32_t page)
{
    const struct page *p = page_at(page);
    return p->flags & PAGE_KNOWN ? p->access : (unsigned)first_write_view(page);
}

static uint32_t page_view_borders(uint32_t first, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = first + 1; i < end; i++)
        n += page_view_access_of(i) != page_view_access_of(i - 1);
    return n;
}

static uint32_t page_view_part_begin(uint32_t pages, uint32_t part)
{
    return (uint32_t)((uint64_t)pages * part / PARTS);
}

/* The part with most borders. */
static uint32_t page_view_choose_part(uint32_t pages, uint32_t *most)
{
    uint32_t best = 0;
    *most = 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t n = page_view_borders(page_view_part_begin(pages, part),
                                       page_view_part_begin(pages, part + 1));
        if (n > *most) {
            *most = n;
            best = part;
        }
    }
    return best;
}

/* States stay as they are: the pages only fault again ([page.open-not-stale] allows less access
 * than the state would). */
static int page_view_collapse_range(uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        page_lock_unmet(i);
    int rc = page_view_note_change(space_protect(first, end - first, ACCESS_NONE), first,
                                   end - first, ACCESS_NONE);
    for (uint32_t i = first; i < end; i++)
        page_unlock(page_at(i));
    return rc;
}

static void page_view_collapse(void)
{
    PROBE(view_failed);
    uint32_t met = page_met(), most, part = page_view_choose_part(met, &most);
    if (most > 0)
        atomic_store(&in_vain, 0);
    /* a part may need splits at its ends; the view's ends are the mapping's */
    if (most > 2 && page_view_collapse_range(page_view_part_begin(met, part),
                                             page_view_part_begin(met, part + 1)) == 0)
        return;
    if (most > 0 && page_view_collapse_range(0, met) == 0)
        return;
    if (page_view_collapse_range(0, engine.pages) != 0 ||
        (most == 0 && atomic_fetch_add(&in_vain, 1) >= HOPELESS))
        diag_fatal(1, "shared memory cannot be protected: too many mappings in this process; raise "
                      "vm.max_map_count");
}

/* Changes a run of at most RUN_PAGES; retries until it succeeds. */
static void page_view_change_run(uint32_t first, uint32_t count, enum protocol_access right)
{
    int rc;
    do {
        for (uint32_t i = first; i < first + count; i++)
            page_lock(i);
        rc = page_view_change(first, count, right);
        for (uint32_t i = first; i < first + count; i++)
            page_unlock(page_at(i));
        if (rc)
            page_view_collapse();
    } while (rc);
    atomic_store(&in_vain, 0);
}

static uint32_t page_view_at_most(uint32_t count)
{
    return count < RUN_PAGES ? count : RUN_PAGES;
}

void page_view_close(uint32_t first, uint32_t count)
{
    for (uint32_t n = page_view_at_most(count); count;
         first += n, count -= n, n = page_view_at_most(count))
        page_view_change_run(first, n, ACCESS_NONE);
}

void page_view_mend(uint32_t first, uint32_t count)
{
    page_view_collapse();
    page_view_close(first, count);
}

/* Pages from `page` to the end of its block, or to where blocks have another length. */
static uint32_t page_view_block_rest(uint32_t page)
{
    uint32_t pages = 1u << default_home_block_shift(page), rest = pages - (page & (pages - 1));
    uint32_t other = page < engine.home_near      ? engine.home_near
                     : page < engine_heap_pages() ? engine_heap_pages()
                                                  : engine.pages;
    return other - page < rest ? other - page : rest;
}

/* The longest run at `first` with one initial right; all pages of a block have the same. */
static uint32_t page_view_initial_run(uint32_t first, uint32_t count, enum protocol_access *right)
{
    uint64_t n = page_view_block_rest(first);
    *right = first_write_view(first);
    while (n < count && first_write_view(first + (uint32_t)n) == *right)
        n += page_view_block_rest(first + (uint32_t)n);
    return n < count ? (uint32_t)n : count;
}

int page_view_init(uint32_t first, uint32_t count)
{
    while (count) {
        enum protocol_access right;
        uint32_t n = page_view_initial_run(first, count, &right);
        if (right != ACCESS_NONE && space_protect(first, n, right) != 0)
            return -ENOMEM;
        first += n;
        count -= n;
    }
    return 0;
}

void page_view_reset(uint32_t first, uint32_t count)
{
    while (count) {
        enum protocol_access right;
        uint32_t n = page_view_initial_run(first, page_view_at_most(count), &right);
        if (right != ACCESS_NONE)
            page_view_change_run(first, n, right);
        first += n;
        count -= n;
    }
}
