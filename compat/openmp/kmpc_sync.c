/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kmpc_sync.c - barriers, single, critical regions, reductions, flushes and cancellation, by the
 * names of kmpc.h. */
#include "compat/openmp/fence.h"
#include "compat/openmp/gomp.h"
#include "compat/openmp/kmpc.h"
#include "compat/openmp/loop.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* kmpc.h */

void __kmpc_barrier(KMPC_AT)
{
    KMPC_AT_UNUSED;
    team_barrier();
}

int32_t __kmpc_cancel_barrier(KMPC_AT)
{
    KMPC_AT_UNUSED;
    return GOMP_barrier_cancel();
}

void __kmpc_flush(struct kmpc_position *position)
{
    (void)position;
    fence_flush();
}

/* ---- single ---- */

int32_t __kmpc_single(KMPC_AT)
{
    KMPC_AT_UNUSED;
    return GOMP_single_start();
}

void __kmpc_end_single(KMPC_AT)
{
    KMPC_AT_UNUSED;
}

/* Each thread has the addresses of its variables at `mine`; did_it: in the single region. */
void __kmpc_copyprivate(KMPC_AT, size_t bytes, void *mine, void (*copy)(void *to, void *from),
                        int32_t did_it)
{
    void *from = NULL;
    KMPC_AT_UNUSED;
    (void)bytes;
    if (!team_region()->shared || team_is_over())
        return;
    if (did_it) {
        GOMP_single_copy_end(mine);
    } else {
        team_barrier(); /* matches that of GOMP_single_copy_end */
        if (!team_is_over()) {
            lane_call(gomp_team_see, &from);
            copy(mine, from);
        }
    }
    team_barrier();
}

/* ---- critical and ordered regions ---- */

/* 32 bytes, of which a word aligned as a pointer is used. */
static void **kmpc_sync_name(void *name)
{
    return (void **)(((uintptr_t)name + sizeof(void *) - 1) & ~(sizeof(void *) - 1));
}

void __kmpc_critical(KMPC_AT, void *name)
{
    KMPC_AT_UNUSED;
    GOMP_critical_name_start(kmpc_sync_name(name));
}

void __kmpc_critical_with_hint(KMPC_AT, void *name, uint32_t hint)
{
    (void)hint;
    __kmpc_critical(position, number, name);
}

void __kmpc_end_critical(KMPC_AT, void *name)
{
    KMPC_AT_UNUSED;
    GOMP_critical_name_end(kmpc_sync_name(name));
}

void __kmpc_ordered(KMPC_AT)
{
    KMPC_AT_UNUSED;
    loop_await_turn();
}

/* The turn ends with the chunk. */
void __kmpc_end_ordered(KMPC_AT)
{
    KMPC_AT_UNUSED;
}

/* ---- reductions: each thread adds its copies to the variables under the lock ---- */

int32_t __kmpc_reduce_nowait(KMPC_AT, int32_t count, size_t bytes, void *data,
                             void (*combine)(void *into, void *from), void *name)
{
    (void)count, (void)bytes, (void)data, (void)combine;
    if (team_region()->shared)
        __kmpc_critical(position, number, name);
    return 1;
}

void __kmpc_end_reduce_nowait(KMPC_AT, void *name)
{
    if (team_region()->shared)
        __kmpc_end_critical(position, number, name);
}

int32_t __kmpc_reduce(KMPC_AT, int32_t count, size_t bytes, void *data,
                      void (*combine)(void *into, void *from), void *name)
{
    return __kmpc_reduce_nowait(position, number, count, bytes, data, combine, name);
}

void __kmpc_end_reduce(KMPC_AT, void *name)
{
    __kmpc_end_reduce_nowait(position, number, name);
    team_barrier();
}

/* ---- cancellation ---- */

static int kmpc_sync_kind(int32_t kind)
{
    static const int kinds[] = { 0, CANCEL_PARALLEL, CANCEL_LOOP, CANCEL_SECTIONS,
                                 CANCEL_TASKGROUP };
    if (kind < 1 || kind > 4)
        start_fail("omp cancel: clang passed the unknown construct %d", (int)kind);
    return kinds[kind];
}

int32_t __kmpc_cancel(KMPC_AT, int32_t kind)
{
    KMPC_AT_UNUSED;
    return GOMP_cancel(kmpc_sync_kind(kind), true);
}

int32_t __kmpc_cancellationpoint(KMPC_AT, int32_t kind)
{
    KMPC_AT_UNUSED;
    return GOMP_cancellation_point(kmpc_sync_kind(kind));
}

/* ---- omp error ---- */

void __kmpc_error(struct kmpc_position *position, int32_t severity, const char *message)
{
    (void)position;
    GOMP_warning(message, (size_t)-1);
    if (severity == 2)
        start_fail("omp error directive");
}
