/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap_small.c - see heap_small.h. */
#include "hlrc/heap/heap_small.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/race.h"
#include "hlrc/core/engine.h"
#include "hlrc/heap/heap_cache.h"
#include "hlrc/heap/heap_cached.h"
#include "hlrc/heap/heap_pages.h"
#include "hlrc/heap/heap_run.h"
#include "hlrc/heap/sites.h"

#define OUTBOX_BLOCKS 64u
#define OUTBOX_BYTES  16384u

static struct heap_arena arena; /* guarded by arena_mutex */
static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Blocks of other nodes that were freed here and are not marked yet: a release for each would be
 * expensive. */
static struct {
    void *ptr[OUTBOX_BLOCKS];
    size_t bytes;
    _Atomic uint32_t count; /* written under arena_mutex, like the rest; read without */
} outbox;

int heap_small_init(void)
{
    heap_cache_init();
    outbox.count = 0;
    outbox.bytes = 0;
    return heap_arena_init(&arena, engine_heap_pages(),
                           heap_pages_clamp(engine_heap_pages() / 1024, 1, HEAP_CLASSES));
}

void heap_small_end(void)
{
    heap_arena_end(&arena);
}

void heap_small_describe(struct heap_tables *tables)
{
    tables->arena = &arena;
    tables->outbox = outbox.ptr;
    tables->outbox_count = &outbox.count;
}

/* ---- blocks of other nodes ---- */

/* Marks a block of another node. ASSUMPTION: LOCK_HEAP is held. */
static void heap_small_mark(const void *ptr)
{
    uint32_t page = engine_page_of(ptr);
    const struct heap_tables_entry *e = heap_pages_entry(page);
    if (e->kind < KIND_SMALL || e->owner == engine.node)
        heap_pages_free_failed(ptr);
    uint32_t first = page - e->index, size = heap_runs_class_size(e->kind - KIND_SMALL);
    size_t offset = (size_t)((const char *)ptr - (const char *)heap_pages_app(first));
    size_t block = offset / size;
    uint64_t *word = &heap_pages_marks(first)[block / 64], bit = UINT64_C(1) << block % 64;
    if (offset % size != 0 || offset + size > (size_t)e->pages << PAGE_SHIFT || (*word & bit))
        heap_pages_free_failed(ptr);
    *word |= bit;
    struct heap_tables_entry *head = heap_pages_entry(first);
    uint32_t *list = &heap_pages_header()->pending[e->owner];
    if (head->value == 0) {
        head->value = *list ? *list : HEAP_PAGES_END;
        *list = first + 1;
    }
}

/* Marks the blocks in the outbox. ASSUMPTIONS: mutex and LOCK_HEAP are held. */
static void heap_small_mark_outbox(void)
{
    for (uint32_t i = 0; i < outbox.count; i++)
        heap_small_mark(outbox.ptr[i]);
    outbox.count = 0;
    outbox.bytes = 0;
}

void heap_small_flush(void)
{
    if (outbox.count == 0)
        return;
    pthread_mutex_lock(&arena_mutex);
    heap_pages_lock();
    heap_small_mark_outbox();
    heap_pages_unlock();
    pthread_mutex_unlock(&arena_mutex);
}

/* Puts a block into the outbox. ASSUMPTION: the mutex is held. */
static void heap_small_send_back(void *ptr, size_t size)
{
    for (uint32_t i = 0; i < outbox.count; i++)
        if (outbox.ptr[i] == ptr)
            heap_pages_free_failed(ptr);
    outbox.ptr[outbox.count++] = ptr;
    outbox.bytes += size;
    if (outbox.count < OUTBOX_BLOCKS && outbox.bytes < OUTBOX_BYTES)
        return;
    heap_pages_lock();
    heap_small_mark_outbox();
    heap_pages_unlock();
}

/* ---- superblocks ---- */

/* Frees the pages of a wholly free superblock. ASSUMPTIONS: mutex and LOCK_HEAP are held. */
static void heap_small_release_super(struct heap_arena_super *s)
{
    uint32_t first = s->first, pages = s->pages;
    if (heap_pages_entry(first)->value != 0) /* an uncollected mark, on a free block */
        heap_pages_free_failed(heap_pages_app(first));
    memset(heap_pages_entry(first), 0, pages * sizeof(struct heap_tables_entry));
    heap_arena_remove(&arena, s);
    heap_pages_give(first, pages, false);
}

