/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page.c - states and their transitions; see page.h. Fetching is in page_fetch.c. */
#include "hlrc/memory/page.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/record.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/default_home.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/page_claim.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_look.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/memory/renew.h"
#include "hlrc/memory/space.h"
#include "hlrc/memory/twin.h"
#include "hlrc/memory/unchanged.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

static struct page *table;
static _Atomic uint32_t met;                  /* page_met */
static _Atomic uint32_t held_first, held_end; /* page_hold */
static _Atomic bool unlooked;                 /* page_hold_looks */

int page_init(void)
{
    table = reserve((size_t)engine.pages * sizeof *table);
    if (!table || need_init() != 0)
        return -ENOMEM;
    atomic_store(&met, 0);
    return engine.alone ? 0 : page_view_init(0, engine.pages);
}

#ifdef HLRC_DEBUG
/* No line was lost. */
static void page_assert_lines(void)
{
    uint64_t lines = 0, most;
    for (uint32_t i = 0; table && i < page_met(); i++)
        lines += need_lines_of(table[i].need);
    assert(lines == need_lines_used(&most));
}
#else
#    define page_assert_lines() ((void)0)
#endif

void page_end(void)
{
    page_assert_lines();
    reserve_end(table, (size_t)engine.pages * sizeof *table);
    table = NULL;
    need_end();
}

struct page *page_at(uint32_t page)
{
    return &table[page];
}

#ifdef HLRC_DEBUG
void page_assert_state(uint32_t page, const struct page *p)
{
    uint8_t f = p->flags;
    /* [page.open-not-stale] */
    assert(p->access == ACCESS_NONE || !(f & PAGE_STALE) || p->renewal.pending);
    /* [page.writable-tracked] */
    assert(p->access != ACCESS_WRITE || (f & (PAGE_DIRTY | PAGE_EXCLUSIVE)));
    assert(!(f & PAGE_DIRTY) || p->home != 0);
    /* [page.dirty-twin] */
    assert(!(f & PAGE_DIRTY) || page_is_home(p, engine.node) || p->twin != 0);
    assert(!(f & PAGE_EXCLUSIVE) || page_is_home(p, engine.node) ||
           default_home_of(page) == engine.node);
    assert((f & (PAGE_EXCLUSIVE | PAGE_DIRTY)) != (PAGE_EXCLUSIVE | PAGE_DIRTY));
    assert(!(f & PAGE_EXCLUSIVE) || !p->twin);
    assert(!(f & PAGE_PREFETCH) || (f & PAGE_BUSY));
    assert((f & (PAGE_DIRTY | PAGE_BUSY | PAGE_LISTED)) != PAGE_DIRTY);
    /* [page.retained-twin] */
    assert(!(f & PAGE_KEPT) || (f & (PAGE_BUSY | PAGE_DIRTY)) == (PAGE_BUSY | PAGE_DIRTY));
    /* [page.needed-versions] */
    assert((f & PAGE_STALE) || p->need == 0 || protocol_version_writer(p->need) == engine.node);
}

void page_assert_announced(uint32_t page, uint64_t interval)
{
    struct page *p = page_lock(page);
    uint64_t need = need_of(p->need, engine.node);
    if (page_is_home(p, engine.node))
        assert(atomic_load(engine_applied_here(page, engine.node)) == interval);
    else
        /* [need.dropped]: a copy that has it was fetched since */
        assert(need == interval || need == 0);
    page_unlock(p);
}
#endif

static void page_set_initial(uint32_t page, struct page *p)
{
    enum protocol_access right = first_write_access(page);
    uint8_t flags = PAGE_KNOWN | (p->flags & PAGE_LISTED);
    if (right == ACCESS_NONE)
        flags |= PAGE_STALE;
    if (right == ACCESS_WRITE)
        flags |= PAGE_EXCLUSIVE;
    p->access = first_write_view(page);
    p->flags = flags;
}

uint32_t page_met(void)
{
    return atomic_load_explicit(&met, memory_order_relaxed);
}

static void page_meet(uint32_t page)
{
    uint32_t before = page_met();
    while (page >= before && !atomic_compare_exchange_weak(&met, &before, page + 1))
        ;
}

