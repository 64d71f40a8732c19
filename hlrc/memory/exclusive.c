/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exclusive.c - see exclusive.h for the invariants. */
#include "hlrc/memory/exclusive.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/dirty.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/only_node.h"
#include "hlrc/probe/probe.h"

#define GONE UINT32_MAX /* a free entry of the list */
/* A page that has left may return before the list is compacted. */
#define LIST_BYTES (2 * (size_t)engine.pages * sizeof *list)

static spin_lock_word lock;    /* guards appending to the list, and its end */
static uint32_t *list;         /* pages that are EXCLUSIVE, or were; only flushes remove them */
static _Atomic uint32_t count; /* raised under the lock, lowered there by flushes */
static _Atomic uint64_t seen;  /* value of `arrivals`: [unshared.new-readers] */
static atomic_bool only_node, ended; /* only_node.h */

int exclusive_init(void)
{
    list = reserve(LIST_BYTES);
    atomic_store(&count, 0);
    atomic_store(&seen, 0);
    atomic_store(&only_node, false);
    atomic_store(&ended, false);
    return list ? 0 : -ENOMEM;
}

void exclusive_end(void)
{
    reserve_end(list, LIST_BYTES);
    list = NULL;
}

void hlrc_only_node(bool is)
{
    atomic_store(&only_node, is);
}

void hlrc_program_ended(void)
{
    atomic_store(&ended, true);
}

bool exclusive_only_node(void)
{
    return atomic_load_explicit(&only_node, memory_order_relaxed);
}

static bool exclusive_has_readers(uint32_t page)
{
    return atomic_load(engine_has_readers_here(page)) != 0;
}

bool exclusive_unread(uint32_t page)
{
    if (engine.config.exclusive_pages == SWITCH_OFF) /* then readers do not register */
        return false;
    /* orders this node's stores before the load: [unshared.new-readers] */
    atomic_thread_fence(memory_order_seq_cst);
    return !exclusive_has_readers(page);
}

bool exclusive_sole(uint32_t page, const struct page *p)
{
    return exclusive_only_node() && page_is_home(p, engine.node) && exclusive_unread(page) &&
           !first_write_races_checked();
}

bool exclusive_has_ended(void)
{
    return atomic_load_explicit(&ended, memory_order_relaxed);
}

static void exclusive_list_add(uint32_t page)
{
    spin_lock(&lock);
    uint32_t n = atomic_load_explicit(&count, memory_order_relaxed);
    list[n] = page;
    atomic_store_explicit(&count, n + 1, memory_order_release);
    spin_unlock(&lock);
}

/* [unshared.announced-first], [unshared.ended] */
static bool exclusive_is_announced(uint32_t page)
{
    return atomic_load(engine_applied_here(page, engine.node)) != 0 || exclusive_has_ended();
}

bool exclusive_begin(uint32_t page, struct page *p)
{
    if (engine.config.exclusive_pages == SWITCH_OFF ||
        first_write_races_checked() /* [races.tracked] */ || !page_is_home(p, engine.node) ||
        exclusive_has_readers(page) || !exclusive_is_announced(page))
        return false;
    if (!p->exclusive_listed)
        exclusive_list_add(page);
    p->exclusive_listed = true;
    PROBE(exclusive_listed);
    atomic_thread_fence(memory_order_seq_cst);
    /* [unshared.announced-first]: the flush that saw it arrive may not have seen the list */
    if (exclusive_has_readers(page))
        return false;
    p->flags = (uint8_t)((p->flags & ~PAGE_DIRTY) | PAGE_EXCLUSIVE);
    PROBE(page_exclusive);
    return true;
}

/* [unshared.new-readers]: tracks the page from now on. ASSUMPTION: locked. */
static void exclusive_leave(uint32_t page, struct page *p)
{
    p->flags = (uint8_t)((p->flags & ~PAGE_EXCLUSIVE) | PAGE_DIRTY);
    policy_retain_forget(&p->retain); /* [unshared.new-readers] */
    if (!(p->flags & PAGE_LISTED))
        dirty_add(page);
    p->flags |= PAGE_LISTED;
}

void exclusive_end_of(uint32_t page, struct page *p)
{
    if (p->flags & PAGE_EXCLUSIVE)
        exclusive_leave(page, p);
}

bool exclusive_arrivals(void)
{
    if (atomic_load(&count) == 0)
        return false;
    /* orders this thread's stores before the load: [unshared.new-readers] */
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load(engine_arrivals_here()) != atomic_load(&seen);
}

/* Checks one page of the list; false if it has to stay there. */
static bool exclusive_look_at(uint32_t page)
{
    if (!exclusive_has_readers(page))
        return false;
    struct page *p = page_lock(page);
    bool held = page_looks_held(page); /* [unshared.reset] */
    if (!held) {
        if (p->flags & PAGE_EXCLUSIVE)
            exclusive_leave(page, p);
        p->exclusive_listed = false;
    }
    page_unlock(p);
    return !held;
}

static void exclusive_compact(void)
{
    spin_lock(&lock);
    uint32_t n = atomic_load(&count), kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (list[i] != GONE)
            list[kept++] = list[i];
    atomic_store(&count, kept);
    spin_unlock(&lock);
}

bool exclusive_look(void)
{
    if (!exclusive_arrivals()) /* [unshared.new-readers] */
        return false;
    atomic_store(&seen, atomic_load(engine_arrivals_here())); /* [unshared.new-readers] */
    PROBE(exclusive_seen);
    atomic_thread_fence(memory_order_seq_cst); /* [unshared.announced-first] */
    bool any = false;
    uint32_t n = atomic_load_explicit(&count, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++) {
        if (!exclusive_look_at(list[i]))
            continue;
        list[i] = GONE;
        any = true;
    }
    if (any)
        exclusive_compact();
    return true;
}

void exclusive_reader(uint32_t page)
{
    if (exclusive_has_readers(page))
        return;
    atomic_store(engine_has_readers_here(page), 1);
    atomic_fetch_add(engine_arrivals_here(), 1);
}
