/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_doacross.c - loops with ordered(n), by the names of gomp.h; see doacross.h. */
#include <stdarg.h>

#include "compat/openmp/doacross.h"
#include "compat/openmp/gomp.h"
#include "compat/openmp/share.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

/* Both types have 64 bits. */
static bool gomp_doacross_begin(unsigned dims, const void *counts, enum team_schedule schedule,
                                ull chunk, ull *first, ull *beyond)
{
    doacross_begin(dims, counts, schedule, chunk);
    return loop_next(first, beyond);
}

static bool gomp_doacross_begin_runtime(unsigned dims, const void *counts, ull *first, ull *beyond)
{
    enum team_schedule schedule;
    ull chunk;
    loop_runtime(&schedule, &chunk);
    return gomp_doacross_begin(dims, counts, schedule, chunk, first, beyond);
}

static bool gomp_doacross_begin_numbered(unsigned dims, const void *counts, long number, ull chunk,
                                         ull *first, ull *beyond)
{
    long kind = number & ~GOMP_MONOTONIC;
    if (kind == 0)
        return gomp_doacross_begin_runtime(dims, counts, first, beyond);
    return gomp_doacross_begin(dims, counts, (enum team_schedule)kind, chunk, first, beyond);
}

static void gomp_doacross_wait(ull first, va_list more)
{
    unsigned dims = doacross_dims();
    ull *at = __builtin_alloca((dims + 1) * sizeof *at);
    at[0] = first;
    for (unsigned d = 1; d < dims; d++)
        at[d] = va_arg(more, ull);
    doacross_wait(at);
}

#define DEFINE_SCHEDULE(name, type, schedule)                                        \
    bool name(unsigned dims, type *counts, type chunk, type *first, type *beyond)    \
    {                                                                                \
        return gomp_doacross_begin(dims, counts, schedule, (ull)chunk, (ull *)first, \
                                   (ull *)beyond);                                   \
    }

/* Iteration counts of each loop of a nest with ordered(n); the schedule may be a number. */
#define DEFINE(type, loop, doacross)                                                          \
    DEFINE_SCHEDULE(loop##_static_start, type, SCHEDULE_STATIC)                               \
    DEFINE_SCHEDULE(loop##_dynamic_start, type, SCHEDULE_DYNAMIC)                             \
    DEFINE_SCHEDULE(loop##_guided_start, type, SCHEDULE_GUIDED)                               \
    bool loop##_runtime_start(unsigned dims, type *counts, type *first, type *beyond)         \
    {                                                                                         \
        return gomp_doacross_begin_runtime(dims, counts, (ull *)first, (ull *)beyond);        \
    }                                                                                         \
    bool loop##_start(unsigned dims, type *counts, long schedule, type chunk, type *first,    \
                      type *beyond, uintptr_t *reductions, void **memory)                     \
    {                                                                                         \
        share_begin(reductions, memory);                                                      \
        return gomp_doacross_begin_numbered(dims, counts, schedule, (ull)chunk, (ull *)first, \
                                            (ull *)beyond);                                   \
    }                                                                                         \
    void doacross##_post(type *at)                                                            \
    {                                                                                         \
        doacross_post((const ull *)at);                                                       \
    }                                                                                         \
    void doacross##_wait(type first, ...)                                                     \
    {                                                                                         \
        va_list more;                                                                         \
        va_start(more, first);                                                                \
        gomp_doacross_wait((ull)first, more);                                                 \
        va_end(more);                                                                         \
    }
DEFINE(long, GOMP_loop_doacross, GOMP_doacross)
DEFINE(ull, GOMP_loop_ull_doacross, GOMP_doacross_ull)
