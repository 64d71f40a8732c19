/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap.c - see heap.h for the invariants. */
#include "hlrc/heap/heap.h"

#include <errno.h>
#include <hlrc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/race.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_arena.h"
#include "hlrc/heap/heap_tables.h"
#include "hlrc/heap/sites.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/lock.h"

#define SUPER_PAGES   16u /* of a superblock with small blocks, if memory is plentiful */
#define MARK_WORDS    4u  /* of 64 bits, per page: one bit for every HEAP_GRAIN bytes */
#define OUTBOX_BLOCKS 64u
#define OUTBOX_BYTES  16384u
#define LIST_END      UINT32_MAX
#define DISCARD_MIN   256u /* pages from which a job of one node has the kernel zero them */

struct heap_header {
    uint32_t ready; /* the list of runs has been made */
    /* by owner: first page + 1 of a superblock with marks; 0 or LIST_END: none */
    uint32_t pending[];
};

static_assert(PAGE_SIZE / HEAP_GRAIN == MARK_WORDS * 64, "one bit per block");

/* Constant between heap_init and heap_end. */
static struct {
    uint32_t directory, marks, first; /* pages */
    uint32_t super_pages;
} at;

static struct heap_arena arena; /* guarded by arena_mutex */
static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Blocks of other nodes that were freed here and are not marked yet: a release for each would be
 * expensive. */
static struct {
    void *ptr[OUTBOX_BLOCKS];
    size_t bytes;
    _Atomic uint32_t count; /* written under arena_mutex, like the rest; read without */
} outbox;

static struct heap_tables tables;

const struct heap_tables *heap_tables(void)
{
    return tables.arena ? &tables : NULL;
}

/* ---- layout ---- */

static void *heap_page_app(uint32_t page)
{
    return engine.app + ((size_t)page << PAGE_SHIFT);
}

/* A restart on another number of nodes finds the tables at the same place. */
static size_t heap_header_bytes(void)
{
    bool any = engine.config.checkpoint[0] || engine.config.restart[0];
    size_t nodes = any ? NODES_MAX : (size_t)engine.nodes;
    size_t bytes = sizeof(struct heap_header) + nodes * sizeof(uint32_t);
    return (bytes + 63) & ~(size_t)63;
}

static struct heap_header *heap_header(void)
{
    return heap_page_app(0);
}

static struct heap_runs *heap_free_runs(void)
{
    return (void *)(engine.app + heap_header_bytes());
}

static struct heap_tables_entry *heap_entry_of(uint32_t page)
{
    return (struct heap_tables_entry *)heap_page_app(at.directory) + page;
}

static uint64_t *heap_marks_of(uint32_t page)
{
    return (uint64_t *)heap_page_app(at.marks) + (size_t)page * MARK_WORDS;
}

static uint32_t heap_to_pages(size_t bytes)
{
    return (uint32_t)((bytes + PAGE_SIZE - 1) >> PAGE_SHIFT);
}

