/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_move.c - see page_move.h, and sync/homes.h for the invariants. */
#include "hlrc/memory/page_move.h"
#include "hlrc/memory/page_claim.h"

#include <stdatomic.h>
#include <string.h>

#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/memory/unchanged.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"

static_assert(NODES_MAX <= POLICY_MIGRATE_NODES, "bits of a record");

static spin_lock_word lock;
static struct policy_migrate_move wanted[POLICY_MIGRATE_ROUND];
static _Atomic uint32_t count;
/* pages that one call of page_move_take watches */
static _Atomic uint32_t batch = POLICY_MIGRATE_BATCH;

static void page_move_add(uint32_t page, int writer)
{
    spin_lock(&lock);
    uint32_t n = atomic_load(&count);
    if (n < POLICY_MIGRATE_ROUND) {
        wanted[n] = (struct policy_migrate_move){ page, (uint32_t)writer };
        atomic_store(&count, n + 1);
    }
    spin_unlock(&lock);
}

static void page_move_note_units(uint32_t page, struct page *p, int writer, uint32_t units)
{
    if (policy_migrate_wrote(&p->migrate, (unsigned)writer, (unsigned)engine.node,
                             p->flags & PAGE_EXCLUSIVE) &&
        !atomic_load(engine_placed_here(page)) && policy_migrate_add(&p->migrate, units))
        page_move_add(page, writer);
}

void page_move_note(uint32_t page, struct page *p, int writer, uint32_t bytes)
{
    page_move_note_units(page, p, writer, policy_migrate_cost(bytes));
}

/* A word: units << 32 | page, which is never 0, since units are not. */
static size_t page_move_told_at(int writer, uint32_t index)
{
    return engine.at.told + ((size_t)writer * POLICY_MIGRATE_REPORTS + index) * 8;
}

void page_move_tell(int home, uint32_t page, uint32_t bytes)
{
    static uint32_t next[NODES_MAX]; /* only by flushes, which are serialised */
    /* BUSY: no other thread reads its cost here */
    uint64_t units = policy_migrate_report(&page_at(page)->migrate, bytes),
             word = units << 32 | page;
    if (units == 0)
        return;
    fabric_write(engine.fabric, home, engine.control.id,
                 page_move_told_at(engine.node, next[home]++ % POLICY_MIGRATE_REPORTS), &word,
                 sizeof word, NULL);
}

static void page_move_listen_to(int writer)
{
    static uint32_t next[NODES_MAX]; /* only by the node's thread at a barrier */
    for (uint32_t i = 0; i < POLICY_MIGRATE_REPORTS; i++) {
        _Atomic uint64_t *at =
            engine_control_at(page_move_told_at(writer, next[writer] % POLICY_MIGRATE_REPORTS));
        uint64_t word = atomic_exchange(at, 0);
        uint32_t page = (uint32_t)word;
        if (word == 0)
            return;
        next[writer]++;
        struct page *p = page_lock(page);
        if (page_is_home(p, engine.node))
            page_move_note_units(page, p, writer, (uint32_t)(word >> 32));
        page_unlock(p);
    }
}

void page_move_listen(void)
{
    for (int w = 0; w < engine.nodes; w++)
        if (w != engine.node)
            page_move_listen_to(w);
}

void page_move_used(struct page *p)
{
    if (!p->migrate.watched)
        return;
    atomic_store(&batch, policy_migrate_less(atomic_load(&batch)));
    policy_migrate_tried(&p->migrate);
}

bool page_move_wanted(void)
{
    return atomic_load(&count) != 0;
}

/* A page that was freed since it was noted, or written by others, is no longer wanted. */
static enum policy_migrate_verdict page_move_judge(const struct policy_migrate_move *m)
{
    struct page *p = page_lock(m->page);
    bool eligible = page_is_home(p, engine.node) && !page_held(m->page) &&
                    !(p->flags & (PAGE_BUSY | PAGE_DIRTY));
    enum policy_migrate_verdict verdict = policy_migrate_judge(&p->migrate, m->to, eligible);
    page_unlock(p);
    return verdict;
}

