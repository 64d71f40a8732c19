/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * api_memory.c - memory and allocators of OpenMP's library routines; see api.h.
 *
 * All memory is from the shared heap. Of an allocator's traits, alignment, pool size and fallback
 * are implemented; the others have no effect. As in libgomp there is no allocator for pinned memory
 * and none for memory of high bandwidth, and a block in a pool is counted with its head.
 */
#include <stdbool.h>
#include <string.h>

#include "compat/openmp/api.h"
#include "compat/openmp/atomics.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/team.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

enum { NO_ALLOCATOR, DEFAULT_ALLOCATOR, PREDEFINED_MOST = 8 };
enum { SPACES = 5, SPACE_HIGH_BANDWIDTH = 3 };
enum {
    TRAIT_ALIGNMENT = 2,
    TRAIT_POOL = 4,
    TRAIT_FALLBACK = 5,
    TRAIT_FALLBACK_DATA = 6,
    TRAITS = 9
};
enum { FALLBACK_DEFAULT = 11, FALLBACK_NULL, FALLBACK_ABORT, FALLBACK_ALLOCATOR };

/* Values of other traits, as in omp.h: sync_hint, access, fallback, pinned, partition. */
static const struct {
    uintptr_t least, most;
} api_memory_values[TRAITS] = { [1] = { 3, 6 },
                                [3] = { 7, 10 },
                                [TRAIT_FALLBACK] = { FALLBACK_DEFAULT, FALLBACK_ALLOCATOR },
                                [7] = { 0, 0 },
                                [8] = { 15, 18 } };

#define TRAIT_DEFAULT UINTPTR_MAX

struct api_memory_trait {
    int key;
    uintptr_t value;
};

/* In shared memory; its address is the handle. */
struct api_memory_allocator {
    size_t align, pool;
    uintptr_t fallback, data;
    size_t used; /* of the pool; guarded by the lock of this word */
};

/* Precedes each block. */
struct api_memory_block {
    void *base;
    size_t size, counted; /* counted: in the pool of its allocator */
    uintptr_t allocator;
};

/* ---- allocators ---- */

static struct api_memory_allocator *api_memory_of(uintptr_t handle)
{
    return handle > PREDEFINED_MOST ? (struct api_memory_allocator *)handle : NULL;
}

static bool api_memory_is_power(uintptr_t n)
{
    return n && (n & (n - 1)) == 0;
}

static bool api_memory_set_trait(struct api_memory_allocator *a, const struct api_memory_trait *t)
{
    bool is_default = t->value == TRAIT_DEFAULT;
    switch (t->key) {
    case TRAIT_ALIGNMENT:
        a->align = is_default ? 1 : t->value;
        return api_memory_is_power(a->align);
    case TRAIT_POOL:
        a->pool = t->value; /* the default is no limit */
        return true;
    case TRAIT_FALLBACK_DATA:
        a->data = t->value;
        return true;
    default:
        if (t->key < 1 || t->key >= TRAITS)
            return false;
        if (t->key == TRAIT_FALLBACK && !is_default)
            a->fallback = t->value;
        return is_default || (t->value >= api_memory_values[t->key].least &&
                              t->value <= api_memory_values[t->key].most);
    }
}

uintptr_t omp_init_allocator(uintptr_t space, int count, const struct api_memory_trait *traits)
{
    struct api_memory_allocator a = { .align = 1, .pool = SIZE_MAX, .fallback = FALLBACK_DEFAULT };
    if (space >= SPACES || space == SPACE_HIGH_BANDWIDTH)
        return NO_ALLOCATOR;
    for (int k = 0; k < count; k++)
        if (!api_memory_set_trait(&a, &traits[k]))
            return NO_ALLOCATOR;
    struct api_memory_allocator *made = heap_malloc(sizeof *made);
    if (made)
        *made = a;
    return (uintptr_t)made;
}

void omp_destroy_allocator(uintptr_t allocator)
{
    heap_free(api_memory_of(allocator));
}

void omp_set_default_allocator(uintptr_t allocator)
{
    team_region()->settings.allocator = allocator ? allocator : DEFAULT_ALLOCATOR;
}

uintptr_t omp_get_default_allocator(void)
{
    return team_region()->settings.allocator;
}

/* ---- blocks ---- */

/* Counts `size` bytes instead of `old`. */
static bool api_memory_take(struct api_memory_allocator *a, size_t size, size_t old)
{
    hlrc_lock_t lock = atomics_lock_of(&a->used);
    locks_take(lock);
    bool fits = size <= old || (size - old <= a->pool && a->used <= a->pool - (size - old));
    if (fits)
        a->used += size - old;
    locks_drop(lock);
    return fits;
}

static bool api_memory_has_pool(const struct api_memory_allocator *a)
{
    return a && a->pool != SIZE_MAX;
}

static struct api_memory_block *api_memory_block_of(void *ptr)
{
    return (struct api_memory_block *)ptr - 1;
}

