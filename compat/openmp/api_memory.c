/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * api_memory.c - memory and allocators of OpenMP's library routines; see api.h.
 *
 * All memory is from the shared heap. Of an allocator's traits, alignment, pool size and fallback
 * are implemented; the others have no effect.
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
enum { SPACES = 5 };
enum { TRAIT_ALIGNMENT = 2, TRAIT_POOL = 4, TRAIT_FALLBACK = 5, TRAIT_FALLBACK_DATA = 6 };
enum { FALLBACK_DEFAULT = 11, FALLBACK_NULL, FALLBACK_ABORT, FALLBACK_ALLOCATOR };

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
    size_t size;
    struct api_memory_allocator *from; /* NULL: an allocator without a pool */
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
        return a->pool > 0;
    case TRAIT_FALLBACK:
        a->fallback = is_default ? FALLBACK_DEFAULT : t->value;
        return a->fallback >= FALLBACK_DEFAULT && a->fallback <= FALLBACK_ALLOCATOR;
    case TRAIT_FALLBACK_DATA:
        a->data = t->value;
        return true;
    default:
        return t->key >= 1 && t->key <= 8;
    }
}

uintptr_t omp_init_allocator(uintptr_t space, int count, const struct api_memory_trait *traits)
{
    struct api_memory_allocator a = { .align = 1, .pool = SIZE_MAX, .fallback = FALLBACK_DEFAULT };
    if (space >= SPACES)
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

static bool api_memory_take(struct api_memory_allocator *a, size_t size)
{
    hlrc_lock_t lock = atomics_lock_of(&a->used);
    locks_take(lock);
    bool fits = size <= a->pool && a->used <= a->pool - size;
    if (fits)
        a->used += size;
    locks_drop(lock);
    return fits;
}

static void api_memory_give_back(struct api_memory_allocator *a, size_t size)
{
    hlrc_lock_t lock = atomics_lock_of(&a->used);
    locks_take(lock);
    a->used -= size;
    locks_drop(lock);
}

static bool api_memory_has_pool(const struct api_memory_allocator *a)
{
    return a && a->pool != SIZE_MAX;
}

static struct api_memory_block *api_memory_block_of(void *ptr)
{
    return (struct api_memory_block *)ptr - 1;
}

static void *api_memory_make(size_t align, size_t size, struct api_memory_allocator *a)
{
    if (a && a->align > align)
        align = a->align;
    if (align < 16)
        align = 16;
    size_t before = (sizeof(struct api_memory_block) + align - 1) & ~(align - 1);
    size_t all = (before + size + align - 1) & ~(align - 1);
    if (all < size || (api_memory_has_pool(a) && !api_memory_take(a, size)))
        return NULL;
    char *base = heap_aligned_alloc(align, all);
    if (!base) {
        if (api_memory_has_pool(a))
            api_memory_give_back(a, size);
        return NULL;
    }
    *api_memory_block_of(base + before) =
        (struct api_memory_block){ base, size, api_memory_has_pool(a) ? a : NULL };
    return base + before;
}

void *omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator)
{
    uintptr_t handle = allocator ? allocator : omp_get_default_allocator();
    if (size == 0 || (align && !api_memory_is_power(align)))
        return NULL;
    for (;;) {
        struct api_memory_allocator *a = api_memory_of(handle);
        void *ptr = api_memory_make(align, size, a);
        if (ptr || !a || a->fallback == FALLBACK_NULL)
            return ptr;
        if (a->fallback == FALLBACK_ABORT)
            start_fail("omp_alloc: %zu bytes are more than the pool has left, or the heap", size);
        handle = a->fallback == FALLBACK_ALLOCATOR ? a->data : DEFAULT_ALLOCATOR;
    }
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

void omp_free(void *ptr, uintptr_t allocator)
{
    (void)allocator;
    if (!ptr)
        return;
    struct api_memory_block b = *api_memory_block_of(ptr);
    if (b.from)
        api_memory_give_back(b.from, b.size);
    heap_free(b.base);
}

void *omp_realloc(void *ptr, size_t size, uintptr_t allocator, uintptr_t free_allocator)
{
    if (!ptr)
        return omp_alloc(size, allocator);
    if (size == 0) {
        omp_free(ptr, free_allocator);
        return NULL;
    }
    size_t old = api_memory_block_of(ptr)->size;
    void *new = omp_alloc(size, allocator ? allocator : free_allocator);
    if (!new)
        return NULL;
    memcpy(new, ptr, old < size ? old : size);
    omp_free(ptr, free_allocator);
    return new;
}

extern __typeof__(omp_aligned_alloc) GOMP_alloc __attribute__((alias("omp_aligned_alloc")));
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