static uint32_t heap_clamp(uint32_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void heap_layout(uint32_t pages)
{
    size_t n = pages;
    at.super_pages = heap_clamp(pages / 256, 1, SUPER_PAGES);
    at.directory = heap_to_pages(heap_header_bytes() + sizeof(struct heap_runs) +
                                 n * sizeof(struct heap_runs_run));
    at.marks = at.directory + heap_to_pages(n * sizeof(struct heap_tables_entry));
    at.first = at.marks + heap_to_pages(n * MARK_WORDS * sizeof(uint64_t));
}

uint32_t heap_first(uint32_t pages)
{
    heap_layout(pages);
    return at.first;
}

int heap_init(void)
{
    heap_layout(engine_heap_pages());
    if (at.first >= engine_heap_pages()) {
        diag_report(1, "--memory: %u pages are too few: the heap's tables need %u; raise --memory",
                    engine_heap_pages(), at.first);
        return -ENOMEM;
    }
    outbox.count = 0;
    outbox.bytes = 0;
    tables = (struct heap_tables){ .directory = at.directory,
                                   .marks = at.marks,
                                   .first = at.first,
                                   .runs = (uint32_t)heap_header_bytes(),
                                   .arena = &arena,
                                   .outbox = outbox.ptr,
                                   .outbox_count = &outbox.count };
    int rc = heap_arena_init(&arena, engine_heap_pages(),
                             heap_clamp(engine_heap_pages() / 1024, 1, HEAP_CLASSES));
    if (rc)
        diag_report(1, "cannot allocate tables for %u pages of shared heap: %s; lower --memory",
                    engine_heap_pages(), strerror(-rc));
    return rc;
}

void heap_end(void)
{
    tables.arena = NULL;
    heap_arena_end(&arena);
}

/* ---- the lock ---- */

static void heap_lock(void)
{
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(heap_lock);
    engine.protocol.locks->acquire(LOCK_HEAP);
    PROBE_END(heap_lock, span, probe_granted());
    thread_leave(t);
    if (!heap_header()->ready) {
        heap_runs_init(heap_free_runs(), at.first, engine_heap_pages() - at.first);
        heap_header()->ready = 1;
    }
}

static void heap_unlock(void)
{
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(lock_wait);
    engine.protocol.locks->release(LOCK_HEAP);
    PROBE_END(lock_wait, span);
    thread_leave(t);
}

/* ---- errors ---- */

static _Noreturn void heap_free_failed(const void *ptr)
{
    diag_fatal(1,
               "hlrc_free(%p): no live allocation begins here: never allocated, or already freed; "
               "free each pointer from hlrc_malloc or hlrc_aligned_alloc once",
               ptr);
}

static _Noreturn void heap_tables_damaged(uint32_t page)
{
    diag_fatal(1,
               "the shared heap's tables are damaged at %p; does the program write outside its "
               "allocations?",
               heap_page_app(page));
}

static void heap_give_run(uint32_t first, uint32_t count, bool clean)
{
    if (!heap_runs_give(heap_free_runs(), first, count, clean))
        heap_tables_damaged(first);
}

#define NO_MACHINE_HAS ((size_t)1 << 47) /* bytes: more than the addresses of a process */

/* Once per process: a program that continues without the memory may call repeatedly. */
void heap_report_exhausted(const char *call, size_t size)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (size >= NO_MACHINE_HAS || atomic_flag_test_and_set(&reported))
        return;
    heap_lock();
    uint32_t total = heap_runs_total(heap_free_runs()),
             largest = heap_runs_largest(heap_free_runs());
    heap_unlock();
    diag_warn("%s: no room for %zu bytes: %zu KiB of %zu KiB are free, %zu KiB of them in one "
              "piece; raise --memory",
              call, size, (size_t)total * 4, (size_t)engine_heap_pages() * 4, (size_t)largest * 4);
}

/* ---- blocks of other nodes ---- */

/* Marks a block of another node. ASSUMPTION: LOCK_HEAP is held. */
static void heap_mark(const void *ptr)
{
    uint32_t page = engine_page_of(ptr);
    const struct heap_tables_entry *e = heap_entry_of(page);
    if (e->kind < KIND_SMALL || e->owner == engine.node)
        heap_free_failed(ptr);
    uint32_t first = page - e->index, size = heap_runs_class_size(e->kind - KIND_SMALL);
    size_t offset = (size_t)((const char *)ptr - (const char *)heap_page_app(first));
    size_t block = offset / size;
    uint64_t *word = &heap_marks_of(first)[block / 64], bit = UINT64_C(1) << block % 64;
    if (offset % size != 0 || offset + size > (size_t)e->pages << PAGE_SHIFT || (*word & bit))
        heap_free_failed(ptr);
    *word |= bit;
    struct heap_tables_entry *head = heap_entry_of(first);
    uint32_t *list = &heap_header()->pending[e->owner];
    if (head->value == 0) {
        head->value = *list ? *list : LIST_END;
        *list = first + 1;
    }
}

