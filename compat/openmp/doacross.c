/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doacross.c - see doacross.h for the invariants. */
#include "compat/openmp/doacross.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "compat/openmp/locks.h"
#include "compat/openmp/settings.h"
#include "compat/openmp/team.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define ITERATIONS_MOST ((ull)1 << 52) /* the construct's number is above these bits */

static void doacross_check(unsigned dims, const ull *counts)
{
    ull all = 1;
    for (unsigned d = 0; d < dims; d++)
        if (__builtin_mul_overflow(all, counts[d], &all) || all >= ITERATIONS_MOST)
            start_fail("omp ordered(%u): the iterations exceed the limit of 2^52", dims);
}

static void doacross_keep(struct team_region *r, unsigned dims, const ull *counts)
{
    if (dims > r->nest_room) {
        r->nest_counts = realloc(r->nest_counts, dims * sizeof *counts);
        r->nest_room = dims;
        if (!r->nest_counts)
            start_fail("omp ordered(%u): no memory", dims);
    }
    r->nest_dims = dims;
    memcpy(r->nest_counts, counts, dims * sizeof *counts);
}

void doacross_begin(unsigned dims, const ull *counts, enum team_schedule schedule, ull chunk)
{
    struct loop l;
    struct team_region *r = team_region();
    if (schedule != SCHEDULE_STATIC && schedule != SCHEDULE_AUTO && chunk == 0)
        chunk = 1;
    if (r->shared) {
        doacross_check(dims, counts);
        doacross_keep(r, dims, counts);
    }
    loop_init(&l, SCHEDULE_STATIC, false, 0, counts[0], 1, false, false, chunk);
    loop_begin(&l);
}

unsigned doacross_dims(void)
{
    const struct team_region *r = team_region();
    return r->shared ? r->nest_dims : 0;
}

/* The value of the thread's word after that iteration. */
static uint64_t doacross_position(const struct team_region *r, const ull *at)
{
    ull number = 0;
    for (unsigned d = 0; d < r->nest_dims; d++)
        number = number * r->nest_counts[d] + at[d];
    return (r->loop.pair + 1) * ITERATIONS_MOST + number + 1;
}

static void openmp_doacross_post(void *arg)
{
    locks_pass(LOCK_ORDERED);
    (void)team_word_exchange(team_progress(team_region()->thread), *(const uint64_t *)arg);
}

void doacross_post(const ull *at)
{
    const struct team_region *r = team_region();
    if (!r->shared)
        return;
    uint64_t done = doacross_position(r, at);
    lane_call(openmp_doacross_post, &done);
}

struct doacross_awaited {
    int owner;
    uint64_t position;
};

static void doacross_await(void *arg)
{
    const struct doacross_awaited *a = arg;
    while (team_word_load(team_progress(a->owner)) < a->position) {
        if (settings_cancellation && (team_cancelled() & CANCELLED_REGION))
            return;
        sched_yield();
    }
    locks_pass(LOCK_ORDERED);
}

void doacross_wait(const ull *at)
{
    const struct team_region *r = team_region();
    if (!r->shared)
        return;
    struct doacross_awaited a = { loop_owner(&r->loop, at[0]), doacross_position(r, at) };
    if (a.owner != r->thread)
        lane_call(doacross_await, &a);
}
