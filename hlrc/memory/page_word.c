/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_word.c - see page_word.h. */
#include "hlrc/memory/page_word.h"

#include <stdatomic.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/twin.h"
#include "hlrc/memory/unchanged.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"

static bool page_word_released(void *arg)
{
    return !atomic_load(&((const struct page *)arg)->held);
}

/* This node's version of the page at its home. */
static uint64_t page_word_own_there(uint32_t page, int home)
{
    uint64_t there = 0;
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_read(engine.fabric, home, engine.control.id, engine_applied_at(page, engine.node),
                &there, sizeof there, &op);
    fabric_wait(engine.fabric, &op);
    return there;
}

/* A copy that is not STALE needs at most this node's own writes [page.needed-versions]. Usually the
 * home has them by now; otherwise a fetch waits for them. ASSUMPTION: locked; unlocked
 * afterwards. */
static void page_word_settle(uint32_t page, struct page *p)
{
    uint64_t own = protocol_version_interval(p->need);
    int home = (int)p->home - 1;
    p->flags |= PAGE_BUSY;
    page_unlock(p);
    uint64_t there = page_word_own_there(page, home);
    page_lock(page);
    if (there < own || (p->flags & PAGE_STALE)) {
        (void)page_fetch(page, p);
        return;
    }
    need_drop(&p->need); /* [need.dropped] */
    p->flags &= (uint8_t)~PAGE_BUSY;
    page_unlock(p);
    progress_changed(p);
}

/* [word.ordered]. ASSUMPTION: locked; unlocked afterwards. */
static void page_word_fetch(uint32_t page, struct page *p)
{
    if (!(p->flags & PAGE_STALE) && (engine.protocol.pages->caps & FABRIC_READ)) {
        page_word_settle(page, p);
        return;
    }
    p->flags |= PAGE_BUSY;
    (void)page_fetch(page, p);
}

static bool page_word_lacks_version(const struct page *p)
{
    return (p->flags & PAGE_STALE) || (p->need != 0 && !page_is_home(p, engine.node));
}

/* One step; true if the page is ready for the operation, and is locked. */
static bool page_word_step(uint32_t page, struct page *p)
{
    if (p->flags & PAGE_BUSY) {
        page_unlock(p);
        page_wait(page);
    } else if (p->held) { /* [home-migration.held] */
        page_unlock(p);
        progress_await((struct waits_wait){ WAITS_PAGE_MOVES, page, 0 }, p, page_word_released, p);
    } else if (page_word_lacks_version(p)) {
        page_word_fetch(page, p);
    } else if (p->home == 0 && !(p->flags & PAGE_EXCLUSIVE)) {
        page_unlock(p);
        page_access(page, true);
    } else {
        return true;
    }
    return false;
}

/* [word.ordered]. A home's stores need not be sent, but noted with --check races: the operation
 * hides them [page.retained-twin]. */
static bool page_word_is_unsent(uint32_t page, const struct page *p, size_t at, size_t bytes)
{
    return p->twin && (!page_is_home(p, engine.node) || first_write_races_checked()) &&
           memcmp(engine_page_mem(page) + at, (char *)twin_mem(p->twin) + at, bytes) != 0;
}

struct page *page_word_begin(uint32_t page, size_t at, size_t bytes)
{
    struct page *p = page_lock(page);
    while (!page_word_step(page, p))
        page_lock(page);
    if (!page_word_is_unsent(page, p, at, bytes))
        return p;
    page_unlock(p);
    return NULL;
}

bool page_word_is_here(const struct page *p)
{
    return p->home == 0 || page_is_home(p, engine.node);
}

void page_word_leave(struct page *p)
{
    p->flags |= PAGE_BUSY;
    page_unlock(p);
    PROBE(page_busy);
}

static void memory_page_word_store(char *to, const void *value, size_t bytes)
{
    uint64_t whole = 0;
    memcpy(&whole, value, bytes);
    if (bytes == 8)
        atomic_store_explicit((_Atomic uint64_t *)(void *)to, whole, memory_order_relaxed);
    else
        atomic_store_explicit((_Atomic uint32_t *)(void *)to, (uint32_t)whole,
                              memory_order_relaxed);
}

void page_word_store(uint32_t page, const struct page *p, size_t at, size_t bytes,
                     const void *value)
{
    memory_page_word_store(engine_page_mem(page) + at, value, bytes);
    if (p->twin)
        memory_page_word_store((char *)twin_mem(p->twin) + at, value, bytes);
}

void page_word_note(uint32_t page, struct page *p)
{
    unchanged_forget(page); /* [unchanged.stores] */
    if (p->flags & PAGE_EXCLUSIVE)
        return;
    p->worded = 1;
    if (p->flags & PAGE_LISTED)
        return;
    dirty_add(page);
    p->flags |= PAGE_LISTED;
}

void page_word_end(uint32_t page, size_t at, size_t bytes, const void *value, bool changed)
{
    struct page *p = page_lock(page);
    /* an acquire may have marked the copy STALE since, and left it open [update.pending] */
    bool visible = p->access != ACCESS_NONE || !(p->flags & PAGE_STALE);
    if (!page_is_home(p, engine.node) && (visible || p->twin))
        page_word_store(page, p, at, bytes, value); /* [word.copy] */
    if (changed)
        page_word_note(page, p); /* [word.announced] */
    p->flags &= (uint8_t)~PAGE_BUSY;
    page_unlock(p);
    progress_changed(p);
}