/* Frees a block of this node's superblock. ASSUMPTION: the mutex is held. */
static void heap_small_free_own(const void *ptr, struct heap_arena_super *s)
{
    uint64_t offset = (uint64_t)((const char *)ptr - (const char *)heap_pages_app(s->first));
    enum heap_arena_status status = heap_arena_give(&arena, s, offset);
    if (status == ARENA_NO_BLOCK || status == ARENA_FREE_ALREADY)
        heap_pages_free_failed(ptr);
    if (status == ARENA_EMPTIED) {
        heap_pages_lock();
        heap_small_release_super(s);
        heap_pages_unlock();
    }
}

/* Frees blocks from a cache. ASSUMPTION: the mutex is held. */
static void heap_small_free_cached(void **blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct heap_arena_super *s = heap_arena_super(&arena, engine_page_of(blocks[i]));
        if (!s)
            heap_pages_free_failed(blocks[i]);
        heap_small_free_own(blocks[i], s);
    }
}

/* Also of the calling thread's cache; other threads keep theirs. ASSUMPTION: the mutex is held. */
static void heap_small_empty_cache(void)
{
    void *blocks[HEAP_CACHE_BLOCKS];
    for (int class = 0; class < HEAP_CLASSES; class ++)
        heap_small_free_cached(blocks, heap_cache_empty(class, blocks));
}

/* Frees the blocks of one superblock that other nodes marked. ASSUMPTIONS: as above. */
static void heap_small_collect_super(struct heap_arena_super *s)
{
    uint64_t *marks = heap_pages_marks(s->first);
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
                heap_pages_free_failed((char *)heap_pages_app(s->first) +
                                       (size_t)block * heap_runs_class_size(s->class));
        }
    }
    if (status == ARENA_EMPTIED)
        heap_small_release_super(s);
}

static void heap_small_collect(void)
{
    uint32_t link = heap_pages_header()->pending[engine.node];
    if (link == 0 || link == HEAP_PAGES_END)
        return;
    heap_pages_header()->pending[engine.node] = 0;
    while (link != HEAP_PAGES_END) {
        struct heap_tables_entry *e = heap_pages_entry(link - 1);
        struct heap_arena_super *s = heap_arena_super(&arena, link - 1);
        if (!s || e->value == 0)
            heap_pages_damaged(link - 1);
        link = e->value;
        e->value = 0;
        heap_small_collect_super(s);
    }
}

static void heap_small_trim_locked(void)
{
    heap_small_mark_outbox();
    heap_small_collect();
    for (int class = 0; class < HEAP_CLASSES; class ++)
        for (struct heap_arena_super *s = heap_arena_empty(&arena, class); s;
             s = heap_arena_empty(&arena, class))
            heap_small_release_super(s);
}

void heap_small_trim(void)
{
    pthread_mutex_lock(&arena_mutex);
    heap_small_empty_cache();
    heap_pages_lock();
    heap_small_trim_locked();
    heap_pages_unlock();
    pthread_mutex_unlock(&arena_mutex);
}

static bool heap_small_make_super(int class, uint32_t pages)
{
    struct heap_runs_taken run;
    struct heap_arena_super *s = heap_arena_super_new(class, pages);
    if (!s)
        return false;
    if (!heap_runs_take(heap_pages_runs(), pages, 1, 0, &run)) {
        free(s);
        return false;
    }
    for (uint32_t i = 0; i < pages; i++)
        *heap_pages_entry(run.start + i) =
            (struct heap_tables_entry){ .kind = (unsigned)(KIND_SMALL + class) & 255,
                                        .owner = (unsigned)engine.node & 1023,
                                        .pages = pages & 127,
                                        .index = i & 127 };
    heap_arena_add(&arena, s, run.start, run.dirty_count != 0);
    return true;
}

/* Of the usual size, or, if memory is short, of the smallest that holds a block. */
static bool heap_small_make_any_super(int class)
{
    uint32_t size = heap_runs_class_size(class), usual = heap_pages_needed(4 * (size_t)size);
    return heap_small_make_super(class, usual > heap_pages_at.super_pages
                                            ? usual
                                            : heap_pages_at.super_pages) ||
           heap_small_make_super(class, heap_pages_needed(size));
}

