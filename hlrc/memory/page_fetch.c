/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page_fetch.c - fetching pages.
 *
 * A fetch belongs to the thread that set BUSY. It takes along a list of what the page needs. The
 * needs at its end are compared under the lock before the copy is installed [page.needed-versions]:
 * another thread's acquire may have added to them.
 *
 * A prefetch belongs to the thread that starts it, then (PREFETCH) to none, then to the thread
 * that clears PREFETCH. Only its owner calls start and finish, which may wait; any thread may ask
 * under the page's lock whether it is ready.
 *
 * A copy of a clean page is fetched in place, or to a bounce page if the page must not be
 * registered (copies.h); no thread sees it, since access is NONE. A copy of a dirty page is
 * fetched to a bounce page, and merged with the writes here (doc/design.md, rule 5).
 */
#include "hlrc/memory/page_fetch.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/headroom.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/space.h"
#include "hlrc/memory/twin.h"
#include "hlrc/policy/policy_batch.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

static_assert(PREFETCHES <= 1u << 10, "bits of struct page");

static struct page_fetch_prefetch {
    struct protocol_fetch fetch;
    _Atomic uint32_t page; /* page of its last use */
    _Atomic bool used;     /* taken from the free slots */
    int64_t begun;         /* for the timeline; with `fetch` */
} prefetches[PREFETCHES];
static spin_lock_word prefetch_lock; /* guards the two below */
static uint16_t free_slots[PREFETCHES];
static int free_count;
static uint64_t *prefetch_versions; /* FETCH_WORDS for each */

static size_t page_fetch_versions_bytes(void)
{
    return engine.prefetches * FETCH_WORDS(engine.nodes) * sizeof *prefetch_versions;
}

int page_fetch_init(void)
{
    prefetch_versions = reserve(page_fetch_versions_bytes());
    free_count = 0;
    for (uint32_t k = engine.prefetches; k > 0; k--)
        free_slots[free_count++] = (uint16_t)(k - 1);
    return prefetch_versions ? 0 : -ENOMEM;
}

void page_fetch_end(void)
{
    reserve_end(prefetch_versions, page_fetch_versions_bytes());
    prefetch_versions = NULL;
}

/* Registered memory cannot be freed. */
static bool page_fetch_lands_apart(void)
{
    return copies_may_go() && engine.fabric->ops.window_prepare;
}

/* Where homes write pages, the control group of the home would be charged for a new one. */
static bool page_fetch_made_here(void)
{
    return !(engine.protocol.pages->caps & FABRIC_READ) && (copies_may_go() || headroom_grouped());
}

/* Lists the versions that the copy must have, as known now. ASSUMPTION: locked. */
static void page_fetch_list_needs(struct protocol_fetch *f, const struct page *p)
{
    uint64_t *list = f->versions + engine.nodes;
    f->needs = need_list(p->need, list);
    f->needed = list;
}

/* `versions`: FETCH_WORDS of scratch. ASSUMPTION: locked. */
static void page_fetch_aim(struct protocol_fetch *f, uint32_t page, const struct page *p,
                           uint32_t token, uint64_t *versions)
{
    /* [update.own-stores] */
    bool bounce = (p->flags & PAGE_DIRTY) || p->access != ACCESS_NONE || page_fetch_lands_apart();
    *f = (struct protocol_fetch){ .page = page,
                                  .home = (int)p->home - 1,
                                  .versions = versions,
                                  .introduce = engine.config.exclusive_pages == SWITCH_ON &&
                                               !p->introduced, /* [unshared.reader-mark] */
                                  .token = token };
    f->window = bounce ? engine.control.id : engine.space.id;
    f->offset = bounce ? engine.at.bounce + (size_t)token * PAGE_SIZE : (size_t)page << PAGE_SHIFT;
    f->dest = bounce ? engine_control_at(f->offset) : engine_page_mem(page);
    page_fetch_list_needs(f, p);
}

