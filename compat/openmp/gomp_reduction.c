/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gomp_reduction.c - constructs whose threads share memory of this library, and task reductions,
 * by the names of gomp.h.
 *
 * The thread that runs a task uses its own copies. The first thread that reaches the construct
 * allocates the copies of all threads; afterwards one thread adds them up.
 */
#include "compat/openmp/reduction.h"

#include <sched.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/locks.h"
#include "compat/openmp/retained.h"
#include "compat/openmp/scheduler.h"
#include "compat/openmp/share.h"
#include "compat/openmp/taskgroup.h"
#include "compat/openmp/team.h"
#include "compat/start/lane.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

static uintptr_t *gomp_reduction_around(void)
{
    const struct team_region *r = team_region();
    return r->group ? r->group->reductions : NULL;
}

static unsigned gomp_reduction_team_threads(void)
{
    return (unsigned)team_region()->threads;
}

struct gomp_reduction_arrival {
    unsigned pair;
    size_t bytes;
    uintptr_t *reductions;
    struct retained *retained;
};

static void gomp_reduction_make(struct gomp_reduction_arrival *a)
{
    a->retained = retained_make(team_region(), a->bytes);
    a->retained->reductions = a->reductions;
    if (a->reductions)
        reduction_register(a->reductions, gomp_reduction_around(), gomp_reduction_team_threads());
}

/* The first thread makes it. An atomic word carries its address, a lock publishes its contents. */
static void gomp_reduction_arrive(void *arg)
{
    struct gomp_reduction_arrival *a = arg;
    struct team_word ready = team_turn(a->pair);
    uint64_t at;
    if (team_word_add(team_count(a->pair), 1) == 0) {
        gomp_reduction_make(a);
        locks_pass(LOCK_ORDERED);
        (void)team_word_exchange(ready, (uintptr_t)a->retained);
        return;
    }
    while ((at = team_word_load(ready)) == 0)
        sched_yield();
    locks_pass(LOCK_ORDERED);
    a->retained = (struct retained *)(uintptr_t)at;
    if (a->reductions)
        reduction_register_like(a->reductions, gomp_reduction_around(), a->retained->reductions);
}

void share_begin(uintptr_t *reductions, void **memory)
{
    struct team_region *r = team_region();
    struct gomp_reduction_arrival a = { 0, memory ? (size_t)(uintptr_t)*memory : 0, reductions,
                                        NULL };
    if (!reductions && !memory)
        return;
    if (r->shared) {
        a.pair = team_construct();
        lane_call(gomp_reduction_arrive, &a);
    } else {
        gomp_reduction_make(&a);
    }
    if (memory)
        *memory = a.retained->room;
    if (reductions) {
        taskgroup_begin(r);
        r->group->worksharing = true;
        r->group->reductions = reductions;
    }
}

void GOMP_scope_start(uintptr_t *reductions)
{
    share_begin(reductions, NULL);
}

/* Called when a construct's copies are added up. */
void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    struct team_region *r = team_region();
    const uintptr_t *data = gomp_reduction_around();
    scheduler_end_group(r);
    if (r->thread == 0 && data)
        reduction_free(data);
    retained_leave(r);
    if (!cancelled)
        team_barrier();
}

unsigned GOMP_parallel_reductions(gomp_fn *fn, void *data, unsigned threads, unsigned flags)
{
    uintptr_t *reductions = *(uintptr_t **)data;
    unsigned n = team_size(fn, threads);
    (void)flags;
    reduction_register(reductions, NULL, n);
    team_parallel_reducing(fn, data, n, reductions);
    return n;
}

/* ---- taskgroups ---- */

void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
    struct team_region *r = team_region();
    reduction_register(data, gomp_reduction_around(), gomp_reduction_team_threads());
    if (r->group)
        r->group->reductions = data;
}

void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
    reduction_free(data);
}

/* Copies of `count` variables; for the first `wanted`, the address of the variable itself, too. */
void GOMP_task_reduction_remap(size_t count, size_t wanted, void **variables)
{
    unsigned me = (unsigned)team_region()->thread;
    for (size_t k = 0; k < count; k++)
        variables[k] = reduction_find(gomp_reduction_around(), variables[k], me,
                                      k < wanted ? &variables[count + k] : NULL);
}