/* Makes a superblock of the class usable. ASSUMPTION: the mutex is held. */
static void heap_small_refill(int class)
{
    heap_pages_lock();
    heap_small_mark_outbox();
    heap_small_collect();
    if (!arena.usable[class] && !heap_small_make_any_super(class)) {
        heap_small_trim_locked();
        (void)heap_small_make_any_super(class);
    }
    heap_pages_unlock();
}

void *heap_small_allocate(int class, size_t size, bool zeroed)
{
    struct heap_arena_block block;
    void *ptr = heap_cache_take(class);
    if (ptr)
        return zeroed ? memset(ptr, 0, size) : ptr;
    pthread_mutex_lock(&arena_mutex);
    bool ok = heap_arena_take(&arena, class, &block);
    for (int attempt = 0; attempt < 2 && !ok; attempt++) {
        if (attempt > 0)
            heap_small_empty_cache();
        heap_small_refill(class);
        ok = heap_arena_take(&arena, class, &block);
    }
    pthread_mutex_unlock(&arena_mutex);
    if (!ok)
        return NULL;
    ptr = engine.app + block.offset;
    if (block.used && zeroed)
        memset(ptr, 0, size);
    return ptr;
}

/* [cache.live] Its superblock, if a live block of this node begins at ptr, in that page: asked
 * without the mutex, since the superblock of a live block does not change. NULL: look with it. */
static struct heap_arena_super *heap_small_super(const void *ptr, uint32_t page)
{
    struct heap_arena_super *s = engine.unaware ? heap_arena_super(&arena, page) : NULL;
    size_t at = s ? (size_t)((const char *)ptr - engine.app) - ((size_t)s->first << PAGE_SHIFT) : 0;
    return s && heap_arena_is_live(s, (uint32_t)at) ? s : NULL;
}

/* False: it is not in use. */
static bool heap_small_free_to_cache(void *ptr, uint32_t page)
{
    const struct heap_arena_super *s = heap_small_super(ptr, page);
    void *older[HEAP_CACHE_BLOCKS];
    uint32_t count = s ? heap_cache_give(s->class, ptr, older) : 0;
    if (count == HEAP_CACHE_TWICE)
        heap_pages_free_failed(ptr);
    if (count > 0) {
        pthread_mutex_lock(&arena_mutex);
        heap_small_free_cached(older, count);
        pthread_mutex_unlock(&arena_mutex);
    }
    return s != NULL;
}

void *hlrc_cached_take(size_t size)
{
    if (sites_on || race_watched())
        return NULL;
    if (size <= HEAP_CACHE_BYTES)
        return heap_cache_take(heap_runs_class_of(size ? (uint32_t)size : 1));
    return size > HEAP_SMALL_MAX ? heap_run_take_cached(size) : NULL;
}

bool hlrc_cached_give(void *ptr)
{
    uint32_t page = engine_page_of(ptr);
    const struct heap_arena_super *s = heap_small_super(ptr, page);
    if (race_watched())
        return false;
    return s ? heap_cache_keep(s->class, ptr) : heap_run_keep_cached(ptr, page);
}

/*
 * Frees a small block; false if it is none. The entry is read without LOCK_HEAP: for a live block
 * only its link changes, and the freeing node has seen the entry written, as it has seen the block
 * allocated. For a wrong pointer the entry may be stale; heap_small_mark() checks again.
 */
bool heap_small_free(void *ptr, uint32_t page)
{
    if (heap_small_free_to_cache(ptr, page))
        return true;
    pthread_mutex_lock(&arena_mutex);
    struct heap_arena_super *s = heap_arena_super(&arena, page);
    const struct heap_tables_entry *e = s ? NULL : heap_pages_entry(page);
    bool foreign = e && e->kind >= KIND_SMALL && e->owner != engine.node;
    if (s)
        heap_small_free_own(ptr, s);
    else if (foreign)
        heap_small_send_back(ptr, heap_runs_class_size(e->kind - KIND_SMALL));
    pthread_mutex_unlock(&arena_mutex);
    return s || foreign;
}
