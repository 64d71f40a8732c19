/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kmpc_loop.c - loops, by the names of kmpc.h.
 *
 * Bounds are inclusive. clang distributes the iterations of a static loop itself, from the bounds
 * of the thread's first chunk. A loop with ordered(n) announces its nest before its bounds; its
 * iterations are distributed as doacross.h says. Of a nest with collapse its first loops are one.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/openmp/doacross.h"
#include "compat/openmp/kmpc.h"
#include "compat/openmp/loop.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* kmpc.h */

/* Schedules, as clang passes them; ordered ones are ORDERED more. */
enum {
    KMPC_STATIC_CHUNKED = 33,
    KMPC_STATIC = 34,
    KMPC_DYNAMIC = 35,
    KMPC_GUIDED = 36,
    KMPC_RUNTIME = 37,
    KMPC_AUTO = 38,
    KMPC_STATIC_BALANCED_CHUNKED = 45,
    KMPC_LOOP_ORDERED = 32,
    KMPC_DISTRIBUTE_CHUNKED = 91,
    KMPC_DISTRIBUTE = 92,
    KMPC_MODIFIERS = 3 << 29 /* monotonic, nonmonotonic */
};

struct kmpc_loop_range {
    ull lower, upper, step;
    bool is_signed;
};

/* A step downwards is negative in either type. */
static ull kmpc_loop_count(const struct kmpc_loop_range *g)
{
    bool down = (long long)g->step < 0;
    ull from = down ? g->upper : g->lower, to = down ? g->lower : g->upper;
    if (g->is_signed ? (long long)from > (long long)to : from > to)
        return 0;
    return (to - from) / (down ? 0 - g->step : g->step) + 1;
}

/* ---- nests with ordered(n) ---- */

/* As clang stores it: the values are iteration numbers from 0, `count` is the first beyond. */
struct kmpc_loop_dim {
    int64_t lower, count, step;
};

struct kmpc_loop_nest {
    unsigned dims, joined; /* loops that are distributed as one */
    bool announced;        /* has no bounds yet */
    struct kmpc_loop_dim dim[];
};

void __kmpc_doacross_init(KMPC_AT, int32_t dims, const struct kmpc_loop_dim *dim)
{
    struct team_region *r = team_region();
    KMPC_AT_UNUSED;
    if (!r->shared)
        return;
    size_t bytes = (size_t)dims * sizeof *dim;
    struct kmpc_loop_nest *n = realloc(r->nest_ranges, sizeof *n + bytes);
    if (!n)
        start_fail("omp ordered(%d): no memory", (int)dims);
    *n = (struct kmpc_loop_nest){ .dims = (unsigned)dims, .joined = 1, .announced = true };
    memcpy(n->dim, dim, bytes);
    r->nest_ranges = n;
}

void __kmpc_doacross_fini(KMPC_AT)
{
    struct team_region *r = team_region();
    KMPC_AT_UNUSED;
    free(r->nest_ranges);
    r->nest_ranges = NULL;
}

static struct kmpc_loop_nest *kmpc_loop_announced(void)
{
    struct kmpc_loop_nest *n = team_region()->nest_ranges;
    return n && n->announced ? n : NULL;
}

/* `count`: iterations that are distributed. */
static void kmpc_loop_begin_nest(struct kmpc_loop_nest *n, ull count, enum team_schedule schedule,
                                 ull chunk)
{
    ull *counts = __builtin_alloca(n->dims * sizeof *counts);
    n->announced = false;
    counts[0] = (ull)n->dim[0].count;
    for (n->joined = 1; n->joined < n->dims && counts[0] != count; n->joined++)
        counts[0] *= (ull)n->dim[n->joined].count;
    unsigned dims = 1;
    for (unsigned d = n->joined; d < n->dims; d++)
        counts[dims++] = (ull)n->dim[d].count;
    doacross_begin(dims, counts, schedule, chunk);
}

/* The numbers of the iteration in each loop; false: there is no such iteration. */
static bool kmpc_loop_locate(const struct kmpc_loop_nest *n, const int64_t *values, ull *at)
{
    unsigned dims = 0;
    ull first = 0;
    for (unsigned d = 0; d < n->dims; d++) {
        ull number = (ull)values[d], count = (ull)n->dim[d].count;
        if (number >= count) /* before the first as well */
            return false;
        if (d < n->joined)
            first = first * count + number;
        else
            at[++dims] = number;
    }
    at[0] = first;
    return true;
}

