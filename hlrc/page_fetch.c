/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_fetch.c - bringing pages up to date.
 *
 * A fetch works for the one thread that set BUSY. It reads needed[page] without the lock, and compares under the lock
 * before the copy counts (P4): another thread's acquire may have raised it meanwhile.
 *
 * A copy of a clean page is fetched in place; nobody sees it, since access is NONE. That of a dirty page goes to a
 * bounce page, and is merged with what was written here (DESIGN: dirty and announced).
 */
#include "hlrc/page_fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/diff.h"
#include "hlrc/engine.h"
#include "hlrc/msg.h"
#include "hlrc/serve.h"
#include "hlrc/space.h"
#include "hlrc/stats.h"
#include "hlrc/thread.h"
#include "hlrc/twin.h"

#define PREFETCH_BATCH 32 /* pages started before what has arrived is opened */

static struct prefetch {
    struct page_fetch fetch;
} prefetches[PREFETCHES];
static spin_lock_word prefetch_lock; /* guards the two below */
static uint16_t free_slots[PREFETCHES];
static int free_count;
static uint64_t *prefetch_versions;

int page_fetch_init(void)
{
    prefetch_versions = calloc((size_t)PREFETCHES * (size_t)engine.nodes, sizeof *prefetch_versions);
    free_count = 0;
    for (int k = PREFETCHES; k > 0; k--)
        free_slots[free_count++] = (uint16_t)(k - 1);
    return prefetch_versions ? 0 : -ENOMEM;
}

void page_fetch_end(void)
{
    free(prefetch_versions);
    prefetch_versions = NULL;
}

static void aim(struct page_fetch *f, uint32_t page, const struct page *p, uint32_t token, uint64_t *versions)
{
    bool bounce = p->flags & PAGE_DIRTY;
    *f = (struct page_fetch){ .page = page, .home = (int)p->home - 1, .needed = page_needed(page),
                              .versions = versions, .token = token };
    f->window = bounce ? engine.control.id : engine.space.id;
    f->offset = bounce ? engine.at.bounce + (size_t)token * PAGE_SIZE : (size_t)page << PAGE_SHIFT;
    f->dest = bounce ? control_at(f->offset) : page_mem(page);
}

static bool home_current(void *arg)
{
    const struct page_fetch *f = arg;
    for (int w = 0; w < engine.nodes; w++) {
        f->versions[w] = atomic_load_explicit(applied_here(f->page, w), memory_order_acquire);
        if (f->versions[w] < atomic_load_explicit(&f->needed[w], memory_order_relaxed))
            return false;
    }
    return true;
}

static void count_outcome(const struct page_fetch *f)
{
    if (f->home != engine.node)
        stats_count(STAT_PAGE_FETCHES, 1);
    else if (f->assigned)
        stats_count(STAT_HOMES_ASSIGNED, 1);
}

static void fetch_once(struct page_fetch *f)
{
    if (f->home != engine.node) {
        engine.protocol->fetch_start(f, false);
        engine.protocol->fetch_finish(f, false);
        count_outcome(f);
    }
    if (f->home == engine.node) /* nothing was copied: the copy is here, diffs may still be on their way to it */
        serve_wait(home_current, f, WAIT_STATE);
}

/* Takes a fetched copy over, unless it lacks a version by now. ASSUMPTION: locked. */
static bool install(const struct page_fetch *f, struct page *p)
{
    if (f->home >= 0)
        p->home = (uint16_t)(f->home + 1);
    if (!protocol_covers(f->versions, f->needed, engine.nodes))
        return false;
    if ((p->flags & PAGE_DIRTY) && f->home != engine.node)
        diff_merge(page_mem(f->page), twin_mem(p->twin), f->dest);
    p->flags &= (uint8_t)~(PAGE_STALE | PAGE_BUSY | PAGE_PREFETCH);
    return true;
}

bool page_bring(uint32_t page, struct page *p)
{
    struct thread *t = thread_self();
    enum stats_category before = stats_enter(t, STATS_PAGE);
    bool done = false;
    struct page_fetch f;
    aim(&f, page, p, t->call_token, t->versions);
    while (!done) {
        fetch_once(&f);
        page_lock(page);
        done = install(&f, p);
        page_unlock(p);
    }
    stats_enter(t, before);
    return f.assigned;
}

static int prefetch_slot(void)
{
    spin_take(&prefetch_lock);
    int found = free_count ? free_slots[--free_count] : -1;
    spin_drop(&prefetch_lock);
    return found;
}