static void page_move_watch(uint32_t page)
{
    struct page *p = page_lock(page);
    if (page_is_home(p, engine.node) && !(p->flags & (PAGE_BUSY | PAGE_DIRTY | PAGE_EXCLUSIVE)))
        p->migrate.watched =
            p->access == ACCESS_NONE || page_view_change(page, 1, ACCESS_NONE) == 0;
    page_unlock(p);
}

uint32_t page_move_take(struct policy_migrate_move *out)
{
    static uint32_t unwatched[POLICY_MIGRATE_ROUND];
    uint32_t ripe = 0, others = 0;
    spin_lock(&lock);
    uint32_t n = atomic_load(&count);
    memcpy(out, wanted, n * sizeof *out);
    atomic_store(&count, 0);
    spin_unlock(&lock);
    for (uint32_t i = 0; i < n; i++) {
        enum policy_migrate_verdict verdict = page_move_judge(&out[i]);
        if (verdict == POLICY_MIGRATE_UNWATCHED)
            unwatched[others++] = out[i].page;
        if (verdict == POLICY_MIGRATE_RIPE)
            out[ripe++] = out[i];
    }
    if (ripe)
        atomic_store(&batch, policy_migrate_more(atomic_load(&batch)));
    uint32_t most = policy_migrate_watch(atomic_load(&batch), others);
    for (uint32_t i = 0; i < most; i++)
        page_move_watch(unwatched[i]);
    return ripe;
}

void page_move_hold(uint32_t page)
{
    struct page *p = page_lock(page);
    p->held = true;
    if (page_is_home(p, engine.node))
        exclusive_end_of(page, p);
    page_unlock(p);
}

bool page_move_settled(uint32_t page)
{
    struct page *p = page_lock(page);
    bool busy = p->flags & PAGE_BUSY, dirty = (p->flags & PAGE_DIRTY) || p->worded;
    page_unlock(p);
    if (busy)
        page_wait(page);
    return !busy && !dirty;
}

/* [home-migration.held] */
void page_move_bring(uint32_t page, const uint64_t *time)
{
    page_prepare_home(page);
    struct page *p = page_lock(page);
    while (p->flags & PAGE_STALE) {
        p->flags |= PAGE_BUSY;
        (void)page_fetch(page, p);
        page_lock(page);
    }
    /* [need.dropped]: the old home has this node's writes [barrier.diffs-served] */
    need_drop(&p->need);
    for (int w = 0; w < engine.nodes; w++)
        atomic_store_explicit(engine_applied_here(page, w), time[w], memory_order_release);
    atomic_store(engine_has_readers_here(page), 0);
    page_unlock(p);
}

/* Drops this node's copy; false if the kernel has no room. */
static bool page_move_drop(uint32_t page)
{
    struct page *p = page_lock(page);
    bool done = p->access == ACCESS_NONE || page_view_change(page, 1, ACCESS_NONE) == 0;
    if (done)
        p->flags |= PAGE_STALE;
    page_unlock(p);
    return done;
}

/* [home-migration.held] */
void page_move_switch(uint32_t page, int to)
{
    while (to != engine.node && !page_move_drop(page))
        page_view_mend(page, 1);
    struct page *p = page_lock(page);
    if (page_is_home(p, engine.node) && to != engine.node)
        copies_add(page, p);
    p->home = (uint16_t)(to + 1);
    p->introduced = false;
    unchanged_forget(page); /* [unchanged.versions] */
    policy_migrate_moved(&p->migrate);
    page_unlock(p);
    engine.protocol.pages->move(page, to);
    if (to == engine.node)
        PROBE(home_moved);
}

void page_move_release(uint32_t page)
{
    struct page *p = page_lock(page);
    p->held = false;
    page_unlock(p);
    progress_changed(p);
}