static bool page_fetch_home_current(void *arg)
{
    const struct protocol_fetch *f = arg;
    for (int w = 0; w < engine.nodes; w++)
        f->versions[w] =
            atomic_load_explicit(engine_applied_here(f->page, w), memory_order_acquire);
    return protocol_covers(f);
}

static void page_fetch_start(struct protocol_fetch *f, bool prefetch)
{
    for (uint32_t i = 0; i < f->needs; i++)
        if (protocol_version_writer(f->needed[i]) == engine.node)
            /* [interval.quiet-diffs]: wakes homes with this node's diffs */
            engine.protocol.diffs->hand_on();
    engine.protocol.pages->fetch_start(f, prefetch);
}

static void page_fetch_once(struct protocol_fetch *f)
{
    if (f->home != engine.node) {
        struct probe_span span = PROBE_BEGIN(page_fetch);
        page_fetch_start(f, false);
        engine.protocol.pages->fetch_finish(f, false);
        if (f->home != engine.node)
            PROBE_END(page_fetch, span, f->page, f->home);
        else if (f->assigned)
            PROBE(home_assigned);
    }
    /* nothing was copied: the copy is here, diffs for it may be in flight */
    if (f->home == engine.node)
        /* woken when this home has applied a diff */
        progress_await((struct waits_wait){ WAITS_PAGE_OWN_DIFFS, f->page, 0 }, page_at(f->page),
                       page_fetch_home_current, f);
}

/* Copies from the bounce page. ASSUMPTION: locked. */
static void page_fetch_take_over(const struct protocol_fetch *f, const struct page *p)
{
    if ((p->flags & PAGE_DIRTY) && p->access == ACCESS_WRITE)
        diff_renew(engine_page_mem(f->page), twin_mem(p->twin), f->dest); /* [update.own-stores] */
    else if (p->flags & PAGE_DIRTY)
        diff_merge(engine_page_mem(f->page), twin_mem(p->twin), f->dest);
    else
        memcpy(engine_page_mem(f->page), f->dest, PAGE_SIZE);
}

/* Installs a fetched copy, unless it lacks a version by now. ASSUMPTION: locked. */
static bool page_fetch_install(const struct protocol_fetch *f, struct page *p)
{
    if (f->home >= 0)
        p->home = (uint16_t)(f->home + 1);   /* rule 7 */
    if (!need_covered(p->need, f->versions)) /* [page.open-not-stale], [page.needed-versions] */
        return false;
    need_drop(&p->need); /* [need.dropped] */
    if (f->home != engine.node && f->dest != engine_page_mem(f->page))
        page_fetch_take_over(f, p); /* [page.dirty-twin] */
    p->introduced |= f->home != engine.node;
    if (f->home != engine.node)
        copies_add(f->page, p);
    p->flags &= (uint8_t) ~(PAGE_STALE | PAGE_BUSY | PAGE_PREFETCH);
    PROBE(page_updated, p->renewal.pending);
    p->renewal.pending = false;
    return true;
}

/* A page that was never fetched, or was evicted, has no memory here. A hint: reads without its
 * lock. */
static bool page_fetch_is_bare(const struct page *p)
{
    return (p->flags & (PAGE_STALE | PAGE_DIRTY)) == PAGE_STALE && !p->copy &&
           !page_is_home(p, engine.node);
}

bool page_fetch(uint32_t page, struct page *p)
{
    struct thread *t = thread_self();
    struct probe_span span = PROBE_BEGIN(page_wait);
    bool done = false;
    struct protocol_fetch f;
    page_fetch_aim(&f, page, p, t->call_token, t->versions);
    page_unlock(p);
    if (page_fetch_made_here() && page_fetch_is_bare(p))
        space_furnish(page, 1);
    while (!done) {
        PROBE(page_busy);
        page_fetch_once(&f);
        PROBE(page_fetched);
        page_lock(page);
        done = page_fetch_install(&f, p);
        if (!done)
            page_fetch_list_needs(&f, p);
        page_unlock(p);
    }
    progress_changed(p);
    PROBE_END(page_wait, span);
    return f.assigned;
}