/* Marks the blocks in the outbox. ASSUMPTIONS: mutex and LOCK_HEAP are held. */
static void heap_mark_outbox(void)
{
    for (uint32_t i = 0; i < outbox.count; i++)
        heap_mark(outbox.ptr[i]);
    outbox.count = 0;
    outbox.bytes = 0;
}

void heap_flush(void)
{
    if (outbox.count == 0)
        return;
    pthread_mutex_lock(&arena_mutex);
    heap_lock();
    heap_mark_outbox();
    heap_unlock();
    pthread_mutex_unlock(&arena_mutex);
}

/* Puts a block into the outbox. ASSUMPTION: the mutex is held. */
static void heap_send_back(void *ptr, size_t size)
{
    for (uint32_t i = 0; i < outbox.count; i++)
        if (outbox.ptr[i] == ptr)
            heap_free_failed(ptr);
    outbox.ptr[outbox.count++] = ptr;
    outbox.bytes += size;
    if (outbox.count < OUTBOX_BLOCKS && outbox.bytes < OUTBOX_BYTES)
        return;
    heap_lock();
    heap_mark_outbox();
    heap_unlock();
}

/* ---- superblocks ---- */

/* Frees the pages of a wholly free superblock. ASSUMPTIONS: mutex and LOCK_HEAP are held. */
static void heap_super_release(struct heap_arena_super *s)
{
    uint32_t first = s->first, pages = s->pages;
    if (heap_entry_of(first)->value != 0) /* an uncollected mark, on a free block */
        heap_free_failed(heap_page_app(first));
    memset(heap_entry_of(first), 0, pages * sizeof(struct heap_tables_entry));
    heap_arena_remove(&arena, s);
    heap_give_run(first, pages, false);
}

/* Frees the blocks of one superblock that other nodes marked. ASSUMPTIONS: as above. */
static void heap_collect_super(struct heap_arena_super *s)
{
    uint64_t *marks = heap_marks_of(s->first);
    enum heap_arena_status status = ARENA_OK;
    for (uint32_t w = 0; w * 64 < s->blocks; w++) {
        uint64_t bits = marks[w];
        if (bits == 0)
            continue;
        marks[w] = 0;
        for (; bits; bits &= bits - 1) {
            uint32_t block = w * 64 + (uint32_t)__builtin_ctzll(bits);
            status = heap_arena_give_block(&arena, s, block);
            if (status == ARENA_FREE_ALREADY || status == ARENA_NO_BLOCK)
                heap_free_failed((char *)heap_page_app(s->first) +
                                 (size_t)block * heap_runs_class_size(s->class));
        }
    }
    if (status == ARENA_EMPTIED)
        heap_super_release(s);
}

static void heap_collect(void)
{
    uint32_t link = heap_header()->pending[engine.node];
    if (link == 0 || link == LIST_END)
        return;
    heap_header()->pending[engine.node] = 0;
    while (link != LIST_END) {
        struct heap_tables_entry *e = heap_entry_of(link - 1);
        struct heap_arena_super *s = heap_arena_super(&arena, link - 1);
        if (!s || e->value == 0)
            heap_tables_damaged(link - 1);
        link = e->value;
        e->value = 0;
        heap_collect_super(s);
    }
}

static void heap_trim_locked(void)
{
    heap_mark_outbox();
    heap_collect();
    for (int class = 0; class < HEAP_CLASSES; class ++)
        for (struct heap_arena_super *s = heap_arena_empty(&arena, class); s;
             s = heap_arena_empty(&arena, class))
            heap_super_release(s);
}

void heap_trim(void)
{
    pthread_mutex_lock(&arena_mutex);
    heap_lock();
    heap_trim_locked();
    heap_unlock();
    pthread_mutex_unlock(&arena_mutex);
}