struct page *page_lock_unmet(uint32_t page)
{
    struct page *p = &table[page];
    spin_lock(&p->lock);
    if (!(p->flags & PAGE_KNOWN))
        page_set_initial(page, p);
    page_assert_state(page, p);
    return p;
}

struct page *page_lock(uint32_t page)
{
    struct page *p = page_lock_unmet(page);
    page_meet(page);
    return p;
}

void page_unlock(struct page *p)
{
    page_assert_state((uint32_t)(p - table), p);
    spin_unlock(&p->lock);
}

/* No thread works on the page: it is not BUSY, or a prefetch that can be finished. */
static bool page_idle(void *arg)
{
    const struct page *p = arg;
    return (atomic_load_explicit(&p->flags, memory_order_acquire) & (PAGE_BUSY | PAGE_PREFETCH)) !=
           PAGE_BUSY;
}

void page_wait(uint32_t page)
{
    if (table[page].flags & PAGE_PREFETCH)
        page_prefetch_finish(page);
    else
        progress_await((struct waits_wait){ WAITS_PAGE_BUSY, page, 0 }, &table[page], page_idle,
                       &table[page]);
}

/* Before a clean page becomes writable: for a store, or `ahead` of one. */
static void page_mark_dirty(uint32_t page, struct page *p, bool ahead)
{
    bool sole = ahead && exclusive_sole(page, p); /* [readahead.twin] */
    /* [readahead.twin]: stored to, after it was announced */
    if ((!ahead || sole) && exclusive_begin(page, p))
        return;
    /* [races.tracked] */
    p->blank = ahead && p->blank && !first_write_races_checked();
    /* [readahead.twin], [races.tracked] */
    if (ahead ? !p->blank && !sole
              : !page_is_home(p, engine.node) || first_write_twin_at_home(page)) {
        /* [page.dirty-twin] */
        p->twin = page_flush_twin(page, p);
        PROBE(twin_created);
    }
    first_write_note(page);
    if (!(p->flags & PAGE_LISTED))
        dirty_add(page); /* [page.writable-tracked] */
    p->flags |= PAGE_DIRTY | PAGE_LISTED;
}

static bool page_stores_follow(const struct page *p)
{
    return p->home != 0 && policy_retain_follows(p->retain, p->stores);
}

void page_judge_load(struct page *p, bool written)
{
    p->stores = (uint16_t)(policy_retain_judge(&p->retain, p->stores, written) & 3);
}

/* Opens the view of a page that is complete here: [page.writable-tracked], with page_mark_dirty.
 * ASSUMPTIONS: locked, not BUSY, not STALE, home known when writing. */
static int page_grant(uint32_t page, struct page *p, bool write)
{
    enum protocol_access right = ACCESS_READ;
    if (!(p->flags & (PAGE_DIRTY | PAGE_EXCLUSIVE)) && (write || page_stores_follow(p))) {
        page_mark_dirty(page, p, !write);
        p->stores = (uint16_t)(policy_retain_opened(p->stores, write) & 3);
    }
    if (write)
        policy_retain_stored(&p->retain);
    page_look_opens(page, p);
    if (p->flags & (PAGE_DIRTY | PAGE_EXCLUSIVE))
        right = ACCESS_WRITE;
    PROBE(page_twinned);
    return page_view_change(page, 1, right);
}

/* ASSUMPTION: marked BUSY and locked; unlocked afterwards. */
static void page_fetch_for(uint32_t page, struct page *p, bool write)
{
    bool first = page_fetch(page, p);
    PROBE(page_complete, page, first && write);
}

static bool page_released(void *arg)
{
    return !atomic_load(&((const struct page *)arg)->held);
}

static bool page_is_shut(const struct page *p)
{
    return (p->flags & (PAGE_EXCLUSIVE | PAGE_BUSY | PAGE_STALE)) == PAGE_EXCLUSIVE &&
           p->access == ACCESS_NONE && !p->held && !p->migrate.watched;
}

/* [page.unshared-block], [heap.reset]. ASSUMPTION: locked. */
static bool page_opens_with(uint32_t neighbour)
{
    return page_is_shut(&table[neighbour]) && !page_held(neighbour);
}

