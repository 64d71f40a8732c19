/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_part.c - see page_part.h for the invariants. */
#include "hlrc/memory/page_part.h"

#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/memory/page_word.h"
#include "hlrc/memory/space.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

static bool page_part_released(void *arg)
{
    return !atomic_load(&((const struct page *)arg)->held);
}

/* [part.stale-only]. ASSUMPTION: locked. */
static bool page_part_is_elsewhere(const struct page *p)
{
    uint8_t flags = p->flags & (PAGE_STALE | PAGE_DIRTY | PAGE_EXCLUSIVE);
    return flags == PAGE_STALE && p->access == ACCESS_NONE && !p->renewal.pending && !p->twin &&
           !page_is_home(p, engine.node);
}

/* [part.stale-only]. Not with --profile, which counts faults; nor where copies have to be evicted,
 * since faults show that a copy is used (copies.h). ASSUMPTION: locked. */
static bool page_part_is_closed_here(const struct page *p)
{
    return p->access == ACCESS_NONE && !(p->flags & PAGE_STALE) && !probe_profiles() &&
           !copies_over();
}

/* Whether homes send whole pages and a get would have this one sent. ASSUMPTION: locked. */
static bool page_part_comes_whole(const struct page *p, bool put)
{
    return !put && !(engine.protocol.pages->caps & FABRIC_READ) && page_part_is_elsewhere(p) &&
           !probe_profiles();
}

/* Waits until another thread is done with the page. Does not open a page that was prefetched. */
static void page_part_wait_for(uint32_t page)
{
    if (page_at(page)->flags & PAGE_PREFETCH)
        (void)page_prefetch_end(page, INT64_MAX);
    else
        page_wait(page);
}

enum page_part_found { ELSEWHERE, CLOSED_HERE, NEITHER };

/* Where the page's bytes are. The page is locked and not BUSY, unless the result is NEITHER. */
static enum page_part_found page_part_find(uint32_t page, bool put)
{
    for (;;) {
        struct page *p = page_lock(page);
        if (p->flags & PAGE_BUSY) {
            page_unlock(p);
            page_part_wait_for(page);
        } else if (p->held) { /* [home-migration.held] */
            page_unlock(p);
            progress_await((struct waits_wait){ WAITS_PAGE_MOVES, page, 0 }, p, page_part_released,
                           p);
        } else if (!put && page_part_is_closed_here(p)) {
            return CLOSED_HERE;
        } else if (page_part_comes_whole(p, put)) {
            p->flags |= PAGE_BUSY;
            (void)page_fetch(page, p);
        } else if (page_part_is_elsewhere(p) && (engine.protocol.pages->caps & FABRIC_READ)) {
            return ELSEWHERE;
        } else {
            page_unlock(p);
            return NEITHER;
        }
    }
}

/* [part.stale-only]. ASSUMPTION: locked; unlocked afterwards. */
static void page_part_copy_closed(uint32_t page, size_t at, void *mem, size_t len)
{
    struct page *p = page_at(page);
    page_move_used(p);
    memcpy(mem, engine_page_mem(page) + at, len);
    page_unlock(p);
}

/* [unshared.reader-mark] */
static void page_part_introduce(uint32_t page, int home)
{
    static const uint32_t mark = 1;
    uint64_t before;
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_write(engine.fabric, home, engine.control.id, engine_has_readers_at(page), &mark,
                 sizeof mark, &op);
    fabric_fetch_add(engine.fabric, home, engine.control.id, engine.at.arrivals, 1, &before, &op);
    fabric_wait(engine.fabric, &op); /* after the write: [fabric.atomic-order] */
}

/* [word.ordered]. The needs were listed after the room for versions; with --diffs write all
 * announced versions are there [need.dropped]. */
static bool page_part_is_there(uint32_t page, int home, uint32_t needs, uint64_t *versions)
{
    const uint64_t *needed = versions + engine.nodes;
    struct fabric_op op = FABRIC_OP_INIT;
    for (uint32_t i = 0; i < needs; i++)
        fabric_read(engine.fabric, home, engine.control.id,
                    engine_applied_at(page, protocol_version_writer(needed[i])), &versions[i],
                    sizeof versions[i], &op);
    fabric_wait(engine.fabric, &op);
    for (uint32_t i = 0; i < needs; i++)
        if (versions[i] < protocol_version_interval(needed[i]))
            return false;
    return true;
}

static void page_part_transfer(bool put, uint32_t page, int home, size_t at, void *mem, size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    size_t off = ((size_t)page << PAGE_SHIFT) + at;
    if (put)
        fabric_write(engine.fabric, home, engine.space.id, off, mem, len, &op);
    else
        fabric_read(engine.fabric, home, engine.space.id, off, mem, len, &op);
    fabric_wait(engine.fabric, &op);
}

/* ASSUMPTION: BUSY, by this thread. */
static void page_part_end(uint32_t page, int home, bool done, bool put)
{
    struct page *p = page_lock(page);
    if (done && p->home == 0)
        p->home = (uint16_t)(home + 1); /* rule 7 */
    if (done)
        p->introduced = true;
    if (done && put)
        page_word_note(page, p); /* [word.announced] */
    p->flags &= (uint8_t)~PAGE_BUSY;
    page_unlock(p);
    progress_changed(p);
}

/* ASSUMPTION: locked, elsewhere. */
static bool page_part_elsewhere(bool put, uint32_t page, size_t at, void *mem, size_t len)
{
    struct page *p = page_at(page);
    struct thread *t = thread_self();
    struct probe_span span = PROBE_BEGIN(page_part);
    int home = (int)p->home - 1;
    uint32_t needs = need_list(p->need, t->versions + engine.nodes);
    bool known = p->introduced || engine.config.exclusive_pages != SWITCH_ON;
    p->flags |= PAGE_BUSY;
    page_unlock(p);
    PROBE(page_busy);
    if (home < 0)
        home = engine.protocol.pages->home(page, t->call_token);
    bool elsewhere = home >= 0 && home != engine.node;
    if (elsewhere && !known)
        page_part_introduce(page, home);
    if (elsewhere && !page_part_is_there(page, home, needs, t->versions)) {
        page_lock(page);
        (void)page_fetch(page, p); /* which waits for the missing versions */
        return !put && page_part(false, page, at, mem, len);
    }
    if (elsewhere)
        page_part_transfer(put, page, home, at, mem, len);
    PROBE(part_performed);
    page_part_end(page, home, elsewhere, put);
    if (elsewhere)
        PROBE_END(page_part, span, page, put, len, home);
    return elsewhere;
}

bool page_part(bool put, uint32_t page, size_t at, void *mem, size_t len)
{
    if (engine.alone || first_write_races_checked() /* [races.tracked] */)
        return false;
    switch (page_part_find(page, put)) {
    case ELSEWHERE:
        return page_part_elsewhere(put, page, at, mem, len);
    case CLOSED_HERE:
        page_part_copy_closed(page, at, mem, len);
        return true;
    case NEITHER:
        break;
    }
    return false;
}

void page_part_expect(uint32_t first, uint32_t count)
{
    if (engine.alone || (engine.protocol.pages->caps & FABRIC_READ) ||
        first_write_races_checked() || probe_profiles())
        return;
    page_prefetch_reclaim(count < engine.prefetches ? count : engine.prefetches);
    for (uint32_t i = first; i < first + count; i++)
        (void)page_prefetch_start(i, false);
}