static void kmpc_loop_pass(const int64_t *values, void (*act)(const ull *at))
{
    const struct kmpc_loop_nest *n = team_region()->nest_ranges;
    if (!n)
        return;
    ull *at = __builtin_alloca((n->dims + 1) * sizeof *at);
    if (kmpc_loop_locate(n, values, at))
        act(at);
}

void __kmpc_doacross_post(KMPC_AT, const int64_t *values)
{
    KMPC_AT_UNUSED;
    kmpc_loop_pass(values, doacross_post);
}

void __kmpc_doacross_wait(KMPC_AT, const int64_t *values)
{
    KMPC_AT_UNUSED;
    kmpc_loop_pass(values, doacross_wait);
}

/* ---- static loops ---- */

/* The thread's first chunk; the distance of its chunks. */
struct kmpc_loop_part {
    ull lower, upper, stride;
    bool has_last;
};

static struct kmpc_loop_part kmpc_loop_none(const struct kmpc_loop_range *g)
{
    bool down = (long long)g->step < 0;
    return (struct kmpc_loop_part){ !down, down, g->step, false };
}

static struct kmpc_loop_part kmpc_loop_block(const struct kmpc_loop_range *g, ull count, ull thread,
                                             ull threads)
{
    ull each = count / threads, more = count % threads;
    ull low = thread * each + (thread < more ? thread : more), high = low + each + (thread < more);
    if (low == high)
        return kmpc_loop_none(g);
    return (struct kmpc_loop_part){ g->lower + low * g->step, g->lower + (high - 1) * g->step,
                                    count * g->step, high == count };
}

static struct kmpc_loop_part kmpc_loop_chunks(const struct kmpc_loop_range *g, ull count, ull chunk,
                                              ull thread, ull threads)
{
    ull chunks = (count - 1) / chunk + 1, low = g->lower + thread * chunk * g->step;
    if (thread >= chunks)
        return kmpc_loop_none(g);
    return (struct kmpc_loop_part){ low, low + (chunk - 1) * g->step, threads * chunk * g->step,
                                    (chunks - 1) % threads == thread };
}

static struct kmpc_loop_part kmpc_loop_divide(int32_t schedule, const struct kmpc_loop_range *g,
                                              long long chunk)
{
    const struct team_region *r = team_region();
    ull thread = (ull)r->thread, threads = (ull)r->threads, count = kmpc_loop_count(g);
    struct kmpc_loop_nest *n = kmpc_loop_announced();
    int32_t kind = schedule & ~KMPC_MODIFIERS;
    bool chunked = kind == KMPC_STATIC_CHUNKED || kind == KMPC_DISTRIBUTE_CHUNKED ||
                   kind == KMPC_STATIC_BALANCED_CHUNKED;
    ull size = chunk > 0 ? (ull)chunk : 1;
    if (kind == KMPC_DISTRIBUTE || kind == KMPC_DISTRIBUTE_CHUNKED) {
        thread = (ull)r->settings.team;
        threads = r->settings.league > 0 ? (ull)r->settings.league : 1;
    }
    if (n)
        kmpc_loop_begin_nest(n, count, SCHEDULE_STATIC, chunked ? size : 0);
    if (count == 0)
        return kmpc_loop_none(g);
    return chunked ? kmpc_loop_chunks(g, count, size, thread, threads)
                   : kmpc_loop_block(g, count, thread, threads);
}

#define DEFINE_STATIC(suffix, type, signed_type, wide, is_signed)                                \
    void __kmpc_for_static_init_##suffix(KMPC_AT, int32_t schedule, int32_t *last, type *lower,  \
                                         type *upper, signed_type *stride, signed_type step,     \
                                         signed_type chunk)                                      \
    {                                                                                            \
        struct kmpc_loop_range g = { (ull)(wide)*lower, (ull)(wide)*upper, (ull)(long long)step, \
                                     is_signed };                                                \
        struct kmpc_loop_part p = kmpc_loop_divide(schedule, &g, chunk);                         \
        KMPC_AT_UNUSED;                                                                          \
        *lower = (type)p.lower;                                                                  \
        *upper = (type)p.upper;                                                                  \
        *stride = (signed_type)p.stride;                                                         \
        if (last)                                                                                \
            *last = p.has_last;                                                                  \
    }