/* A block which is counted instead of `old` bytes. */
static void *api_memory_make(size_t align, size_t size, uintptr_t allocator, size_t old)
{
    struct api_memory_allocator *a = api_memory_of(allocator);
    if (a && a->align > align)
        align = a->align;
    size_t counted = size + sizeof(struct api_memory_block) + (align > 8 ? align - 8 : 0);
    if (align < 16)
        align = 16;
    size_t before = (sizeof(struct api_memory_block) + align - 1) & ~(align - 1);
    size_t all = (before + size + align - 1) & ~(align - 1);
    if (all < size || (api_memory_has_pool(a) && !api_memory_take(a, counted, old)))
        return NULL;
    char *base = heap_aligned_alloc(align, all);
    if (!base) {
        if (api_memory_has_pool(a))
            (void)api_memory_take(a, old, counted);
        return NULL;
    }
    *api_memory_block_of(base + before) =
        (struct api_memory_block){ base, size, api_memory_has_pool(a) ? counted : 0, allocator };
    return base + before;
}

/* By the allocator or its fallbacks. `old`: bytes counted for a block of it which is replaced, or
 * 0; cleared if another allocator is used. */
static void *api_memory_make_by(size_t align, size_t size, uintptr_t allocator, size_t *old)
{
    for (;;) {
        const struct api_memory_allocator *a = api_memory_of(allocator);
        void *ptr = api_memory_make(align, size, allocator, *old);
        if (ptr || !a || a->fallback == FALLBACK_NULL)
            return ptr;
        if (a->fallback == FALLBACK_ABORT)
            start_fail("omp_alloc: %zu bytes are more than the pool has left, or the heap", size);
        allocator = a->fallback == FALLBACK_ALLOCATOR ? a->data : DEFAULT_ALLOCATOR;
        *old = 0;
    }
}

void *omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator)
{
    if (size == 0 || (align && !api_memory_is_power(align)))
        return NULL;
    return api_memory_make_by(align, size, allocator ? allocator : omp_get_default_allocator(),
                              &(size_t){ 0 });
}

void *omp_alloc(size_t size, uintptr_t allocator)
{
    return omp_aligned_alloc(1, size, allocator);
}

void *omp_aligned_calloc(size_t align, size_t count, size_t size, uintptr_t allocator)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all))
        return NULL;
    void *ptr = omp_aligned_alloc(align, all, allocator);
    return ptr ? memset(ptr, 0, all) : NULL;
}

void *omp_calloc(size_t count, size_t size, uintptr_t allocator)
{
    return omp_aligned_calloc(1, count, size, allocator);
}

/* `old` bytes of it are counted for another block now. */
static void api_memory_free(void *ptr, size_t old)
{
    struct api_memory_block b = *api_memory_block_of(ptr);
    if (b.counted > old)
        (void)api_memory_take(api_memory_of(b.allocator), 0, b.counted - old);
    heap_free(b.base);
}

void omp_free(void *ptr, uintptr_t allocator)
{
    (void)allocator;
    if (ptr)
        api_memory_free(ptr, 0);
}

/* As in libgomp a block of the same pool without alignment is resized: its bytes count for the new
 * one. */
void *omp_realloc(void *ptr, size_t size, uintptr_t allocator, uintptr_t free_allocator)
{
    if (!ptr)
        return omp_alloc(size, allocator);
    if (size == 0) {
        omp_free(ptr, free_allocator);
        return NULL;
    }
    const struct api_memory_block *b = api_memory_block_of(ptr);
    size_t was = b->size, old = 0;
    if (!allocator)
        allocator = b->allocator;
    if (allocator == b->allocator && b->counted == was + sizeof *b)
        old = b->counted;
    void *new = api_memory_make_by(1, size, allocator, &old);
    if (!new)
        return NULL;
    memcpy(new, ptr, was < size ? was : size);
    api_memory_free(ptr, old);
    return new;
}

/* Of an allocate clause: variables have to be somewhere. */
void *GOMP_alloc(size_t align, size_t size, uintptr_t allocator)
{
    void *ptr = omp_aligned_alloc(align, size, allocator);
    if (!ptr && size)
        start_fail("omp allocate: %zu bytes are more than the pool has left, or the heap", size);
    return ptr;
}

extern __typeof__(omp_free) GOMP_free __attribute__((alias("omp_free")));

/* ---- Fortran ---- */

uintptr_t omp_init_allocator_(const uintptr_t *space, const int32_t *count,
                              const struct api_memory_trait *traits)
{
    return omp_init_allocator(*space, *count, traits);
}

uintptr_t omp_init_allocator_8_(const uintptr_t *space, const int64_t *count,
                                const struct api_memory_trait *traits)
{
    return omp_init_allocator(*space, (int)*count, traits);
}

void omp_destroy_allocator_(const uintptr_t *allocator)
{
    omp_destroy_allocator(*allocator);
}

void omp_set_default_allocator_(const uintptr_t *allocator)
{
    omp_set_default_allocator(*allocator);
}

API_ALIAS(omp_get_default_allocator);
