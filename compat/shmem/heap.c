/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.c - the symmetric heap: blocks in windows; each PE has the same list of them (inner.h). The
 * list is private, so a program that writes beyond its block does not damage it.
 *
 * SHMEM_SYMMETRIC_SIZE gives the heap's size, allocated at once. Without it the heap grows by a
 * window when a block does not fit.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compat/shmem/inner.h"

#define GROWTH ((size_t)16 << 20) /* least size of a window */
#define UNIT   ((size_t)16)       /* blocks begin at multiples of it */

struct heap_block {
    char *begin;
    size_t size;  /* of the block */
    size_t asked; /* usable by the program; 0 and not `used`: free */
    bool used;
    bool first; /* of a window: not merged with the block before */
};

/* All blocks of the windows, in address order. */
static struct heap_block *blocks;
static size_t count, room;
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER; /* of the list */
static _Atomic unsigned freed;                              /* raised whenever a block is freed */
static size_t limit;                                        /* 0: the heap grows */

/* The last block that this thread found; valid while `at` equals `freed`. */
static _Thread_local struct {
    uintptr_t begin;
    size_t size;
    unsigned at;
} last __attribute__((tls_model("initial-exec")));

/* ---- the list ---- */

/* The last block that begins at or before it; `count` if none. */
static size_t heap_find(const void *at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if ((uintptr_t)blocks[mid].begin <= (uintptr_t)at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? low - 1 : count;
}

static bool heap_inside(size_t i, const void *at)
{
    return i < count && (uintptr_t)at - (uintptr_t)blocks[i].begin < blocks[i].size;
}

bool inner_sh_heap_has(const void *at, size_t len)
{
    unsigned now = atomic_load_explicit(&freed, memory_order_acquire);
    size_t off = (uintptr_t)at - last.begin;
    if (last.size && last.at == now && off <= last.size && len <= last.size - off)
        return true;
    (void)pthread_rwlock_rdlock(&guard);
    size_t i = heap_find(at);
    bool has = heap_inside(i, at) && blocks[i].used;
    if (has) {
        last.begin = (uintptr_t)blocks[i].begin;
        last.size = blocks[i].asked;
        last.at = now;
    }
    (void)pthread_rwlock_unlock(&guard);
    off = (uintptr_t)at - last.begin;
    return has && off <= last.size && len <= last.size - off;
}

bool inner_sh_heap_had(const void *at)
{
    (void)pthread_rwlock_rdlock(&guard);
    bool had = heap_inside(heap_find(at), at);
    (void)pthread_rwlock_unlock(&guard);
    return had;
}

static void heap_insert(size_t i, struct heap_block b)
{
    if (count == room) {
        room = room ? 2 * room : 64;
        blocks = realloc(blocks, room * sizeof *blocks);
        if (!blocks)
            fail_job("shmem_malloc: no private memory for a list of %zu blocks", room);
    }
    memmove(&blocks[i + 1], &blocks[i], (count - i) * sizeof *blocks);
    blocks[i] = b;
    count++;
}

static void heap_drop(size_t i)
{
    memmove(&blocks[i], &blocks[i + 1], (count - i - 1) * sizeof *blocks);
    count--;
}

/* The part after the first `size` bytes becomes a free block. */
static void heap_split(size_t i, size_t size)
{
    struct heap_block rest = { .begin = blocks[i].begin + size, .size = blocks[i].size - size };
    blocks[i].size = size;
    if (rest.size)
        heap_insert(i + 1, rest);
}

/* Merges it with free neighbours. */
static void heap_release(size_t i)
{
    blocks[i].used = false;
    blocks[i].asked = 0;
    if (i + 1 < count && !blocks[i + 1].used && !blocks[i + 1].first) {
        blocks[i].size += blocks[i + 1].size;
        heap_drop(i + 1);
    }
    if (i > 0 && !blocks[i - 1].used && !blocks[i].first) {
        blocks[i - 1].size += blocks[i].size;
        heap_drop(i);
    }
    atomic_fetch_add(&freed, 1);
}

/* ---- allocation ---- */

static char *heap_window_add(size_t size)
{
    char *window = hlrc_window_create(size);
    if (!window)
        return NULL;
    size_t i = heap_find(window);
    heap_insert(i == count ? 0 : i + 1,
                (struct heap_block){ .begin = window, .size = size & ~(UNIT - 1), .first = true });
    return window;
}

static size_t heap_gap(const char *at, size_t alignment)
{
    return (size_t)(-(uintptr_t)at) & (alignment - 1);
}

/* The first block that fits, or NULL. */
static char *shmem_heap_place(size_t alignment, size_t asked)
{
    size_t size = (asked + UNIT - 1) & ~(UNIT - 1);
    for (size_t i = 0; i < count; i++) {
        size_t skip = heap_gap(blocks[i].begin, alignment);
        if (blocks[i].used || blocks[i].size < skip || blocks[i].size - skip < size)
            continue;
        if (skip)
            heap_split(i++, skip);
        heap_split(i, size);
        blocks[i].used = true;
        blocks[i].asked = asked;
        return blocks[i].begin;
    }
    return NULL;
}

/* A collective: all PEs must pass the same arguments. */
static void heap_agree(const char *call, uint64_t a, uint64_t b)
{
    uint64_t mine[4] = { a, ~a, b, ~b }, least[4];
    hlrc_fence_all();
    (void)hlrc_reduce(mine, least, 4, HLRC_UINT64, HLRC_MIN);
    if (least[0] != a || least[1] != ~a || least[2] != b || least[3] != ~b)
        fail_job("%s: this PE's arguments are %#llx and %#llx, another PE's differ; all PEs "
                 "make this call with the same arguments",
                 call, (unsigned long long)a, (unsigned long long)b);
}

static char *heap_take(size_t alignment, size_t size)
{
    if (size > PTRDIFF_MAX / 2 || alignment > PTRDIFF_MAX / 4)
        return NULL;
    (void)pthread_rwlock_wrlock(&guard);
    char *p = shmem_heap_place(alignment, size);
    if (!p && !limit) {
        size_t least = size + alignment;
        if (heap_window_add(least < GROWTH ? GROWTH : least))
            p = shmem_heap_place(alignment, size);
    }
    (void)pthread_rwlock_unlock(&guard);
    return p;
}

static void *heap_allocate(const char *call, size_t alignment, size_t size)
{
    inner_sh_check(call);
    heap_agree(call, size, alignment);
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return NULL;
    return heap_take(alignment < UNIT ? UNIT : alignment, size);
}

/* The block that begins there. */
static size_t heap_block_of(const char *call, const void *ptr)
{
    size_t i = heap_find(ptr);
    if (!heap_inside(i, ptr) || !blocks[i].used || blocks[i].begin != ptr)
        fail_job("%s: no block begins at %p; free each pointer from shmem_malloc once", call, ptr);
    return i;
}

/* ---- the calls ---- */

void *shmem_malloc(size_t size)
{
    void *p = heap_allocate("shmem_malloc", 1, size);
    hlrc_barrier();
    return p;
}

void *shmem_malloc_with_hints(size_t size, long hints)
{
    (void)hints;
    return shmem_malloc(size);
}

/* The barrier at the end ensures that all PEs have cleared theirs. */
void *shmem_calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX;
    void *p = heap_allocate("shmem_calloc", 1, bytes);
    if (p)
        memset(p, 0, bytes);
    hlrc_barrier();
    return p;
}