static int page_fetch_prefetch_slot(uint32_t page)
{
    spin_lock(&prefetch_lock);
    int found = free_count ? free_slots[--free_count] : -1;
    spin_unlock(&prefetch_lock);
    if (found >= 0) {
        atomic_store(&prefetches[found].page, page);
        atomic_store(&prefetches[found].used, true);
    }
    return found;
}

static void page_fetch_prefetch_free(int k)
{
    atomic_store(&prefetches[k].used, false);
    spin_lock(&prefetch_lock);
    free_slots[free_count++] = (uint16_t)k;
    spin_unlock(&prefetch_lock);
}

/* Whether a thread has to finish the prefetch of this page now. ASSUMPTION: locked. */
static bool page_fetch_prefetch_arrived(const struct page *p)
{
    return (p->flags & PAGE_PREFETCH) &&
           engine.protocol.pages->fetch_ready(&prefetches[p->prefetch].fetch);
}

/* Takes over a prefetch and finishes it: the page is complete then, or stale as before.
 * ASSUMPTION: PREFETCH is set and the page locked; unlocked afterwards. */
static void page_fetch_prefetch_end(uint32_t page, struct page *p)
{
    int k = p->prefetch;
    p->flags &= (uint8_t)~PAGE_PREFETCH;
    page_unlock(p);
    PROBE(prefetch_taken);
    struct protocol_fetch *f = &prefetches[k].fetch;
    struct probe_span span = PROBE_BEGIN(prefetch);
    bool covers = engine.protocol.pages->fetch_finish(f, true),
         came = covers && f->home != engine.node;
    if (came)
        PROBE(page_prefetched, page, f->home);
    else if (covers && f->assigned)
        PROBE(home_assigned);
    if (f->home == engine.node)
        covers = page_fetch_home_current(f);
    page_lock(page);
    if (!covers || !page_fetch_install(f, p))
        p->flags &= (uint8_t)~PAGE_BUSY;
    page_unlock(p);
    progress_changed(p);
    if (came)
        PROBE_END(prefetch, span, page, f->home, prefetches[k].begun);
    page_fetch_prefetch_free(k);
}

/* Marks the page BUSY if it is stale, no thread works on it, and a slot is free; returns the slot,
 * or -1. */
static int page_fetch_prefetch_claim(uint32_t page)
{
    int k = -1;
    struct page *p = page_lock(page);
    uint8_t out = p->renewal.pending ? PAGE_BUSY : PAGE_BUSY | PAGE_DIRTY;
    if ((p->flags & (PAGE_STALE | out)) == PAGE_STALE && !page_is_home(p, engine.node) &&
        !p->held && !page_held(page))
        k = page_fetch_prefetch_slot(page);
    if (k >= 0) {
        p->flags |= PAGE_BUSY;
        p->prefetch = (unsigned)k % PREFETCHES;
        page_fetch_aim(&prefetches[k].fetch, page, p, msg_token_prefetch((uint32_t)k),
                       prefetch_versions + (size_t)k * FETCH_WORDS(engine.nodes));
    }
    page_unlock(p);
    return k;
}

bool page_prefetch_start(uint32_t page, bool early)
{
    int k = page_fetch_prefetch_claim(page);
    if (k < 0)
        return false;
    prefetches[k].fetch.early = early;
    prefetches[k].begun = PROBE_BEGIN(prefetch).begin;
    page_fetch_start(&prefetches[k].fetch, true);
    PROBE(prefetch_started);
    struct page *p = page_lock(page);
    p->flags |= PAGE_PREFETCH;
    page_unlock(p);
    progress_changed(p);
    return true;
}

/* Finishes prefetches that have arrived, and opens complete pages in runs, each in one call. */
static void page_fetch_open_arrived(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        struct page *p = page_lock(i);
        if (page_fetch_prefetch_arrived(p))
            page_fetch_prefetch_end(i, p);
        else
            page_unlock(p);
    }
    for (uint32_t i = 0; i < count;) {
        uint32_t n = page_open_run(first + i, count - i, false);
        i += n ? n : 1;
    }
}

