/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_loop.c - loops of every schedule, by the names of gomp.h. */
#include "compat/openmp/gomp.h"
#include "compat/openmp/loop.h"
#include "compat/openmp/retained.h"
#include "compat/openmp/share.h"
#include "compat/openmp/team.h"

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

#define DEFINE_START(name, schedule, ordered)                                                     \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long chunk, long *first,       \
                                  long *beyond)                                                   \
    {                                                                                             \
        return gomp_loop_begin_long(gomp_loop_make(schedule, ordered,                             \
                                                   gomp_loop_of_long(start, end, incr),           \
                                                   (ull)chunk),                                   \
                                    first, beyond);                                               \
    }                                                                                             \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr, ull chunk,           \
                                      ull *first, ull *beyond)                                    \
    {                                                                                             \
        return gomp_loop_begin_ull(gomp_loop_make(schedule, ordered,                              \
                                                  gomp_loop_of_ull(up, start, end, incr), chunk), \
                                   first, beyond);                                                \
    }                                                                                             \
    DEFINE_NEXT(name)

#define DEFINE_SCHEDULE(name, schedule)                                                       \
    DEFINE_START(name, schedule, false)                                                       \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned threads, long start,     \
                                   long end, long incr, long chunk, unsigned flags)           \
    {                                                                                         \
        struct loop l =                                                                       \
            gomp_loop_make(schedule, false, gomp_loop_of_long(start, end, incr), (ull)chunk); \
        (void)flags;                                                                          \
        team_parallel(fn, data, threads, &l);                                                 \
    }

#define DEFINE_ORDERED(name, schedule) DEFINE_START(ordered_##name, schedule, true)

#define DEFINE_RUNTIME_START(name, ordered)                                                        \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long *first, long *beyond)      \
    {                                                                                              \
        return gomp_loop_begin_long(gomp_loop_make_runtime(ordered,                                \
                                                           gomp_loop_of_long(start, end, incr)),   \
                                    first, beyond);                                                \
    }                                                                                              \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull incr, ull *first,           \
                                      ull *beyond)                                                 \
    {                                                                                              \
        return gomp_loop_begin_ull(gomp_loop_make_runtime(ordered,                                 \
                                                          gomp_loop_of_ull(up, start, end, incr)), \
                                   first, beyond);                                                 \
    }                                                                                              \
    DEFINE_NEXT(name)

#define DEFINE_RUNTIME(name)                                                                \
    DEFINE_RUNTIME_START(name, false)                                                       \
    void GOMP_parallel_loop_##name(gomp_fn *fn, void *data, unsigned threads, long start,   \
                                   long end, long incr, unsigned flags)                     \
    {                                                                                       \
        struct loop l = gomp_loop_make_runtime(false, gomp_loop_of_long(start, end, incr)); \
        (void)flags;                                                                        \
        team_parallel(fn, data, threads, &l);                                               \
    }

GOMP_SCHEDULES(DEFINE_SCHEDULE)
GOMP_ORDERED(DEFINE_ORDERED)
GOMP_RUNTIMES(DEFINE_RUNTIME)
DEFINE_RUNTIME_START(ordered_runtime, true)

/* ---- of any schedule ---- */

static struct loop make_numbered(long number, bool ordered, struct gomp_loop_bounds b, ull chunk)
{
    long kind = number & ~GOMP_MONOTONIC;
    return kind == 0 ? gomp_loop_make_runtime(ordered, b)
                     : gomp_loop_make((enum team_schedule)kind, ordered, b, chunk);
}

bool GOMP_loop_start(long start, long end, long incr, long schedule, long chunk, long *first,
                     long *beyond, uintptr_t *reductions, void **memory)
{
    share_begin(reductions, memory);
    return !first ||
           gomp_loop_begin_long(make_numbered(schedule, false, gomp_loop_of_long(start, end, incr),
                                              (ull)chunk),
                                first, beyond);
}

bool GOMP_loop_ordered_start(long start, long end, long incr, long schedule, long chunk,
                             long *first, long *beyond, uintptr_t *reductions, void **memory)
{
    share_begin(reductions, memory);
    return !first ||
           gomp_loop_begin_long(make_numbered(schedule, true, gomp_loop_of_long(start, end, incr),
                                              (ull)chunk),
                                first, beyond);
}

bool GOMP_loop_ull_start(bool up, ull start, ull end, ull incr, long schedule, ull chunk,
                         ull *first, ull *beyond, uintptr_t *reductions, void **memory)
{
    share_begin(reductions, memory);
    return !first ||
           gomp_loop_begin_ull(make_numbered(schedule, false,
                                             gomp_loop_of_ull(up, start, end, incr), chunk),
                               first, beyond);
}

bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull incr, long schedule, ull chunk,
                                 ull *first, ull *beyond, uintptr_t *reductions, void **memory)
{
    share_begin(reductions, memory);
    return !first ||
           gomp_loop_begin_ull(make_numbered(schedule, true, gomp_loop_of_ull(up, start, end, incr),
                                             chunk),
                               first, beyond);
}

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