void *shmem_align(size_t alignment, size_t size)
{
    void *p = heap_allocate("shmem_align", alignment, size);
    hlrc_barrier();
    return p;
}

static void heap_give_back(const char *call, void *ptr)
{
    (void)pthread_rwlock_wrlock(&guard);
    heap_release(heap_block_of(call, ptr));
    (void)pthread_rwlock_unlock(&guard);
}

/* Compares the address: blocks of the heap have one address on all PEs. */
void shmem_free(void *ptr)
{
    inner_sh_check("shmem_free");
    if (!ptr)
        return;
    heap_agree("shmem_free", (uintptr_t)ptr, 0);
    heap_give_back("shmem_free", ptr);
}

void *shmem_realloc(void *ptr, size_t size)
{
    if (!ptr)
        return shmem_malloc(size);
    inner_sh_check("shmem_realloc");
    heap_agree("shmem_realloc", (uintptr_t)ptr, size);
    (void)pthread_rwlock_rdlock(&guard);
    size_t asked = blocks[heap_block_of("shmem_realloc", ptr)].asked;
    (void)pthread_rwlock_unlock(&guard);
    char *p = size ? heap_take(UNIT, size) : NULL;
    if (p)
        memcpy(p, ptr, asked < size ? asked : size);
    if (p || size == 0)
        heap_give_back("shmem_realloc", ptr);
    hlrc_barrier();
    return p;
}

void *shmem_shmalloc(size_t size)
{
    return shmem_malloc(size);
}

void *shmemalign(size_t alignment, size_t size)
{
    return shmem_align(alignment, size);
}

void *shmem_shrealloc(void *ptr, size_t size)
{
    return shmem_realloc(ptr, size);
}

void shmem_shfree(void *ptr)
{
    shmem_free(ptr);
}

/* ---- the start ---- */

/* "64M", "1.5G": bytes, or 0. */
static size_t shmem_heap_size_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    const char units[] = "kmgt", *unit = *end ? strchr(units, *end | 0x20) : NULL;
    if (unit && *unit) {
        value *= (double)((size_t)1 << (10 * (unit - units + 1)));
        end++;
    }
    if (*end == 'b' || *end == 'B')
        end++;
    return *end == '\0' && end != text && value >= 1 && value < 1e15 ? (size_t)value : 0;
}

void inner_sh_heap_begin(void)
{
    const char *text = getenv("SHMEM_SYMMETRIC_SIZE");
    if (!text || !*text)
        return;
    limit = shmem_heap_size_of(text);
    if (!limit)
        fail_job("SHMEM_SYMMETRIC_SIZE=%s: not a size; give a number of bytes, from 1 on, with "
                 "K, M, G or T",
                 text);
    limit = (limit + UNIT - 1) & ~(UNIT - 1);
    if (!heap_window_add(limit))
        fail_job("SHMEM_SYMMETRIC_SIZE=%s: %s; lower it, or raise --memory", text, strerror(errno));
}