/* [page.unshared-block]: the block's other pages are likely to be used as well. */
static bool page_open_alone(uint32_t page)
{
    uint32_t pages = 1u << default_home_block_shift(page), low, end;
    if (pages > RUN_PAGES)
        pages = RUN_PAGES;
    low = page / pages * pages;
    end = low + pages < engine.pages ? low + pages : engine.pages;
    for (uint32_t i = low; i < end; i++)
        (void)page_lock(i);
    uint32_t first = page, last = page;
    while (first > low && page_opens_with(first - 1))
        first--;
    while (last + 1 < end && page_opens_with(last + 1))
        last++;
    bool shut = page_is_shut(&table[page]);
    int rc = shut ? page_view_change(first, last + 1 - first, ACCESS_WRITE) : 0;
    for (uint32_t i = low; i < end; i++)
        page_unlock(&table[i]);
    if (rc)
        page_view_mend(first, last + 1 - first);
    return shut && rc == 0;
}

/* One step towards access [page.field-lock]; true if the page can be accessed now. */
static bool page_access_step(uint32_t page, bool write, bool *worked)
{
    struct page *p = page_lock(page);
    if (p->flags & PAGE_BUSY) {
        page_unlock(p);
        page_wait(page);
        return false;
    }
    if (p->access >= (write ? ACCESS_WRITE : ACCESS_READ)) {
        page_unlock(p);
        return true;
    }
    if (p->held) { /* [home-migration.held] */
        page_unlock(p);
        progress_await((struct waits_wait){ WAITS_PAGE_MOVES, page, 0 }, p, page_released, p);
        return false;
    }
    page_move_used(p);
    *worked = true;
    if (page_is_shut(p)) {
        page_unlock(p);
        return page_open_alone(page);
    }
    if (write && unchanged_is_closed(page, p)) {
        page_unlock(p);
        return unchanged_open(page);
    }
    bool stale = p->flags & PAGE_STALE;
    bool unclaimed = write && p->home == 0 && !(p->flags & PAGE_EXCLUSIVE);
    if (stale || unclaimed) {
        p->flags |= PAGE_BUSY;
        if (stale)
            page_fetch_for(page, p, write);
        else
            (void)page_claim(page, p, false);
        return false;
    }
    int rc = page_grant(page, p, write);
    page_unlock(p);
    if (rc)
        page_view_mend(page, 1);
    return rc == 0;
}

bool page_access(uint32_t page, bool write)
{
    bool worked = false;
    while (!page_access_step(page, write, &worked))
        ;
    if (worked && write)
        PROBE(page_opened_dirty, page);
    else if (worked)
        PROBE(page_opened, page);
    return worked;
}

void page_hold(uint32_t first, uint32_t count)
{
    atomic_store(&unlooked, false);
    atomic_store(&held_end, 0); /* never a mix of two ranges */
    atomic_store(&held_first, first);
    atomic_store(&held_end, first + count);
    for (uint32_t i = first; i < first + count; i++) {
        /* the lock orders the range before the page's next check, or a claim before this point */
        page_unlock(page_lock(i));
        while (table[i].flags & PAGE_BUSY)
            page_wait(i);
    }
}

bool page_held(uint32_t page)
{
    return page < atomic_load(&held_end) && page >= atomic_load(&held_first);
}

void page_hold_looks(void)
{
    atomic_store(&unlooked, true);
}

bool page_looks_held(uint32_t page)
{
    return atomic_load(&unlooked) && page_held(page);
}

/* Whether page_touch may open this page together with its neighbours. ASSUMPTION: locked. */
static bool page_grantable(const struct page *p, bool write)
{
    if (p->held || p->migrate.watched || (p->flags & (PAGE_BUSY | PAGE_STALE | PAGE_EXCLUSIVE)))
        return false;
    return write ? p->home != 0 && p->access != ACCESS_WRITE
                 : !(p->flags & PAGE_DIRTY) && p->access == ACCESS_NONE;
}

/* Purpose of memory_page_open_run: for a thread that asks for the pages, or ahead of one
 * (ahead.h). Ahead of stores: all pages, or pages whose home is here. */
enum page_opening { ASKED, AHEAD, AHEAD_HERE };

/* A held page is opened only singly, for a thread that asks for it (page_hold). */
static bool page_opened_by(enum page_opening how, uint32_t page)
{
    return !page_held(page) && (how != AHEAD_HERE || page_is_home(&table[page], engine.node));
}

