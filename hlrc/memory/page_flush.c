/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_flush.c - flushing a dirty page at the end of its interval; see [page.busy-capture],
 * [page.retained-twin].
 *
 * A page that is written again and again is not worth write-protecting: the fault that follows
 * costs as much as some twenty comparisons with the twin. So it is retained writable (the code
 * says kept, hot) and compared, as long as hlrc/policy/policy_retain.h finds it worth that.
 *
 * Pages that hlrc_touch opens are write-protected: it opens them again by runs, for less than a
 * comparison. But not by a flush that another node requested [page.touched].
 *
 *             written      flush, first time             written
 *      CLEAN --------> DIRTY ---------------> CLEAN ----------------> DIRTY <-----+
 *                             write-protected budget 1                 | flush     | idle < budget
 *                               ^                                      +-----------+
 *                               +--------------------------------------+ retained
 *                                       idle == budget: write-protected
 */
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/memory/space.h"
#include "hlrc/memory/twin.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"

#define PREFETCHED 1024 /* bytes at the beginning of a page */

/* Written, or target of an atomic operation [word.announced]. ASSUMPTION: locked. */
static bool page_flush_to_close(const struct page *p)
{
    return (p->flags & PAGE_DIRTY) || (p->worded && !(p->flags & PAGE_EXCLUSIVE));
}

static bool page_flush_flushable(const struct page *p)
{
    return page_flush_to_close(p) && !(p->flags & PAGE_BUSY);
}

/* Locks the longest prefix of consecutive flushable pages; 0 when the first is BUSY. */
static uint32_t page_flush_lock_run(const uint32_t *list, uint32_t n)
{
    uint32_t k = 0;
    while (k < n && k < RUN_PAGES && list[k] == list[0] + k) {
        struct page *p = page_lock(list[k]);
        if (!page_flush_flushable(p)) {
            page_unlock(p);
            break;
        }
        k++;
    }
    return k;
}

/* Whether a flush retains a page writable [page.retained-twin]. Not if it is about to be reset, nor
 * while copies have to be evicted [copies.flush-early]. */
static bool page_flush_stays(uint32_t page, const struct page *p, bool asked)
{
    if (p->held || page_held(page) || copies_crowded())
        return false;
    return policy_retain_stays(p->retain) || (asked && p->touched); /* [page.touched] */
}

/* Write-protects a locked run, except the pages to retain, and unlocks it. */
static int page_flush_seal_run(uint32_t first, uint32_t count, bool asked)
{
    bool seal[RUN_PAGES];
    for (uint32_t i = 0; i < count; i++) {
        const struct page *p = page_at(first + i);
        seal[i] = p->access == ACCESS_WRITE && !page_flush_stays(first + i, p, asked);
    }
    int rc = page_view_change_marked(first, count, seal, ACCESS_READ);
    for (uint32_t i = 0; i < count; i++) {
        struct page *p = page_at(first + i);
        if (rc == 0) {
            p->touched = p->touched && p->access == ACCESS_WRITE;
            p->flags &= (uint8_t)~PAGE_LISTED;
            p->flags |= p->access == ACCESS_WRITE ? PAGE_BUSY | PAGE_KEPT /* [page.retained-twin] */
                                                  : PAGE_BUSY;            /* [page.busy-capture] */
        }
        page_unlock(p);
    }
    return rc;
}

/* [unshared.ended]. ASSUMPTION: locked. */
static bool page_flush_spare(uint32_t page, struct page *p)
{
    bool clean = (p->flags & (PAGE_DIRTY | PAGE_BUSY | PAGE_STALE)) == PAGE_DIRTY && !p->held &&
                 !page_held(page) && exclusive_has_ended() && exclusive_begin(page, p);
    if (clean && p->twin)
        twin_drop(p->twin);
    if (clean)
        p->twin = p->blank = 0;
    return clean;
}

uint32_t page_flush_skip(const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct page *p = page_lock(list[i]);
        bool clean = !page_flush_to_close(p) || page_flush_spare(list[i], p);
        if (clean) {
            p->flags &= (uint8_t)~PAGE_LISTED;
            p->worded = 0;
        }
        page_unlock(p);
        if (!clean)
            return i;
    }
    return n;
}

void page_clean(struct page *p, uint32_t page)
{
    uint32_t twin = p->twin;
    if ((p->flags & (PAGE_DIRTY | PAGE_BUSY)) != PAGE_DIRTY || !twin ||
        page_is_home(p, engine.node) || diff_differs(engine_page_mem(page), twin_mem(twin)))
        return;
    p->twin = 0;
    p->flags &= (uint8_t)~PAGE_DIRTY;
    page_judge_load(p, false);
    twin_drop(twin);
}