static bool heap_super_make(int class, uint32_t pages)
{
    struct heap_runs_taken run;
    struct heap_arena_super *s = heap_arena_super_new(class, pages);
    if (!s)
        return false;
    if (!heap_runs_take(heap_free_runs(), pages, 1, 0, &run)) {
        free(s);
        return false;
    }
    for (uint32_t i = 0; i < pages; i++)
        *heap_entry_of(run.start + i) =
            (struct heap_tables_entry){ .kind = (unsigned)(KIND_SMALL + class) & 63,
                                        .owner = (unsigned)engine.node & 1023,
                                        .pages = pages & 255,
                                        .index = i & 255 };
    heap_arena_add(&arena, s, run.start, run.dirty_count != 0);
    return true;
}

/* Of the usual size, or, if memory is short, of the smallest that holds a block. */
static bool heap_super_make_any(int class)
{
    uint32_t size = heap_runs_class_size(class), usual = heap_to_pages(4 * (size_t)size);
    return heap_super_make(class, usual > at.super_pages ? usual : at.super_pages) ||
           heap_super_make(class, heap_to_pages(size));
}

/* Makes a superblock of the class usable. ASSUMPTION: the mutex is held. */
static void heap_refill(int class)
{
    heap_lock();
    heap_mark_outbox();
    heap_collect();
    if (!arena.usable[class] && !heap_super_make_any(class)) {
        heap_trim_locked();
        (void)heap_super_make_any(class);
    }
    heap_unlock();
}

/* ---- allocating ---- */

static void *heap_small_alloc(int class, size_t size, bool zeroed)
{
    struct heap_arena_block block;
    pthread_mutex_lock(&arena_mutex);
    bool ok = heap_arena_take(&arena, class, &block);
    if (!ok) {
        heap_refill(class);
        ok = heap_arena_take(&arena, class, &block);
    }
    pthread_mutex_unlock(&arena_mutex);
    if (!ok)
        return NULL;
    void *ptr = engine.app + block.offset;
    if (block.used && zeroed)
        memset(ptr, 0, size);
    return ptr;
}

static bool heap_run_take(uint32_t count, uint64_t align, enum heap_tables_kind kind,
                          struct heap_runs_taken *out)
{
    uint64_t skew = ((uintptr_t)engine.app >> PAGE_SHIFT) & (align - 1);
    heap_lock();
    bool ok = heap_runs_take(heap_free_runs(), count, align, skew, out);
    if (ok)
        *heap_entry_of(out->start) =
            (struct heap_tables_entry){ .kind = (unsigned)kind & 63, .value = count };
    heap_unlock();
    return ok;
}

void heap_zero(uint32_t first, uint32_t count)
{
    if (!engine.alone || count < DISCARD_MIN ||
        fabric_window_discard(engine.fabric, engine.space.id, (size_t)first << PAGE_SHIFT,
                              (size_t)count << PAGE_SHIFT) != 0)
        memset(heap_page_app(first), 0, (size_t)count << PAGE_SHIFT);
}

static void *heap_large_alloc(uint32_t count, size_t align, bool zeroed)
{
    struct heap_runs_taken run;
    uint64_t pages = align > PAGE_SIZE ? align >> PAGE_SHIFT : 1;
    if (!heap_run_take(count, pages, KIND_RUN, &run)) {
        heap_trim();
        if (!heap_run_take(count, pages, KIND_RUN, &run))
            return NULL;
    }
    if (zeroed)
        heap_zero(run.dirty_start, run.dirty_count);
    return heap_page_app(run.start);
}

void *heap_allocate(const char *call, size_t align, size_t size, bool zeroed)
{
    void *ptr = NULL;
    size_t bytes = size ? size : 1;
    int class = heap_runs_class_for(bytes, align);
    race_ignore_begin(); /* also of the zeros */
    if (class >= 0)
        ptr = heap_small_alloc(class, bytes, zeroed);
    else if (bytes <= (size_t)engine_heap_pages() << PAGE_SHIFT)
        ptr = heap_large_alloc(heap_to_pages(bytes), align, zeroed);
    if (!ptr) {
        heap_report_exhausted(call, size);
        errno = ENOMEM;
    }
    race_ignore_end();
    race_acquire(); /* acquires from the thread that freed it */
    return ptr;
}

