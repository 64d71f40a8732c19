/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap.c - see heap.h for the invariants. */
#include "hlrc/heap/heap.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "base/race.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_pages.h"
#include "hlrc/heap/heap_run.h"
#include "hlrc/heap/heap_small.h"
#include "hlrc/heap/heap_tables.h"

#define DISCARD_MIN 256u /* pages from which a job of one node has the kernel zero them */

static struct heap_tables tables;

const struct heap_tables *heap_tables(void)
{
    return tables.arena ? &tables : NULL;
}

/* ---- layout ---- */

uint32_t heap_first(uint32_t pages)
{
    heap_pages_layout(pages);
    return heap_pages_at.first;
}

int heap_init(void)
{
    heap_pages_layout(engine_heap_pages());
    if (heap_pages_at.first >= engine_heap_pages()) {
        diag_report(1, "--memory: %u pages are too few: the heap's tables need %u; raise --memory",
                    engine_heap_pages(), heap_pages_at.first);
        return -ENOMEM;
    }
    tables = (struct heap_tables){ .directory = heap_pages_at.directory,
                                   .marks = heap_pages_at.marks,
                                   .first = heap_pages_at.first,
                                   .runs = (uint32_t)heap_pages_header_bytes() };
    heap_small_describe(&tables);
    int rc = heap_small_init();
    if (rc)
        diag_report(1, "cannot allocate tables for %u pages of shared heap: %s; lower --memory",
                    engine_heap_pages(), strerror(-rc));
    return rc;
}

void heap_end(void)
{
    tables.arena = NULL;
    heap_small_end();
}

#define NO_MACHINE_HAS ((size_t)1 << 47) /* bytes: more than the addresses of a process */

/* Once per process: a program that continues without the memory may call repeatedly. */
void heap_report_exhausted(const char *call, size_t size)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (size >= NO_MACHINE_HAS || atomic_flag_test_and_set(&reported))
        return;
    heap_pages_lock();
    uint32_t total = heap_runs_total(heap_pages_runs()),
             largest = heap_runs_largest(heap_pages_runs());
    heap_pages_unlock();
    diag_warn("%s: no room for %zu bytes: %zu KiB of %zu KiB are free, %zu KiB of them in one "
              "piece; raise --memory",
              call, size, (size_t)total * 4, (size_t)engine_heap_pages() * 4, (size_t)largest * 4);
}

void heap_flush(void)
{
    heap_small_flush();
}

void heap_trim(void)
{
    (void)heap_run_trim();
    heap_small_trim();
}

/* ---- allocating ---- */

void heap_zero(uint32_t first, uint32_t count)
{
    if (!engine.alone || count < DISCARD_MIN ||
        fabric_window_discard(engine.fabric, engine.space.id, (size_t)first << PAGE_SHIFT,
                              (size_t)count << PAGE_SHIFT) != 0)
        memset(heap_pages_app(first), 0, (size_t)count << PAGE_SHIFT);
}

static void *heap_large_alloc(size_t bytes, size_t align, bool zeroed)
{
    struct heap_runs_taken run;
    uint32_t count = heap_pages_needed(bytes);
    uint64_t pages = align > PAGE_SIZE ? align >> PAGE_SHIFT : 1;
    if (bytes > (size_t)engine_heap_pages() << PAGE_SHIFT)
        return NULL;
    if (!heap_run_take(count, pages, KIND_RUN, &run)) {
        heap_small_trim();
        if (!heap_run_take(count, pages, KIND_RUN, &run))
            return NULL;
    }
    if (zeroed)
        heap_zero(run.dirty_start, run.dirty_count);
    return heap_pages_app(run.start);
}

void *heap_allocate(const char *call, size_t align, size_t size, bool zeroed)
{
    void *ptr = NULL;
    size_t bytes = size ? size : 1;
    int class = heap_runs_class_for(bytes, align);
    race_ignore_begin(); /* also of the zeros */
    do
        ptr = class >= 0 ? heap_small_allocate(class, bytes, zeroed)
                         : heap_large_alloc(bytes, align, zeroed);
    while (!ptr && heap_run_trim());
    if (!ptr) {
        heap_report_exhausted(call, size);
        errno = ENOMEM;
    }
    race_ignore_end();
    race_acquire(); /* acquires from the thread that freed it */
    return ptr;
}

/* ---- freeing ---- */

void hlrc_free(void *ptr)
{
    call_check("hlrc_free");
    if (!ptr)
        return;
    if (!engine_in_heap(ptr))
        diag_fatal(1,
                   "hlrc_free(%p): not shared memory; pass a pointer from hlrc_malloc or "
                   "hlrc_aligned_alloc",
                   ptr);
    uint32_t page = engine_page_of(ptr);
    race_release();
    if (!heap_small_free(ptr, page))
        heap_run_free(ptr, page);
}

/* The entry of a live allocation may be read. */
size_t heap_size_of(const void *ptr)
{
    if (!engine_in_heap(ptr) || engine_page_of(ptr) < heap_pages_at.first)
        return 0;
    uint32_t page = engine_page_of(ptr);
    const struct heap_tables_entry *e = heap_pages_entry(page);
    if (e->kind == KIND_RUN)
        return ((uintptr_t)ptr & (PAGE_SIZE - 1)) == 0 ? (size_t)e->value << PAGE_SHIFT : 0;
    if (e->kind < KIND_SMALL)
        return 0;
    size_t size = heap_runs_class_size(e->kind - KIND_SMALL);
    size_t offset = (size_t)((const char *)ptr - (const char *)heap_pages_app(page - e->index));
    return offset % size == 0 && offset + size <= (size_t)e->pages << PAGE_SHIFT ? size : 0;
}

/* ---- for the collectives ---- */

bool heap_take_all(size_t size, struct heap_runs_taken *out, uint32_t *count)
{
    size_t bytes = size ? size : 1;
    if (bytes <= (size_t)engine_heap_pages() << PAGE_SHIFT) {
        *count = heap_pages_needed(bytes);
        if (heap_run_take(*count, 1, KIND_ALL, out))
            return true;
    }
    return false;
}

uint32_t heap_count_all(const void *ptr)
{
    if (!engine_in_heap(ptr) || ((uintptr_t)ptr & (PAGE_SIZE - 1)) != 0)
        return 0;
    /* written before the barrier of hlrc_malloc_all */
    const struct heap_tables_entry *e = heap_pages_entry(engine_page_of(ptr));
    return e->kind == KIND_ALL ? e->value : 0;
}

void heap_give_all(uint32_t first, uint32_t count)
{
    heap_pages_lock();
    *heap_pages_entry(first) = (struct heap_tables_entry){ .kind = KIND_NONE };
    heap_pages_give(first, count, true);
    heap_pages_unlock();
}
