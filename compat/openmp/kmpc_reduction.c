/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kmpc_reduction.c - task reductions, and memory of allocators, by the names of kmpc.h.
 *
 * They use the arrays of reduction.h, which are made here in shared memory. A thread's copy has a
 * word in front of it that says whether it is initialised; the third word of a variable is the
 * address of its functions.
 */
#include <stddef.h>
#include <string.h>

#include "compat/openmp/api.h"
#include "compat/openmp/kmpc.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/reduction.h"
#include "compat/openmp/retained.h"
#include "compat/openmp/scheduler.h"
#include "compat/openmp/share.h"
#include "compat/openmp/taskgroup.h"
#include "compat/start/heap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* kmpc.h */

/* As clang stores it. */
struct kmpc_reduction_item {
    void *variable, *original;
    size_t bytes;
    void (*begin)(void *copy, void *original); /* NULL: with zeros */
    void (*end)(void *copy);
    void (*add)(void *to, void *copy);
    uint32_t flags;
};

enum { COUNT, BYTES, COPIES, VARIABLES = 7, WORDS = 3 };
#define COPY_ALIGN 64
#define COPY_HEAD  16 /* bytes before a copy, with the word */

static const struct kmpc_reduction_item *kmpc_reduction_items(const uintptr_t *data)
{
    return (const void *)&data[VARIABLES + WORDS * data[COUNT]];
}

static size_t kmpc_reduction_bytes(size_t n)
{
    return (VARIABLES + WORDS * n) * sizeof(uintptr_t) + n * sizeof(struct kmpc_reduction_item);
}

/* At `data`, which has zeros. */
static void kmpc_reduction_fill(uintptr_t *data, size_t n, const struct kmpc_reduction_item *items)
{
    size_t words = VARIABLES + WORDS * n, at = 0;
    memcpy(&data[words], items, n * sizeof *items);
    for (size_t k = 0; k < n; k++) {
        uintptr_t *v = &data[VARIABLES + WORDS * k];
        v[0] = (uintptr_t)items[k].variable;
        v[1] = at + COPY_HEAD;
        v[2] = (uintptr_t)((const struct kmpc_reduction_item *)(void *)&data[words] + k);
        at = (at + COPY_HEAD + items[k].bytes + COPY_HEAD - 1) & ~(size_t)(COPY_HEAD - 1);
    }
    data[COUNT] = n;
    data[BYTES] = (at + COPY_ALIGN - 1) & ~(size_t)(COPY_ALIGN - 1);
    data[COPIES] = COPY_ALIGN;
}

static uintptr_t *kmpc_reduction_around(void)
{
    const struct team_region *r = team_region();
    return r->group ? r->group->reductions : NULL;
}

static uintptr_t *kmpc_reduction_is_begun(void *copy)
{
    return (uintptr_t *)(void *)((char *)copy - COPY_HEAD);
}

/* The calling thread's copy. */
void *__kmpc_task_reduction_get_th_data(int32_t number, void *group, void *of)
{
    const uintptr_t *data = group ? group : kmpc_reduction_around();
    void *copy;
    (void)number;
    const uintptr_t *words = reduction_find_words(data, of, (unsigned)team_region()->thread, &copy);
    const struct kmpc_reduction_item *item = (const void *)words[2];
    uintptr_t *is_begun = kmpc_reduction_is_begun(copy);
    if (!*is_begun && item->begin)
        item->begin(copy, item->original ? item->original : item->variable);
    *is_begun = 1;
    return copy;
}

/* All tasks are complete. */
static void kmpc_reduction_add_up(const uintptr_t *data)
{
    const struct kmpc_reduction_item *items = kmpc_reduction_items(data);
    for (unsigned t = 0; t < (unsigned)team_region()->threads; t++)
        for (uintptr_t k = 0; k < data[COUNT]; k++) {
            char *copy = (char *)data[COPIES] + t * data[BYTES] + data[VARIABLES + WORDS * k + 1];
            if (!*kmpc_reduction_is_begun(copy))
                continue;
            items[k].add(items[k].variable, copy);
            if (items[k].end)
                items[k].end(copy);
        }
}

/* ---- of a taskgroup ---- */

void *__kmpc_taskred_init(int32_t number, int32_t count, const struct kmpc_reduction_item *items)
{
    struct team_region *r = team_region();
    size_t n = (size_t)count, bytes = kmpc_reduction_bytes(n);
    uintptr_t *data = heap_calloc(1, bytes);
    (void)number;
    if (!data)
        start_fail("omp task_reduction: no shared memory for %zu bytes; raise --memory", bytes);
    kmpc_reduction_fill(data, n, items);
    reduction_register(data, kmpc_reduction_around(), (unsigned)r->threads);
    if (r->group)
        r->group->reductions = data;
    return data;
}

void kmpc_reduction_end_group(void)
{
    struct team_region *r = team_region();
    uintptr_t *data = kmpc_reduction_around();
    uintptr_t *outer = r->group && r->group->outer ? r->group->outer->reductions : NULL;
    scheduler_end_group(r);
    if (!data || data == outer)
        return;
    kmpc_reduction_add_up(data);
    reduction_free(data);
    heap_free(data);
}

/* ---- of a region or a worksharing construct; each thread's variables are its own ---- */

/* A thread that arrives late reads the first one's array, so that stays until a barrier. */
void *__kmpc_taskred_modifier_init(KMPC_AT, int32_t is_worksharing, int32_t count,
                                   const struct kmpc_reduction_item *items)
{
    size_t n = (size_t)count;
    uintptr_t *data = (void *)retained_make(team_region(), kmpc_reduction_bytes(n))->room;
    KMPC_AT_UNUSED;
    (void)is_worksharing;
    kmpc_reduction_fill(data, n, items);
    share_begin(data, NULL);
    return data;
}

struct kmpc_reduction_leaving {
    unsigned pair, threads;
    bool is_last;
};

static void kmpc_reduction_leave(void *arg)
{
    struct kmpc_reduction_leaving *l = arg;
    locks_pass(LOCK_ORDERED);
    l->is_last = team_word_add(team_count(l->pair), 1) + 1 == l->threads;
    if (l->is_last)
        locks_pass(LOCK_ORDERED);
}

/* The last thread adds all copies to its own variables, and frees them. */
void __kmpc_task_reduction_modifier_fini(KMPC_AT, int32_t is_worksharing)
{
    struct team_region *r = team_region();
    uintptr_t *data = kmpc_reduction_around();
    struct kmpc_reduction_leaving l = { 0, (unsigned)r->threads, true };
    KMPC_AT_UNUSED;
    (void)is_worksharing;
    scheduler_end_group(r);
    if (r->shared) {
        l.pair = team_construct();
        lane_call(kmpc_reduction_leave, &l);
    }
    if (l.is_last) {
        kmpc_reduction_add_up(data);
        reduction_free(data);
    }
    retained_leave(r);
}

/* ---- memory ---- */

void *__kmpc_alloc(int32_t number, size_t bytes, uintptr_t allocator)
{
    (void)number;
    return omp_aligned_alloc(16, bytes, allocator);
}

void *__kmpc_aligned_alloc(int32_t number, size_t align, size_t bytes, uintptr_t allocator)
{
    (void)number;
    return omp_aligned_alloc(align, bytes, allocator);
}

void __kmpc_free(int32_t number, void *at, uintptr_t allocator)
{
    (void)number;
    omp_free(at, allocator);
}
