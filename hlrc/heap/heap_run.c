/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_run.c - see heap_run.h. */
#include "hlrc/heap/heap_run.h"

#include <hlrc.h>

#include "base/diag.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_cache.h"
#include "hlrc/heap/heap_pages.h"

/* ---- by the free runs ---- */

bool heap_run_take(uint32_t count, uint64_t align, enum heap_tables_kind kind,
                   struct heap_runs_taken *out)
{
    uint64_t skew = ((uintptr_t)engine.app >> PAGE_SHIFT) & (align - 1);
    heap_pages_lock();
    bool ok = heap_runs_take(heap_pages_runs(), count, align, skew, out);
    if (ok)
        *heap_pages_entry(out->start) =
            (struct heap_tables_entry){ .kind = (unsigned)kind & 63, .value = count };
    heap_pages_unlock();
    return ok;
}

/* Frees a run of pages. ASSUMPTION: LOCK_HEAP is held. */
static void heap_run_free_locked(const void *ptr, uint32_t page)
{
    struct heap_tables_entry *e = heap_pages_entry(page);
    if (((uintptr_t)ptr & (PAGE_SIZE - 1)) != 0 || (e->kind != KIND_RUN && e->kind != KIND_ALL))
        heap_pages_free_failed(ptr);
    if (e->kind == KIND_ALL)
        diag_fatal(
            1, "hlrc_free(%p): memory of hlrc_malloc_all; free it with hlrc_free_all, on all nodes",
            ptr);
    uint32_t count = e->value;
    *e = (struct heap_tables_entry){ .kind = KIND_NONE };
    heap_pages_give(page, count, false);
}

/* ---- by the cache ---- */

/* How many pages a thread keeps: few where the heap is small. */
static uint32_t heap_run_pages_kept(void)
{
    uint32_t part = engine_heap_pages() / 1024;
    return part < HEAP_CACHE_PAGES ? part : HEAP_CACHE_PAGES;
}

void *heap_run_take_cached(size_t bytes)
{
    return bytes <= (size_t)HEAP_CACHE_PAGES << PAGE_SHIFT
               ? heap_cache_take_run(heap_pages_needed(bytes))
               : NULL;
}

/* Pages of the run that begins at ptr, 0: none does. A live block's entry may be read without
 * LOCK_HEAP. */
static uint32_t heap_run_count(const void *ptr, uint32_t page)
{
    if (((uintptr_t)ptr & (PAGE_SIZE - 1)) != 0 || page < heap_pages_at.first)
        return 0;
    const struct heap_tables_entry *e = heap_pages_entry(page);
    return e->kind == KIND_RUN ? e->value : 0;
}

bool heap_run_keep_cached(void *ptr, uint32_t page)
{
    uint32_t count = engine.unaware ? heap_run_count(ptr, page) : 0;
    return count > 0 && heap_cache_keep_run(ptr, count, heap_run_pages_kept());
}

bool heap_run_trim(void)
{
    void *ptr = heap_cache_drop_run();
    if (!ptr)
        return false;
    heap_pages_lock();
    for (; ptr; ptr = heap_cache_drop_run())
        heap_run_free_locked(ptr, engine_page_of(ptr));
    heap_pages_unlock();
    return true;
}

/* If the cache had no room for it, what the cache has held longest makes room for the next: blocks
 * of sizes that the thread no longer uses do not stay. */
void heap_run_free(void *ptr, uint32_t page)
{
    if (heap_cache_has_run(ptr))
        heap_pages_free_failed(ptr);
    bool fits = heap_run_count(ptr, page) <= heap_run_pages_kept();
    void *older = fits ? heap_cache_drop_run() : NULL;
    heap_pages_lock();
    if (older)
        heap_run_free_locked(older, engine_page_of(older));
    heap_run_free_locked(ptr, page);
    heap_pages_unlock();
}