static uint32_t memory_page_open_run(uint32_t first, uint32_t count, bool write,
                                     enum page_opening how)
{
    uint32_t n = 0;
    while (n < count && n < RUN_PAGES && page_grantable(page_lock(first + n), write) &&
           page_opened_by(how, first + n)) {
        struct page *p = &table[first + n];
        if (write && !(p->flags & PAGE_DIRTY))
            page_mark_dirty(first + n, p, how != ASKED);
        if (write)
            policy_retain_stored(&p->retain);
        if (write && how == ASKED) /* hlrc_touch reopens it in runs, which costs less */
            policy_retain_forget(&p->retain);
        page_look_opens(first + n, p);
        n++;
    }
    if (n < count && n < RUN_PAGES)
        page_unlock(&table[first + n]);
    int rc = n ? page_view_change(first, n, write ? ACCESS_WRITE : ACCESS_READ) : 0;
    for (uint32_t i = first; i < first + n; i++)
        page_unlock(&table[i]);
    if (rc)
        page_view_mend(first, n);
    return rc ? 0 : n;
}

uint32_t page_open_run(uint32_t first, uint32_t count, bool write)
{
    return memory_page_open_run(first, count, write, ASKED);
}

/* Not pages without a home. Returns the number opened. */
static uint32_t page_open_stores(uint32_t first, uint32_t count, enum page_opening how)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t n = memory_page_open_run(first + i, count - i, true, how);
        all += n;
        i += n ? n : 1;
    }
    return all;
}

void page_ahead(uint32_t first, uint32_t count, bool write, bool here)
{
    PROBE(pages_ahead, first, count, write ? RECORD_STORES | (here ? RECORD_HOMES_HERE : 0) : 0,
          count);
    if (!here)
        page_prefetch(first, count);
    if (write)
        (void)page_open_stores(first, count, here ? AHEAD_HERE : AHEAD);
}

void page_ahead_here(uint32_t first, uint32_t count)
{
    PROBE(pages_ahead, first, count, RECORD_STORES | RECORD_NO_FETCH, 0);
    PROBE(pages_opened_ahead, page_open_stores(first, count, AHEAD));
}

void page_touch(uint32_t first, uint32_t count, bool write)
{
    page_prefetch(first, count);
    for (uint32_t i = 0; write && i < count; i++)
        page_claim_touched(first + i);
    for (uint32_t i = 0; i < count;) {
        uint32_t n = page_open_run(first + i, count - i, write);
        if (n == 0)
            page_access(first + i, write);
        i += n ? n : 1;
        copies_trim();
    }
}

/* Whether the diff of this interval is in the page already [need.dropped]. ASSUMPTION: locked. */
static bool page_applied_at_home(uint32_t page, const struct page *p, int writer, uint64_t interval)
{
    return page_is_home(p, engine.node) && atomic_load_explicit(engine_applied_here(page, writer),
                                                                memory_order_acquire) >= interval;
}

/* Whether a fetch that starts now brings all announced versions [diffs-write.visible],
 * [need.dropped]. ASSUMPTION: locked. */
static bool page_told_is_there(const struct page *p)
{
    return engine.config.diffs == DIFFS_WRITE && !(p->flags & PAGE_BUSY);
}

/* Notes one page of a run; true if access has to be revoked. ASSUMPTION: locked. */
static bool page_note_one(uint32_t page, struct page *p, int writer, uint64_t interval)
{
    if (page_applied_at_home(page, p, writer, interval)) {
        page_flush_told(page, p);
        return page_look_later(p);
    }
    debug_assert(!(p->flags & PAGE_EXCLUSIVE) || page_is_home(p, engine.node));
    bool renewed = renew_instead(page, p);
    if (!(p->flags & PAGE_STALE))
        PROBE(page_invalidated, page);
    p->flags |= PAGE_STALE;
    p->looked = 0; /* the next access faults without it, too */
    return p->access != ACCESS_NONE && !renewed;
}