/* ---- freeing ---- */

/* Frees a block of this node's superblock. ASSUMPTION: the mutex is held. */
static void heap_free_own(const void *ptr, struct heap_arena_super *s)
{
    uint64_t offset = (uint64_t)((const char *)ptr - (const char *)heap_page_app(s->first));
    enum heap_arena_status status = heap_arena_give(&arena, s, offset);
    if (status == ARENA_NO_BLOCK || status == ARENA_FREE_ALREADY)
        heap_free_failed(ptr);
    if (status == ARENA_EMPTIED) {
        heap_lock();
        heap_super_release(s);
        heap_unlock();
    }
}

/*
 * Frees a small block; false if it is none. The entry is read without LOCK_HEAP: for a live block
 * only its link changes, and the freeing node has seen the entry written, as it has seen the block
 * allocated. For a wrong pointer the entry may be stale; heap_mark() checks again.
 */
static bool heap_free_small(void *ptr, uint32_t page)
{
    pthread_mutex_lock(&arena_mutex);
    struct heap_arena_super *s = heap_arena_super(&arena, page);
    const struct heap_tables_entry *e = s ? NULL : heap_entry_of(page);
    bool foreign = e && e->kind >= KIND_SMALL && e->owner != engine.node;
    if (s)
        heap_free_own(ptr, s);
    else if (foreign)
        heap_send_back(ptr, heap_runs_class_size(e->kind - KIND_SMALL));
    pthread_mutex_unlock(&arena_mutex);
    return s || foreign;
}

/* Frees a run of pages. ASSUMPTION: LOCK_HEAP is held. */
static void heap_free_run(const void *ptr, uint32_t page)
{
    struct heap_tables_entry *e = heap_entry_of(page);
    if (((uintptr_t)ptr & (PAGE_SIZE - 1)) != 0 || (e->kind != KIND_RUN && e->kind != KIND_ALL))
        heap_free_failed(ptr);
    if (e->kind == KIND_ALL)
        diag_fatal(
            1, "hlrc_free(%p): memory of hlrc_malloc_all; free it with hlrc_free_all, on all nodes",
            ptr);
    uint32_t count = e->value;
    *e = (struct heap_tables_entry){ .kind = KIND_NONE };
    heap_give_run(page, count, false);
}

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
    if (heap_free_small(ptr, page))
        return;
    heap_lock();
    heap_free_run(ptr, page);
    heap_unlock();
}

/* The entry of a live allocation may be read. */
size_t heap_size_of(const void *ptr)
{
    if (!engine_in_heap(ptr) || engine_page_of(ptr) < at.first)
        return 0;
    uint32_t page = engine_page_of(ptr);
    const struct heap_tables_entry *e = heap_entry_of(page);
    if (e->kind == KIND_RUN)
        return ((uintptr_t)ptr & (PAGE_SIZE - 1)) == 0 ? (size_t)e->value << PAGE_SHIFT : 0;
    if (e->kind < KIND_SMALL)
        return 0;
    size_t size = heap_runs_class_size(e->kind - KIND_SMALL);
    size_t offset = (size_t)((const char *)ptr - (const char *)heap_page_app(page - e->index));
    return offset % size == 0 && offset + size <= (size_t)e->pages << PAGE_SHIFT ? size : 0;
}

/* ---- for the collectives ---- */

bool heap_take_all(size_t size, struct heap_runs_taken *out, uint32_t *count)
{
    size_t bytes = size ? size : 1;
    if (bytes <= (size_t)engine_heap_pages() << PAGE_SHIFT) {
        *count = heap_to_pages(bytes);
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
    const struct heap_tables_entry *e = heap_entry_of(engine_page_of(ptr));
    return e->kind == KIND_ALL ? e->value : 0;
}

void heap_give_all(uint32_t first, uint32_t count)
{
    heap_lock();
    *heap_entry_of(first) = (struct heap_tables_entry){ .kind = KIND_NONE };
    heap_give_run(first, count, true);
    heap_unlock();
}
