/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_loop.c - loops of every schedule, by the names of gomp.h. */
#include "compat/openmp/gomp.h"
#include "compat/openmp/loop.h"
#include "compat/openmp/retained.h"
#include "compat/openmp/share.h"
#include "compat/openmp/team.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

struct gomp_loop_bounds {
    ull start, end, incr;
    bool down, is_signed;
};

static struct gomp_loop_bounds gomp_loop_of_long(long start, long end, long incr)
{
    return (struct gomp_loop_bounds){ (ull)start, (ull)end, (ull)incr, incr < 0, true };
}

static struct gomp_loop_bounds gomp_loop_of_ull(bool up, ull start, ull end, ull incr)
{
    return (struct gomp_loop_bounds){ start, end, incr, !up, false };
}

static struct loop gomp_loop_make(enum team_schedule schedule, bool ordered,
                                  struct gomp_loop_bounds b, ull chunk)
{
    struct loop l;
    loop_init(&l, schedule, ordered, b.start, b.end, b.incr, b.down, b.is_signed, chunk);
    return l;
}

static struct loop gomp_loop_make_runtime(bool ordered, struct gomp_loop_bounds b)
{
    enum team_schedule schedule;
    ull chunk;
    loop_runtime(&schedule, &chunk);
    return gomp_loop_make(schedule, ordered, b, chunk);
}

static bool gomp_loop_next_long(long *first, long *beyond)
{
    ull low, high;
    if (!loop_next(&low, &high))
        return false;
    *first = (long)low;
    *beyond = (long)high;
    return true;
}

static bool gomp_loop_begin_long(struct loop l, long *first, long *beyond)
{
    loop_begin(&l);
    return gomp_loop_next_long(first, beyond);
}

static bool gomp_loop_begin_ull(struct loop l, ull *first, ull *beyond)
{
    loop_begin(&l);
    return loop_next(first, beyond);
}

#define DEFINE_NEXT(name)                                     \
    bool GOMP_loop_##name##_next(long *first, long *beyond)   \
    {                                                         \
        return gomp_loop_next_long(first, beyond);            \
    }                                                         \
    bool GOMP_loop_ull_##name##_next(ull *first, ull *beyond) \
    {                                                         \
        return loop_next(first, beyond);                      \
    }

/* A loop function exists for `long` and for unsigned long long. CHUNK and CHUNK_ULL: the parameter,
 * or nothing; make: the loop, from the bounds and the chunk. */
#define DEFINE_START(name, CHUNK, CHUNK_ULL, make)                                                 \
    bool GOMP_loop_##name##_start(long start, long end, long incr CHUNK, long *first,              \
                                  long *beyond)                                                    \
    {                                                                                              \
        struct gomp_loop_bounds b = gomp_loop_of_long(start, end, incr);                           \
        return gomp_loop_begin_long(make, first, beyond);                                          \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr CHUNK_ULL, ull *first, \
                                      ull *beyond)                                                 \
    {                                                                                              \
        struct gomp_loop_bounds b = gomp_loop_of_ull(up, start, end, incr);                        \
        return gomp_loop_begin_ull(make, first, beyond);                                           \
    }                                                                                              \
    DEFINE_NEXT(name)

#define DEFINE_PARALLEL(name, CHUNK, make)                                                \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned threads, long start, \
                                   long end, long incr CHUNK, unsigned flags)             \
    {                                                                                     \
        struct gomp_loop_bounds b = gomp_loop_of_long(start, end, incr);                  \
        struct loop l = make;                                                             \
        (void)flags;                                                                      \
        team_parallel(fn, data, threads, &l);                                             \
    }

#define LONG , long chunk
#define ULL  , ull chunk
#define NONE

#define DEFINE_ORDERED(name, schedule) \
    DEFINE_START(ordered_##name, LONG, ULL, gomp_loop_make(schedule, true, b, (ull)chunk))
#define DEFINE_SCHEDULE(name, schedule)                                           \
    DEFINE_START(name, LONG, ULL, gomp_loop_make(schedule, false, b, (ull)chunk)) \
    DEFINE_PARALLEL(name, LONG, gomp_loop_make(schedule, false, b, (ull)chunk))
#define DEFINE_RUNTIME(name)                                         \
    DEFINE_START(name, NONE, NONE, gomp_loop_make_runtime(false, b)) \
    DEFINE_PARALLEL(name, NONE, gomp_loop_make_runtime(false, b))

DEFINE_SCHEDULE(static, SCHEDULE_STATIC)
DEFINE_SCHEDULE(dynamic, SCHEDULE_DYNAMIC)
DEFINE_SCHEDULE(guided, SCHEDULE_GUIDED)
DEFINE_SCHEDULE(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
DEFINE_SCHEDULE(nonmonotonic_guided, SCHEDULE_GUIDED)
DEFINE_ORDERED(static, SCHEDULE_STATIC)
DEFINE_ORDERED(dynamic, SCHEDULE_DYNAMIC)
DEFINE_ORDERED(guided, SCHEDULE_GUIDED)
DEFINE_RUNTIME(runtime)
DEFINE_RUNTIME(nonmonotonic_runtime)
DEFINE_RUNTIME(maybe_nonmonotonic_runtime)
DEFINE_START(ordered_runtime, NONE, NONE, gomp_loop_make_runtime(true, b))

/* ---- of any schedule ---- */

static struct loop gomp_loop_make_numbered(long number, bool ordered, struct gomp_loop_bounds b,
                                           ull chunk)
{
    long kind = number & ~GOMP_MONOTONIC;
    return kind == 0 ? gomp_loop_make_runtime(ordered, b)
                     : gomp_loop_make((enum team_schedule)kind, ordered, b, chunk);
}

/* With task reductions, and memory that the threads share, or NULL. The schedule is a number.
 * `first` is NULL for a loop whose iterations gcc distributes itself. */
#define DEFINE_NUMBERED(name, ordered)                                                             \
    bool GOMP_loop_##name(long start, long end, long incr, long schedule, long chunk, long *first, \
                          long *beyond, uintptr_t *reductions, void **memory)                      \
    {                                                                                              \
        struct gomp_loop_bounds b = gomp_loop_of_long(start, end, incr);                           \
        share_begin(reductions, memory);                                                           \
        return !first ||                                                                           \
               gomp_loop_begin_long(gomp_loop_make_numbered(schedule, ordered, b, (ull)chunk),     \
                                    first, beyond);                                                \
    }                                                                                              \
    bool GOMP_loop_ull_##name(bool up, ull start, ull end, ull incr, long schedule, ull chunk,     \
                              ull *first, ull *beyond, uintptr_t *reductions, void **memory)       \
    {                                                                                              \
        struct gomp_loop_bounds b = gomp_loop_of_ull(up, start, end, incr);                        \
        share_begin(reductions, memory);                                                           \
        return !first || gomp_loop_begin_ull(gomp_loop_make_numbered(schedule, ordered, b, chunk), \
                                             first, beyond);                                       \
    }
DEFINE_NUMBERED(start, false)
DEFINE_NUMBERED(ordered_start, true)

static void gomp_loop_end(void)
{
    struct team_region *r = team_region();
    if (r->loop.ordered)
        loop_end_turn();
    retained_leave(r);
}

void GOMP_loop_end(void)
{
    gomp_loop_end();
    team_barrier();
}

void GOMP_loop_end_nowait(void)
{
    gomp_loop_end();
}

void GOMP_ordered_start(void)
{
    loop_await_turn();
}

/* The chunk's turn ends with the chunk. */
void GOMP_ordered_end(void)
{
}
