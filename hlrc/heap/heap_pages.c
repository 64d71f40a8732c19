/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_pages.c - see heap_pages.h. */
#include "hlrc/heap/heap_pages.h"

#include <assert.h>

#include "base/diag.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/lock.h"

#define SUPER_PAGES 16u /* of a superblock with small blocks, if memory is plentiful */

struct heap_pages_at heap_pages_at;

static_assert(PAGE_SIZE / HEAP_GRAIN == HEAP_PAGES_MARKS * 64, "one bit per block");

void *heap_pages_app(uint32_t page)
{
    return engine.app + ((size_t)page << PAGE_SHIFT);
}

/* A restart on another number of nodes finds the tables at the same place. */
size_t heap_pages_header_bytes(void)
{
    bool any = engine.config.checkpoint[0] || engine.config.restart[0];
    size_t nodes = any ? NODES_MAX : (size_t)engine.nodes;
    size_t bytes = sizeof(struct heap_pages_header) + nodes * sizeof(uint32_t);
    return (bytes + 63) & ~(size_t)63;
}

struct heap_pages_header *heap_pages_header(void)
{
    return heap_pages_app(0);
}

struct heap_runs *heap_pages_runs(void)
{
    return (void *)(engine.app + heap_pages_header_bytes());
}

struct heap_tables_entry *heap_pages_entry(uint32_t page)
{
    return (struct heap_tables_entry *)heap_pages_app(heap_pages_at.directory) + page;
}

uint64_t *heap_pages_marks(uint32_t page)
{
    return (uint64_t *)heap_pages_app(heap_pages_at.marks) + (size_t)page * HEAP_PAGES_MARKS;
}

uint32_t heap_pages_needed(size_t bytes)
{
    return (uint32_t)((bytes + PAGE_SIZE - 1) >> PAGE_SHIFT);
}

uint32_t heap_pages_clamp(uint32_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : value;
}

void heap_pages_layout(uint32_t pages)
{
    size_t n = pages;
    heap_pages_at.super_pages = heap_pages_clamp(pages / 256, 1, SUPER_PAGES);
    heap_pages_at.directory = heap_pages_needed(
        heap_pages_header_bytes() + sizeof(struct heap_runs) + n * sizeof(struct heap_runs_run));
    heap_pages_at.marks =
        heap_pages_at.directory + heap_pages_needed(n * sizeof(struct heap_tables_entry));
    heap_pages_at.first =
        heap_pages_at.marks + heap_pages_needed(n * HEAP_PAGES_MARKS * sizeof(uint64_t));
}

/* ---- the lock ---- */

void heap_pages_lock(void)
{
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(heap_lock);
    engine.protocol.locks->acquire(LOCK_HEAP);
    PROBE_END(heap_lock, span, probe_granted());
    thread_leave(t);
    if (!heap_pages_header()->ready) {
        heap_runs_init(heap_pages_runs(), heap_pages_at.first,
                       engine_heap_pages() - heap_pages_at.first);
        heap_pages_header()->ready = 1;
    }
}

void heap_pages_unlock(void)
{
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(lock_wait);
    engine.protocol.locks->release(LOCK_HEAP);
    PROBE_END(lock_wait, span);
    thread_leave(t);
}

_Noreturn void heap_pages_free_failed(const void *ptr)
{
    diag_fatal(1,
               "hlrc_free(%p): no live allocation begins here: never allocated, or already freed; "
               "free each pointer from hlrc_malloc or hlrc_aligned_alloc once",
               ptr);
}

_Noreturn void heap_pages_damaged(uint32_t page)
{
    diag_fatal(1,
               "the shared heap's tables are damaged at %p; does the program write outside its "
               "allocations?",
               heap_pages_app(page));
}

void heap_pages_give(uint32_t first, uint32_t count, bool clean)
{
    if (!heap_runs_give(heap_pages_runs(), first, count, clean))
        heap_pages_damaged(first);
}