void __kmpc_for_static_fini(KMPC_AT)
{
    KMPC_AT_UNUSED;
}

/* ---- loops of any schedule ---- */

static enum team_schedule kmpc_loop_schedule(int32_t kind, ull *chunk)
{
    enum team_schedule schedule = SCHEDULE_STATIC;
    switch (kind) {
    case KMPC_STATIC:
    case KMPC_AUTO:
        *chunk = 0;
        break;
    case KMPC_STATIC_CHUNKED:
    case KMPC_STATIC_BALANCED_CHUNKED:
        break;
    case KMPC_GUIDED:
        return SCHEDULE_GUIDED;
    case KMPC_RUNTIME:
        loop_runtime(&schedule, chunk);
        break;
    default:
        return SCHEDULE_DYNAMIC;
    }
    return schedule;
}

static void kmpc_loop_begin(int32_t schedule, const struct kmpc_loop_range *g, long long chunk)
{
    struct kmpc_loop_nest *n = kmpc_loop_announced();
    int32_t kind = schedule & ~KMPC_MODIFIERS;
    bool ordered = kind > KMPC_LOOP_ORDERED + KMPC_LOOP_ORDERED && kind < KMPC_DISTRIBUTE_CHUNKED;
    ull size = chunk > 0 ? (ull)chunk : 1, count = kmpc_loop_count(g);
    enum team_schedule s = kmpc_loop_schedule(ordered ? kind - KMPC_LOOP_ORDERED : kind, &size);
    struct loop l;
    if (n) {
        kmpc_loop_begin_nest(n, count, s, size);
    } else {
        loop_init(&l, s, ordered, 0, count, 1, false, false, size);
        loop_begin(&l);
    }
    team_region()->loop.start = g->lower; /* values; `count` has the end */
    team_region()->loop.incr = g->step;
}

static bool kmpc_loop_next(struct kmpc_loop_part *p)
{
    const struct loop *l = &team_region()->loop;
    ull low, high;
    if (!loop_next_numbers(&low, &high))
        return false;
    *p = (struct kmpc_loop_part){ l->start + low * l->incr, l->start + (high - 1) * l->incr,
                                  l->incr, high == l->count };
    return true;
}

#define DEFINE_DISPATCH(suffix, type, signed_type, wide, is_signed)                            \
    void __kmpc_dispatch_init_##suffix(KMPC_AT, int32_t schedule, type lower, type upper,      \
                                       signed_type step, signed_type chunk)                    \
    {                                                                                          \
        struct kmpc_loop_range g = { (ull)(wide)lower, (ull)(wide)upper, (ull)(long long)step, \
                                     is_signed };                                              \
        KMPC_AT_UNUSED;                                                                        \
        kmpc_loop_begin(schedule, &g, chunk);                                                  \
    }                                                                                          \
    int32_t __kmpc_dispatch_next_##suffix(KMPC_AT, int32_t *last, type *lower, type *upper,    \
                                          signed_type *step)                                   \
    {                                                                                          \
        struct kmpc_loop_part p;                                                               \
        KMPC_AT_UNUSED;                                                                        \
        if (!kmpc_loop_next(&p))                                                               \
            return 0;                                                                          \
        *lower = (type)p.lower;                                                                \
        *upper = (type)p.upper;                                                                \
        if (step)                                                                              \
            *step = (signed_type)p.stride;                                                     \
        if (last)                                                                              \
            *last = p.has_last;                                                                \
        return 1;                                                                              \
    }                                                                                          \
    void __kmpc_dispatch_fini_##suffix(KMPC_AT)                                                \
    {                                                                                          \
        KMPC_AT_UNUSED;                                                                        \
    }

#define DEFINE(suffix, type, signed_type, wide, is_signed)    \
    DEFINE_STATIC(suffix, type, signed_type, wide, is_signed) \
    DEFINE_DISPATCH(suffix, type, signed_type, wide, is_signed)
DEFINE(4, int32_t, int32_t, long long, true)
DEFINE(4u, uint32_t, int32_t, ull, false)
DEFINE(8, int64_t, int64_t, long long, true)
DEFINE(8u, uint64_t, int64_t, ull, false)

void __kmpc_dispatch_deinit(KMPC_AT)
{
    KMPC_AT_UNUSED;
}