static bool page_fetch_prefetch_over(void *arg)
{
    uint32_t page = *(const uint32_t *)arg;
    struct page *p = page_lock(page);
    bool over = !(p->flags & PAGE_PREFETCH) || page_fetch_prefetch_arrived(p);
    page_unlock(p);
    return over;
}

void page_prefetch_finish(uint32_t page)
{
    if (!page_fetch_prefetch_over(&page)) {
        struct probe_span span = PROBE_BEGIN(page_wait);
        progress_wait((struct waits_wait){ WAITS_PAGE_PREFETCH, page, 0 }, page_fetch_prefetch_over,
                      &page, WAIT_STATE);
        PROBE_END(page_wait, span);
    }
    /* its neighbours were requested together with it */
    page_fetch_open_arrived(page, engine.pages - page < POLICY_BATCH_PREFETCH
                                      ? engine.pages - page
                                      : POLICY_BATCH_PREFETCH);
}

void page_prefetch_advance(const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct page *p = page_lock(list[i]);
        (void)page_fetch_prefetch_arrived(p); /* starts the second read if the first is over */
        page_unlock(p);
    }
}

struct page_fetch_until {
    uint32_t page;
    int64_t deadline;
};

static bool page_fetch_prefetch_over_or_late(void *arg)
{
    struct page_fetch_until *u = arg;
    return page_fetch_prefetch_over(&u->page) || clock_ns() >= u->deadline;
}

bool page_prefetch_end(uint32_t page, int64_t deadline)
{
    struct page_fetch_until u = { page, deadline };
    progress_wait((struct waits_wait){ WAITS_PAGE_PREFETCH, page, 0 },
                  page_fetch_prefetch_over_or_late, &u, WAIT_STATE);
    struct page *p = page_lock(page);
    bool here = page_fetch_prefetch_arrived(p), late = (p->flags & PAGE_PREFETCH) && !here;
    if (here)
        page_fetch_prefetch_end(page, p);
    else
        page_unlock(p);
    return !late;
}

static bool page_fetch_slots_free(uint32_t least)
{
    spin_lock(&prefetch_lock);
    bool enough = free_count >= (int)least;
    spin_unlock(&prefetch_lock);
    return enough;
}

void page_prefetch_reclaim(uint32_t least)
{
    for (uint32_t k = 0; k < engine.prefetches && !page_fetch_slots_free(least); k++) {
        uint32_t page = atomic_load(&prefetches[k].page); /* may be another page's by now */
        struct page *p = page_lock(page);
        if (p->prefetch == k && page_fetch_prefetch_arrived(p))
            page_fetch_prefetch_end(page, p);
        else
            page_unlock(p);
    }
}

void page_prefetch_finish_all(void)
{
    for (int k = 0; k < PREFETCHES; k++)
        while (atomic_load(&prefetches[k].used)) {
            page_prefetch_finish(atomic_load(&prefetches[k].page));
            progress_poll();
        }
}

/* Allocates the memory of pages to be fetched, by runs. A hint: nothing is locked. */
static void page_fetch_furnish(uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        while (i + n < count && !(page_at(first + i + n)->flags & PAGE_BUSY) &&
               page_fetch_is_bare(page_at(first + i + n)))
            n++;
        if (n > 1)
            space_furnish(first + i, n);
        i += n ? n : 1;
    }
}

void page_prefetch(uint32_t first, uint32_t count)
{
    uint32_t started = 0; /* more than there is room for would evict each other */
    for (uint32_t i = first; i < first + count && started < copies_room();
         i += POLICY_BATCH_PREFETCH) {
        uint32_t n =
            first + count - i < POLICY_BATCH_PREFETCH ? first + count - i : POLICY_BATCH_PREFETCH;
        page_prefetch_reclaim(n < engine.prefetches ? n : engine.prefetches);
        page_fetch_open_arrived(i, n); /* what arrived too old is requested again */
        page_fetch_furnish(i, n);
        for (uint32_t k = i; k < i + n; k++)
            started += page_prefetch_start(k, false);
        progress_poll();
        page_fetch_open_arrived(i, n);
        copies_trim();
    }
}