uint32_t page_flush_begin(const uint32_t *list, uint32_t n, bool asked)
{
    for (;;) {
        uint32_t count = page_flush_lock_run(list, n);
        if (count && page_flush_seal_run(list[0], count, asked) == 0)
            return count;
        if (count)
            page_view_mend(list[0], count);
        else if (page_at(list[0])->flags & PAGE_BUSY)
            page_wait(list[0]);
        else
            return 0; /* clean by now */
    }
}

/* The CPU's hardware prefetch stops at the end of a page. */
void page_flush_prefetch(uint32_t page)
{
    const char *mem = engine_page_mem(page), *twin = twin_mem(page_at(page)->twin);
    for (size_t at = 0; at < PREFETCHED; at += 64) {
        __builtin_prefetch(mem + at);
        __builtin_prefetch(twin + at);
    }
}

static void page_flush_set_twin(uint32_t page, uint32_t twin)
{
    struct page *p = page_lock(page);
    p->twin = twin;
    page_unlock(p);
}

/* [page.retained-twin]: each byte is read once. */
static uint32_t page_flush_copy_of(uint32_t page)
{
    uint32_t frame = twin_take();
    memcpy(twin_mem(frame), engine_page_mem(page), PAGE_SIZE);
    return frame;
}

/* The sum of all other writers' versions at this home, modulo 2^16. Their writes may not be in the
 * home's twin [diffs-write.home-twin]. */
static uint16_t page_flush_others_here(uint32_t page)
{
    uint64_t sum = 0;
    for (int w = 0; w < engine.nodes && engine.config.diffs == DIFFS_WRITE; w++)
        if (w != engine.node)
            sum += atomic_load_explicit(engine_applied_here(page, w), memory_order_acquire);
    return (uint16_t)sum;
}

uint32_t page_flush_twin(uint32_t page, struct page *p)
{
    if (page_is_home(p, engine.node))
        p->others = page_flush_others_here(page); /* before the copy: [diffs-write.home-twin] */
    return page_flush_copy_of(page);
}

/* The next flush announces the page whether it differs or not, since others have read it
 * [page.equal-twin]. */
void page_flush_told(uint32_t page, struct page *p)
{
    bool kept = (p->flags & (PAGE_DIRTY | PAGE_BUSY)) == PAGE_DIRTY && p->twin;
    if (!kept || engine.config.diffs != DIFFS_WRITE || exclusive_unread(page))
        return;
    p->others =
        page_flush_others_here(page); /* before the copy: writes in between are of unknown origin */
    memcpy(twin_mem(p->twin), engine_page_mem(page), PAGE_SIZE);
}

/* A blank page that is retained gets a twin, as if it had been written. */
static bool page_flush_home_changed(uint32_t page, const struct page *p)
{
    if (p->blank)
        return (p->flags & PAGE_KEPT) ||
               /* reading it would give it memory */
               (!space_bare(page, 1) &&
                !diff_is_zero(engine_page_mem(page))); /* [readahead.twin] */
    return !p->twin || diff_differs(engine_page_mem(page), twin_mem(p->twin));
}

bool page_flush_same(uint32_t page)
{
    /* [word.announced], [page.equal-twin] */
    return page_at(page)->worded || !exclusive_unread(page);
}

bool page_flush_home(uint32_t page, bool *changed)
{
    struct page *p = page_at(page);
    uint16_t others = page_flush_others_here(page);
    *changed = page_flush_home_changed(page, p);
    if (!*changed)
        return page_flush_same(page); /* [page.equal-twin] */
    PROBE(page_compared);
    if (p->twin && p->others != others)
        /* [diffs-write.home-twin]: the writer is unknown; announced, but no reason to retain it */
        *changed = false;
    p->others = others;
    /* [page.retained-twin]: it leaves tracking when the flush ends, unless a reader arrives */
    if (!(p->flags & PAGE_KEPT) || (exclusive_unread(page) && !first_write_twin_at_home(page)))
        return true;
    if (p->twin)
        memcpy(twin_mem(p->twin), engine_page_mem(page), PAGE_SIZE); /* [page.retained-twin] */
    else
        page_flush_set_twin(page, page_flush_copy_of(page)); /* [page.retained-twin] */
    return true;
}