static void prefetch_free(int k)
{
    spin_take(&prefetch_lock);
    free_slots[free_count++] = (uint16_t)k;
    spin_drop(&prefetch_lock);
}

/* Starts fetching one page if it is stale and nobody works on it. */
static bool prefetch_start(uint32_t page)
{
    struct page *p = page_lock(page);
    bool stale = p->flags & PAGE_STALE;
    page_unlock(p);
    int k = stale ? prefetch_slot() : -1;
    if (k < 0)
        return false;
    page_lock(page);
    bool wanted = (p->flags & (PAGE_STALE | PAGE_BUSY | PAGE_DIRTY)) == PAGE_STALE && !page_is_home(p, engine.node);
    if (wanted) {
        p->flags |= PAGE_BUSY | PAGE_PREFETCH;
        p->prefetch = (uint16_t)k;
        aim(&prefetches[k].fetch, page, p, msg_token_prefetch((uint32_t)k),
            prefetch_versions + (size_t)k * (size_t)engine.nodes);
    }
    /* started under the lock: whoever finds PREFETCH set finds the fetch started; starting does not wait */
    if (wanted)
        engine.protocol->fetch_start(&prefetches[k].fetch, true);
    page_unlock(p);
    if (!wanted)
        prefetch_free(k);
    return wanted;
}

/* Ends the prefetch of a locked page: complete, or as stale as it was. */
static void prefetch_end(struct page *p)
{
    int k = p->prefetch;
    struct page_fetch *f = &prefetches[k].fetch;
    bool covers = engine.protocol->fetch_finish(f, true);
    if (covers)
        count_outcome(f);
    if (f->home == engine.node)
        covers = home_current(f);
    if (!covers || !install(f, p))
        p->flags &= (uint8_t)~(PAGE_BUSY | PAGE_PREFETCH);
    prefetch_free(k);
}

static bool prefetch_ready(void *arg)
{
    struct page_fetch *f = arg;
    return engine.protocol->fetch_ready(f);
}

/* Finishes what has arrived, and opens runs of complete pages that are closed, each run in one call. */
static void open_arrived(uint32_t first, uint32_t count)
{
    uint32_t start = first, n = 0;
    for (uint32_t i = first; i <= first + count; i++) {
        struct page *p = i < first + count ? page_lock(i) : NULL;
        if (p && (p->flags & PAGE_PREFETCH) && engine.protocol->fetch_ready(&prefetches[p->prefetch].fetch))
            prefetch_end(p);
        bool open = p && p->access == ACCESS_NONE &&
                    !(p->flags & (PAGE_STALE | PAGE_BUSY | PAGE_DIRTY | PAGE_EXCLUSIVE));
        if (open && n < 64) {
            start = n++ ? start : i;
            continue; /* stays locked until its run is opened */
        }
        if (n && space_protect(start, n, ACCESS_READ) == 0)
            for (uint32_t k = start; k < start + n; k++)
                page_at(k)->access = ACCESS_READ;
        for (uint32_t k = start; k < start + n; k++)
            page_unlock(page_at(k));
        n = 0;
        if (open) {
            start = i;
            n = 1;
        } else if (p) {
            page_unlock(p);
        }
    }
}

void page_prefetch_finish(uint32_t page)
{
    struct thread *t = thread_self();
    struct page *p = page_lock(page);
    while (p->flags & PAGE_PREFETCH) {
        struct page_fetch *f = &prefetches[p->prefetch].fetch;
        if (engine.protocol->fetch_ready(f)) {
            prefetch_end(p);
            break;
        }
        page_unlock(p);
        enum stats_category before = stats_enter(t, STATS_PAGE);
        serve_wait(prefetch_ready, f, WAIT_STATE);
        stats_enter(t, before);
        page_lock(page);
    }
    page_unlock(p);
    /* its neighbours were asked for together with it */
    open_arrived(page, engine.pages - page < PREFETCH_BATCH ? engine.pages - page : PREFETCH_BATCH);
}

void page_prefetch(uint32_t first, uint32_t count)
{
    for (uint32_t i = first, from = first; i < first + count; i++) {
        bool full = i - from == PREFETCH_BATCH;
        prefetch_start(i);
        if (full || i + 1 == first + count) {
            serve_poll();
            open_arrived(from, i + 1 - from);
            from = i + 1;
        }
    }
}