/* After the revocation. ASSUMPTION: locked. */
static void page_note_end(uint32_t page, struct page *p, int writer, uint64_t interval, bool revoke)
{
    if (revoke && p->access != ACCESS_NONE) {
        /* [page.open-not-stale]; the caller collapses and retries */
        p->flags &= (uint8_t)~PAGE_STALE;
        return;
    }
    if (!page_applied_at_home(page, p, writer, interval) && !page_told_is_there(p))
        need_add(&p->need, writer, interval); /* [page.needed-versions] */
    if (revoke)
        page_clean(p, page);
}

static int page_invalidate_some(uint32_t first, uint32_t count, int writer, uint64_t interval)
{
    bool revoke[RUN_PAGES];
    for (uint32_t i = 0; i < count; i++) {
        struct page *p = page_lock(first + i);
        revoke[i] = page_note_one(first + i, p, writer, interval);
    }
    int rc = page_view_change_marked(first, count, revoke, ACCESS_NONE);
    for (uint32_t i = 0; i < count; i++) {
        page_note_end(first + i, &table[first + i], writer, interval, revoke[i]);
        page_unlock(&table[first + i]);
    }
    return rc;
}

void page_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval)
{
    while (count) {
        uint32_t n = count < RUN_PAGES ? count : RUN_PAGES;
        while (page_invalidate_some(first, n, writer, interval) != 0)
            page_view_mend(first, n);
        first += n;
        count -= n;
    }
}

bool page_demote(uint32_t page)
{
    for (;;) {
        struct page *p = page_lock(page);
        if (!(p->flags & PAGE_EXCLUSIVE)) {
            page_unlock(p);
            return false;
        }
        int rc = p->access == ACCESS_WRITE ? page_view_change(page, 1, ACCESS_READ) : 0;
        if (rc == 0)
            p->flags &= (uint8_t)~PAGE_EXCLUSIVE;
        page_unlock(p);
        if (rc == 0)
            return true;
        page_view_mend(page, 1);
    }
}

void page_restore_exclusive(uint32_t page)
{
    struct page *p = page_lock(page);
    debug_assert(p->home == 0);
    /* [races.tracked]; access follows at the next fault */
    p->flags |= first_write_races_checked() ? 0 : PAGE_EXCLUSIVE;
    page_unlock(p);
}

void page_set_home(uint32_t page, int home)
{
    struct page *p = page_lock(page);
    debug_assert(p->home == 0 || page_is_home(p, home)); /* rule 7 */
    p->home = (uint16_t)(home + 1);
    page_unlock(p);
}

int page_known_home(uint32_t page)
{
    struct page *p = page_lock(page);
    int home = (int)p->home - 1;
    page_unlock(p);
    return home;
}

/* ASSUMPTION: closed. */
static void page_reset_one(uint32_t page)
{
    struct page *p = page_lock(page);
    debug_assert(!(p->flags & (PAGE_BUSY | PAGE_DIRTY)) && p->access == ACCESS_NONE);
    need_drop(&p->need);
    *p = (struct page){ .lock = 1,
                        .flags = p->flags & PAGE_LISTED,
                        .exclusive_listed = p->exclusive_listed,
                        .copy = p->copy };
    unchanged_forget(page); /* [unchanged.versions] */
    page_set_initial(page, p);
    p->access = ACCESS_NONE; /* until page_view_reset */
    spin_unlock(&p->lock);
}

/* Zeroes the range; parts that were never touched stay untouched. */
static void page_discard(int window, size_t at, size_t bytes)
{
    int rc = fabric_window_discard(engine.fabric, window, at, bytes);
    if (rc)
        diag_fatal(1, "cannot free shared memory: %s", strerror(-rc));
}

void page_reset(uint32_t first, uint32_t count)
{
    int control = engine.control.id;
    page_discard(engine.space.id, (size_t)first << PAGE_SHIFT, (size_t)count << PAGE_SHIFT);
    page_view_close(first, count);
    PROBE(pages_closed);
    page_discard(control, engine_applied_at(first, 0), count * VT_BYTES(engine.nodes));
    page_discard(control, engine_has_readers_at(first), (size_t)count * 4);
    page_discard(control, engine_placed_at(first), (size_t)count * 4);
    for (uint32_t i = first; i < first + count; i++)
        page_reset_one(i);
    engine.protocol.pages->reset(first, count);
    page_view_reset(first, count);
    atomic_store(&unlooked, false); /* [unshared.reset] */
}
