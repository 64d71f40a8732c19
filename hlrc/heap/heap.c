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
#define ALIGN_MAX     ((size_t)1 << 30)
#define OUTBOX_BLOCKS 64u
#define OUTBOX_BYTES  16384u
#define LIST_END      UINT32_MAX
#define DISCARD_MIN   256u /* pages from which a job of one node has the kernel zero them */

struct header {
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

static struct arena arena; /* guarded by arena_mutex */
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

static void *page_app(uint32_t page)
{
    return engine.app + ((size_t)page << PAGE_SHIFT);
}

static size_t header_bytes(void)
{
    size_t bytes = sizeof(struct header) + (size_t)engine.nodes * sizeof(uint32_t);
    return (bytes + 63) & ~(size_t)63;
}

static struct header *header(void)
{
    return page_app(0);
}

static struct runs *free_runs(void)
{
    return (void *)(engine.app + header_bytes());
}

static struct entry *entry_of(uint32_t page)
{
    return (struct entry *)page_app(at.directory) + page;
}

static uint64_t *marks_of(uint32_t page)
{
    return (uint64_t *)page_app(at.marks) + (size_t)page * MARK_WORDS;
}

static uint32_t to_pages(size_t bytes)
{
    return (uint32_t)((bytes + PAGE_SIZE - 1) >> PAGE_SHIFT);
}

static uint32_t clamp(uint32_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void layout(uint32_t pages)
{
    size_t n = pages;
    at.super_pages = clamp(pages / 256, 1, SUPER_PAGES);
    at.directory = to_pages(header_bytes() + sizeof(struct runs) + n * sizeof(struct run));
    at.marks = at.directory + to_pages(n * sizeof(struct entry));
    at.first = at.marks + to_pages(n * MARK_WORDS * sizeof(uint64_t));
}

uint32_t heap_first(uint32_t pages)
{
    layout(pages);
    return at.first;
}

int heap_init(void)
{
    layout(heap_pages());
    if (at.first >= heap_pages()) {
        diag_report(1, "--memory: %u pages are too few: the heap's tables need %u; raise --memory",
                    heap_pages(), at.first);
        return -ENOMEM;
    }
    outbox.count = 0;
    outbox.bytes = 0;
    tables = (struct heap_tables){ .directory = at.directory,
                                   .marks = at.marks,
                                   .first = at.first,
                                   .runs = (uint32_t)header_bytes(),
                                   .arena = &arena,
                                   .outbox = outbox.ptr,
                                   .outbox_count = &outbox.count };
    int rc = arena_init(&arena, heap_pages(), clamp(heap_pages() / 1024, 1, HEAP_CLASSES));
    if (rc)
        diag_report(1, "cannot allocate tables for %u pages of shared heap: %s; lower --memory",
                    heap_pages(), strerror(-rc));
    return rc;
}

void heap_end(void)
{
    tables.arena = NULL;
    arena_end(&arena);
}

/* ---- the lock ---- */

static void heap_lock(void)
{
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(heap_lock);
    engine.protocol.locks->acquire(LOCK_HEAP);
    PROBE_END(heap_lock, span, probe_granted());
    thread_leave(t);
    if (!header()->ready) {
        runs_init(free_runs(), at.first, heap_pages() - at.first);
        header()->ready = 1;
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

static _Noreturn void free_failed(const void *ptr)
{
    diag_fatal(1,
               "hlrc_free(%p): no live allocation begins here: never allocated, or already freed; "
               "free each pointer from hlrc_malloc or hlrc_aligned_alloc once",
               ptr);
}

static _Noreturn void tables_damaged(uint32_t page)
{
    diag_fatal(1,
               "the shared heap's tables are damaged at %p; does the program write outside its "
               "allocations?",
               page_app(page));
}

static void give_run(uint32_t first, uint32_t count, bool clean)
{
    if (!runs_give(free_runs(), first, count, clean))
        tables_damaged(first);
}

/* Once per process: a program that continues without the memory may call repeatedly. */
void heap_report_exhausted(const char *call, size_t size)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&reported))
        return;
    heap_lock();
    uint32_t total = runs_total(free_runs()), largest = runs_largest(free_runs());
    heap_unlock();
    diag_warn("%s: no room for %zu bytes: %zu KiB of %zu KiB are free, %zu KiB of them in one "
              "piece; raise --memory",
              call, size, (size_t)total * 4, (size_t)heap_pages() * 4, (size_t)largest * 4);
}

/* ---- blocks of other nodes ---- */

/* Marks a block of another node. ASSUMPTION: LOCK_HEAP is held. */
static void mark(const void *ptr)
{
    uint32_t page = page_of(ptr);
    const struct entry *e = entry_of(page);
    if (e->kind < KIND_SMALL || e->owner == engine.node)
        free_failed(ptr);
    uint32_t first = page - e->index, size = class_size(e->kind - KIND_SMALL);
    size_t offset = (size_t)((const char *)ptr - (const char *)page_app(first));
    size_t block = offset / size;
    uint64_t *word = &marks_of(first)[block / 64], bit = UINT64_C(1) << block % 64;
    if (offset % size != 0 || offset + size > (size_t)e->pages << PAGE_SHIFT || (*word & bit))
        free_failed(ptr);
    *word |= bit;
    struct entry *head = entry_of(first);
    uint32_t *list = &header()->pending[e->owner];
    if (head->value == 0) {
        head->value = *list ? *list : LIST_END;
        *list = first + 1;
    }
}

/* Marks the blocks in the outbox. ASSUMPTIONS: mutex and LOCK_HEAP are held. */
static void mark_outbox(void)
{
    for (uint32_t i = 0; i < outbox.count; i++)
        mark(outbox.ptr[i]);
    outbox.count = 0;
    outbox.bytes = 0;
}

void heap_flush(void)
{
    if (outbox.count == 0)
        return;
    pthread_mutex_lock(&arena_mutex);
    heap_lock();
    mark_outbox();
    heap_unlock();
    pthread_mutex_unlock(&arena_mutex);
}

/* Puts a block into the outbox. ASSUMPTION: the mutex is held. */
static void send_back(void *ptr, size_t size)
{
    for (uint32_t i = 0; i < outbox.count; i++)
        if (outbox.ptr[i] == ptr)
            free_failed(ptr);
    outbox.ptr[outbox.count++] = ptr;
    outbox.bytes += size;
    if (outbox.count < OUTBOX_BLOCKS && outbox.bytes < OUTBOX_BYTES)
        return;
    heap_lock();
    mark_outbox();
    heap_unlock();
}

/* ---- superblocks ---- */

/* Frees the pages of a wholly free superblock. ASSUMPTIONS: mutex and LOCK_HEAP are held. */
static void super_release(struct super *s)
{
    uint32_t first = s->first, pages = s->pages;
    if (entry_of(first)->value != 0) /* an uncollected mark, on a free block */
        free_failed(page_app(first));
    memset(entry_of(first), 0, pages * sizeof(struct entry));
    arena_remove(&arena, s);
    give_run(first, pages, false);
}

/* Frees the blocks of one superblock that other nodes marked. ASSUMPTIONS: as above. */
static void collect_super(struct super *s)
{
    uint64_t *marks = marks_of(s->first);
    enum arena_status status = ARENA_OK;
    for (uint32_t w = 0; w * 64 < s->blocks; w++) {
        uint64_t bits = marks[w];
        if (bits == 0)
            continue;
        marks[w] = 0;
        for (; bits; bits &= bits - 1) {
            uint32_t block = w * 64 + (uint32_t)__builtin_ctzll(bits);
            status = arena_give_block(&arena, s, block);
            if (status == ARENA_FREE_ALREADY || status == ARENA_NO_BLOCK)
                free_failed((char *)page_app(s->first) + (size_t)block * class_size(s->class));
        }
    }
    if (status == ARENA_EMPTIED)
        super_release(s);
}

static void collect(void)
{
    uint32_t link = header()->pending[engine.node];
    if (link == 0 || link == LIST_END)
        return;
    header()->pending[engine.node] = 0;
    while (link != LIST_END) {
        struct entry *e = entry_of(link - 1);
        struct super *s = arena_super(&arena, link - 1);
        if (!s || e->value == 0)
            tables_damaged(link - 1);
        link = e->value;
        e->value = 0;
        collect_super(s);
    }
}

static void trim_locked(void)
{
    mark_outbox();
    collect();
    for (int class = 0; class < HEAP_CLASSES; class ++)
        for (struct super *s = arena_empty(&arena, class); s; s = arena_empty(&arena, class))
            super_release(s);
}

void heap_trim(void)
{
    pthread_mutex_lock(&arena_mutex);
    heap_lock();
    trim_locked();
    heap_unlock();
    pthread_mutex_unlock(&arena_mutex);
}

static bool super_make(int class, uint32_t pages)
{
    struct run_taken run;
    struct super *s = super_new(class, pages);
    if (!s)
        return false;
    if (!runs_take(free_runs(), pages, 1, 0, &run)) {
        free(s);
        return false;
    }
    for (uint32_t i = 0; i < pages; i++)
        *entry_of(run.start + i) = (struct entry){ .kind = (unsigned)(KIND_SMALL + class) & 63,
                                                   .owner = (unsigned)engine.node & 1023,
                                                   .pages = pages & 255,
                                                   .index = i & 255 };
    arena_add(&arena, s, run.start, run.dirty_count != 0);
    return true;
}

/* Of the usual size, or, if memory is short, of the smallest that holds a block. */
static bool super_make_any(int class)
{
    uint32_t size = class_size(class), usual = to_pages(4 * (size_t)size);
    return super_make(class, usual > at.super_pages ? usual : at.super_pages) ||
           super_make(class, to_pages(size));
}

/* Makes a superblock of the class usable. ASSUMPTION: the mutex is held. */
static void refill(int class)
{
    heap_lock();
    mark_outbox();
    collect();
    if (!arena.usable[class] && !super_make_any(class)) {
        trim_locked();
        (void)super_make_any(class);
    }
    heap_unlock();
}

/* ---- allocating ---- */

static void *small_alloc(int class, size_t size)
{
    struct arena_block block;
    pthread_mutex_lock(&arena_mutex);
    bool ok = arena_take(&arena, class, &block);
    if (!ok) {
        refill(class);
        ok = arena_take(&arena, class, &block);
    }
    pthread_mutex_unlock(&arena_mutex);
    if (!ok)
        return NULL;
    void *ptr = engine.app + block.offset;
    if (block.used)
        memset(ptr, 0, size);
    return ptr;
}

static bool run_take(uint32_t count, uint64_t align, enum kind kind, struct run_taken *out)
{
    uint64_t skew = ((uintptr_t)engine.app >> PAGE_SHIFT) & (align - 1);
    heap_lock();
    bool ok = runs_take(free_runs(), count, align, skew, out);
    if (ok)
        *entry_of(out->start) = (struct entry){ .kind = (unsigned)kind & 63, .value = count };
    heap_unlock();
    return ok;
}

void heap_zero(uint32_t first, uint32_t count)
{
    if (!engine.alone || count < DISCARD_MIN ||
        fabric_window_discard(engine.fabric, engine.space.id, (size_t)first << PAGE_SHIFT,
                              (size_t)count << PAGE_SHIFT) != 0)
        memset(page_app(first), 0, (size_t)count << PAGE_SHIFT);
}

static void *large_alloc(uint32_t count, size_t align)
{
    struct run_taken run;
    uint64_t pages = align > PAGE_SIZE ? align >> PAGE_SHIFT : 1;
    if (!run_take(count, pages, KIND_RUN, &run)) {
        heap_trim();
        if (!run_take(count, pages, KIND_RUN, &run))
            return NULL;
    }
    heap_zero(run.dirty_start, run.dirty_count);
    return page_app(run.start);
}

static void *allocate(const char *call, size_t align, size_t size)
{
    void *ptr = NULL;
    size_t bytes = size ? size : 1;
    int class = class_for(bytes, align);
    race_ignore_begin(); /* also of the zeros */
    if (class >= 0)
        ptr = small_alloc(class, bytes);
    else if (bytes <= (size_t)heap_pages() << PAGE_SHIFT)
        ptr = large_alloc(to_pages(bytes), align);
    if (!ptr) {
        heap_report_exhausted(call, size);
        errno = ENOMEM;
    }
    race_ignore_end();
    race_acquire(); /* acquires from the thread that freed it */
    return ptr;
}

void *hlrc_malloc(size_t size)
{
    call_check("hlrc_malloc");
    void *ptr = allocate("hlrc_malloc", HEAP_GRAIN, size);
    site_note(ptr, size, __builtin_return_address(0));
    return ptr;
}

void *hlrc_aligned_alloc(size_t align, size_t size)
{
    call_check("hlrc_aligned_alloc");
    if (align == 0 || (align & (align - 1)) != 0 || align > ALIGN_MAX) {
        errno = EINVAL;
        return NULL;
    }
    void *ptr = allocate("hlrc_aligned_alloc", align, size);
    site_note(ptr, size, __builtin_return_address(0));
    return ptr;
}

/* ---- freeing ---- */

/* Frees a block of this node's superblock. ASSUMPTION: the mutex is held. */
static void free_own(const void *ptr, struct super *s)
{
    uint64_t offset = (uint64_t)((const char *)ptr - (const char *)page_app(s->first));
    enum arena_status status = arena_give(&arena, s, offset);
    if (status == ARENA_NO_BLOCK || status == ARENA_FREE_ALREADY)
        free_failed(ptr);
    if (status == ARENA_EMPTIED) {
        heap_lock();
        super_release(s);
        heap_unlock();
    }
}

/*
 * Frees a small block; false if it is none. The entry is read without LOCK_HEAP: for a live block
 * only its link changes, and the freeing node has seen the entry written, as it has seen the block
 * allocated. For a wrong pointer the entry may be stale; mark() checks again.
 */
static bool free_small(void *ptr, uint32_t page)
{
    pthread_mutex_lock(&arena_mutex);
    struct super *s = arena_super(&arena, page);
    const struct entry *e = s ? NULL : entry_of(page);
    bool foreign = e && e->kind >= KIND_SMALL && e->owner != engine.node;
    if (s)
        free_own(ptr, s);
    else if (foreign)
        send_back(ptr, class_size(e->kind - KIND_SMALL));
    pthread_mutex_unlock(&arena_mutex);
    return s || foreign;
}

/* Frees a run of pages. ASSUMPTION: LOCK_HEAP is held. */
static void free_run(const void *ptr, uint32_t page)
{
    struct entry *e = entry_of(page);
    if (((uintptr_t)ptr & (PAGE_SIZE - 1)) != 0 || (e->kind != KIND_RUN && e->kind != KIND_ALL))
        free_failed(ptr);
    if (e->kind == KIND_ALL)
        diag_fatal(
            1, "hlrc_free(%p): memory of hlrc_malloc_all; free it with hlrc_free_all, on all nodes",
            ptr);
    uint32_t count = e->value;
    *e = (struct entry){ .kind = KIND_NONE };
    give_run(page, count, false);
}

void hlrc_free(void *ptr)
{
    call_check("hlrc_free");
    if (!ptr)
        return;
    if (!in_heap(ptr))
        diag_fatal(1,
                   "hlrc_free(%p): not shared memory; pass a pointer from hlrc_malloc or "
                   "hlrc_aligned_alloc",
                   ptr);
    uint32_t page = page_of(ptr);
    race_release();
    if (free_small(ptr, page))
        return;
    heap_lock();
    free_run(ptr, page);
    heap_unlock();
}

/* The entry of a live allocation may be read. */
size_t heap_size_of(const void *ptr)
{
    if (!in_heap(ptr) || page_of(ptr) < at.first)
        return 0;
    uint32_t page = page_of(ptr);
    const struct entry *e = entry_of(page);
    if (e->kind == KIND_RUN)
        return ((uintptr_t)ptr & (PAGE_SIZE - 1)) == 0 ? (size_t)e->value << PAGE_SHIFT : 0;
    if (e->kind < KIND_SMALL)
        return 0;
    size_t size = class_size(e->kind - KIND_SMALL);
    size_t offset = (size_t)((const char *)ptr - (const char *)page_app(page - e->index));
    return offset % size == 0 && offset + size <= (size_t)e->pages << PAGE_SHIFT ? size : 0;
}

/* ---- for the collectives ---- */

bool heap_take_all(size_t size, struct run_taken *out, uint32_t *count)
{
    size_t bytes = size ? size : 1;
    if (bytes <= (size_t)heap_pages() << PAGE_SHIFT) {
        *count = to_pages(bytes);
        if (run_take(*count, 1, KIND_ALL, out))
            return true;
    }
    return false;
}

uint32_t heap_count_all(const void *ptr)
{
    if (!in_heap(ptr) || ((uintptr_t)ptr & (PAGE_SIZE - 1)) != 0)
        return 0;
    /* written before the barrier of hlrc_malloc_all */
    const struct entry *e = entry_of(page_of(ptr));
    return e->kind == KIND_ALL ? e->value : 0;
}

void heap_give_all(uint32_t first, uint32_t count)
{
    heap_lock();
    *entry_of(first) = (struct entry){ .kind = KIND_NONE };
    give_run(first, count, true);
    heap_unlock();
}