size_t page_flush_diff(uint32_t page, void *out)
{
    struct page *p = page_at(page);
    uint32_t twin = p->twin;
    if (!twin)
        return 0; /* [word.announced] */
    if (!(p->flags & PAGE_KEPT))
        return diff_encode(engine_page_mem(page), twin_mem(twin), out);
    if (!diff_differs(engine_page_mem(page), twin_mem(twin))) /* threads may store now */
        return 0;
    PROBE(page_compared);
    uint32_t copy = page_flush_copy_of(page); /* [page.retained-twin] */
    PROBE(page_copied);
    size_t len = diff_encode(twin_mem(copy), twin_mem(twin), out);
    page_flush_set_twin(page, copy);
    twin_drop(twin);
    return len;
}

void page_flush_end(uint32_t page, uint64_t interval, bool changed)
{
    uint32_t twin = 0;
    struct page *p = page_lock(page);
    bool kept = p->flags & PAGE_KEPT;
    if (interval && !page_is_home(p, engine.node))
        need_add(&p->need, engine.node, interval); /* [page.needed-versions] */
    if (p->flags & PAGE_DIRTY)
        policy_retain_learn(&p->retain, changed, kept, (unsigned)engine.config.hot_pages);
    if (changed && page_is_home(p, engine.node))
        page_move_note(page, p, engine.node, 0);
    page_judge_load(p, changed);
    p->blank = false;
    p->worded = 0;
    p->flags &= (uint8_t) ~(PAGE_BUSY | PAGE_KEPT);
    if (kept && changed && !p->held && !(p->flags & PAGE_STALE) && exclusive_begin(page, p)) {
        kept = false;
    } else if (kept) {
        dirty_add(page); /* [page.retained-twin]: whether or not it has been revoked since */
        p->flags |= PAGE_LISTED;
    }
    if (!kept) {
        twin = p->twin;
        p->twin = 0;
        p->flags &= (uint8_t)~PAGE_DIRTY; /* [page.busy-capture]: the diff is captured */
    }
    page_unlock(p);
    progress_changed(p);
    if (twin)
        twin_drop(twin);
    if (kept)
        PROBE(flush_retained, changed);
}

bool page_flush_tracked(uint32_t page, uint64_t *mask)
{
    struct page *p = page_lock(page);
    bool changed = false;
    if (p->twin && (p->flags & PAGE_KEPT))
        changed =
            diff_track(engine_page_mem(page), twin_mem(p->twin), mask); /* [page.retained-twin] */
    else if (p->twin)
        changed = diff_scan(engine_page_mem(page), twin_mem(p->twin), mask);
    page_unlock(p);
    return changed;
}

bool page_tracked(uint32_t page, uint64_t *mask)
{
    struct page *p = page_lock(page);
    bool changed = p->twin && p->others == page_flush_others_here(page) &&
                   diff_scan(engine_page_mem(page), twin_mem(p->twin), mask) &&
                   p->others == page_flush_others_here(page); /* [diffs-write.home-twin] */
    page_unlock(p);
    return changed;
}

size_t page_flush_size(uint32_t page, size_t *bytes)
{
    _Alignas(64) unsigned char diff[DIFF_MAX];
    struct page *p = page_lock(page);
    size_t len = p->twin ? diff_encode(engine_page_mem(page), twin_mem(p->twin), diff) : 0;
    page_unlock(p);
    *bytes = diff_changed_bytes(diff, len);
    return len;
}

static int page_flush_apply_tracked(uint32_t page, int writer, const void *diff, size_t len)
{
    struct page *p = page_lock(page);
    int rc = diff_apply(engine_page_mem(page), diff, len);
    bool home = rc == 0 && page_is_home(p, engine.node);
    if (home)
        page_move_note(page, p, writer, (uint32_t)len);
    if (home && p->twin)
        rc = diff_apply(twin_mem(p->twin), diff, len); /* [page.retained-twin] */
    page_unlock(p);
    return rc;
}

int page_apply(uint32_t page, int writer, const void *diff, size_t len)
{
    if (first_write_races_checked() || probe_profiles() || record_all)
        return page_flush_apply_tracked(page, writer, diff, len);
    int rc = diff_apply(engine_page_mem(page), diff, len);
    PROBE(page_applied);
    struct page *p = page_at(page);
    if (rc || !page_is_home(p, engine.node))
        return rc;
    page_lock(page);
    page_move_note(page, p, writer, (uint32_t)len);
    if (p->twin)
        rc = diff_apply(twin_mem(p->twin), diff, len); /* [page.retained-twin] */
    page_unlock(p);
    return rc;
}
