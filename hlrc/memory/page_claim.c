/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_claim.c - see page_claim.h. */
#include "hlrc/memory/page_claim.h"

#include "base/record.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/space.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

void page_prepare_home(uint32_t page)
{
    int win = engine.control.id;
    fabric_window_prepare(engine.fabric, engine.space.id, (size_t)page << PAGE_SHIFT, PAGE_SIZE);
    fabric_window_prepare(engine.fabric, win, engine_applied_at(page, 0), VT_BYTES(engine.nodes));
    fabric_window_prepare(engine.fabric, win, engine_has_readers_at(page), 4);
    fabric_window_prepare(engine.fabric, win, engine_placed_at(page), 4);
}

bool page_claim(uint32_t page, struct page *p, bool ahead)
{
    bool assigned = false;
    page_unlock(p);
    PROBE(page_busy);
    page_prepare_home(page);
    int home = engine.protocol.pages->claim(page, &assigned);
    if (assigned)
        PROBE(home_claimed, !ahead);
    page_lock(page);
    if (home >= 0)
        p->home = (uint16_t)(home + 1); /* rule 7 */
    p->flags &= (uint8_t)~PAGE_BUSY;
    page_unlock(p);
    progress_changed(p);
    return assigned;
}

static bool page_claim_if_unknown(uint32_t page, bool ahead)
{
    struct page *p = page_lock(page);
    uint8_t out = ahead ? PAGE_BUSY | PAGE_STALE | PAGE_EXCLUSIVE : PAGE_BUSY | PAGE_STALE;
    p->touched = p->touched || !ahead; /* [page.touched] */
    if (p->home != 0 || (p->flags & out) || (ahead && (p->held || page_held(page)))) {
        page_unlock(p);
        return false;
    }
    p->flags |= PAGE_BUSY;
    return page_claim(page, p, ahead);
}

void page_claim_touched(uint32_t page)
{
    (void)page_claim_if_unknown(page, false);
}

/* [readahead.twin] */
static void page_claim_mark_blank(uint32_t page, bool bare)
{
    bool zero = bare || space_bare(page, 1) || diff_is_zero(engine_page_mem(page));
    struct page *p = page_lock(page);
    p->blank = zero && p->access == ACCESS_READ && page_is_home(p, engine.node) &&
               atomic_load(engine_applied_here(page, engine.node)) == 0 &&
               !(p->flags & (PAGE_BUSY | PAGE_STALE | PAGE_DIRTY | PAGE_EXCLUSIVE));
    page_unlock(p);
}

void page_claim_ahead(uint32_t first, uint32_t count)
{
    bool bare = count && space_bare(first, count);
    if (count)
        PROBE(pages_ahead, first, count, RECORD_CLAIMS, 0);
    for (uint32_t i = first; i < first + count; i++)
        if (page_claim_if_unknown(i, true))
            page_claim_mark_blank(i, bare);
}

int page_claim_read(uint32_t page)
{
    for (;;) {
        struct page *p = page_lock(page);
        int home = (int)p->home - 1;
        bool busy = p->flags & PAGE_BUSY, stale = p->flags & PAGE_STALE;
        if (home < 0 && !busy && !stale)
            p->flags |= PAGE_BUSY;
        else
            page_unlock(p);
        if (home >= 0)
            return home;
        if (busy)
            page_wait(page);
        else if (stale) /* another node has written it */
            return engine.protocol.pages->home(page, thread_self()->call_token);
        else
            (void)page_claim(page, p, true);
    }
}
