/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kmpc_team.c - regions and teams, by the names of kmpc.h. */
#include <stdarg.h>
#include <string.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/kmpc.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* kmpc.h */

/* A region's code with its arguments, on the stack of the thread that begins it. */
struct kmpc_team_call {
    kmpc_micro *micro;
    int count;
    void **args; /* padded with NULL to one of the numbers below */
};

/* The code ignores arguments that it does not take. */
#define ARGS_4(a, i)  a[i], a[i + 1], a[i + 2], a[i + 3]
#define ARGS_16(a, i) ARGS_4(a, i), ARGS_4(a, i + 4), ARGS_4(a, i + 8), ARGS_4(a, i + 12)
#define ARGS_64(a, i) ARGS_16(a, i), ARGS_16(a, i + 16), ARGS_16(a, i + 32), ARGS_16(a, i + 48)
#define ARGS_256(a)   ARGS_64(a, 0), ARGS_64(a, 64), ARGS_64(a, 128), ARGS_64(a, 192)
#define ARGS_MOST     256

static size_t kmpc_team_padded(int count)
{
    return count <= 4 ? 4 : count <= 16 ? 16 : count <= 64 ? 64 : ARGS_MOST;
}

__attribute__((noinline)) static void kmpc_team_run_long(const struct kmpc_team_call *c,
                                                         int32_t *thread, int32_t *bound)
{
    void **a = c->args;
    if (c->count <= 64)
        c->micro(thread, bound, ARGS_64(a, 0));
    else
        c->micro(thread, bound, ARGS_256(a));
}

static void kmpc_team_run(void *arg)
{
    const struct kmpc_team_call *c = arg;
    void **a = c->args;
    int32_t thread = team_region()->thread, bound = thread;
    if (c->count <= 4)
        c->micro(&thread, &bound, ARGS_4(a, 0));
    else if (c->count <= 16)
        c->micro(&thread, &bound, ARGS_16(a, 0));
    else
        kmpc_team_run_long(c, &thread, &bound);
}

static void kmpc_team_check(int count)
{
    if (count > ARGS_MOST)
        start_fail("omp parallel: the region uses %d variables, the limit is %d; put some in a "
                   "struct",
                   count, ARGS_MOST);
}

/* Of the region that the calling thread begins next; 0: as many as there are. */
static _Thread_local unsigned threads_next;

static void kmpc_team_fork(struct kmpc_team_call *c)
{
    unsigned threads = threads_next;
    threads_next = 0;
    team_parallel_of((gomp_fn *)(uintptr_t)c->micro, kmpc_team_run, c, threads);
}

/* `more` has c->count arguments, for which c->args has room. */
static void kmpc_team_collect(struct kmpc_team_call *c, va_list more)
{
    memset(c->args, 0, kmpc_team_padded(c->count) * sizeof *c->args);
    for (int i = 0; i < c->count; i++)
        c->args[i] = va_arg(more, void *);
}

#define ROOM(count) __builtin_alloca(kmpc_team_padded(count) * sizeof(void *))

void __kmpc_fork_call(struct kmpc_position *position, int32_t count, kmpc_micro *micro, ...)
{
    va_list more;
    (void)position;
    kmpc_team_check(count);
    struct kmpc_team_call c = { micro, count, ROOM(count) };
    va_start(more, micro);
    kmpc_team_collect(&c, more);
    va_end(more);
    kmpc_team_fork(&c);
}

void __kmpc_push_num_threads(KMPC_AT, int32_t threads)
{
    KMPC_AT_UNUSED;
    threads_next = threads > 0 ? (unsigned)threads : 0;
}

void __kmpc_push_proc_bind(KMPC_AT, int32_t policy)
{
    KMPC_AT_UNUSED;
    (void)policy;
}

/* Around code that the caller runs itself. */
void __kmpc_serialized_parallel(KMPC_AT)
{
    KMPC_AT_UNUSED;
    threads_next = 0;
    team_begin_alone();
}

void __kmpc_end_serialized_parallel(KMPC_AT)
{
    KMPC_AT_UNUSED;
    team_end_alone();
}

void __kmpc_fork_call_if(struct kmpc_position *position, int32_t count, kmpc_micro *micro,
                         int32_t condition, void *arg)
{
    (void)position;
    struct kmpc_team_call c = { micro, count > 0, (void *[4]){ arg } };
    if (!condition)
        threads_next = 1;
    kmpc_team_fork(&c);
}

/* ---- teams: GOMP_teams_reg ---- */

static _Thread_local unsigned teams_next, teams_limit_next;

void __kmpc_push_num_teams(KMPC_AT, int32_t teams, int32_t limit)
{
    KMPC_AT_UNUSED;
    teams_next = teams > 0 ? (unsigned)teams : 0;
    teams_limit_next = limit > 0 ? (unsigned)limit : 0;
}

void __kmpc_push_num_teams_51(KMPC_AT, int32_t least, int32_t most, int32_t limit)
{
    (void)least;
    __kmpc_push_num_teams(position, number, most, limit);
}

void __kmpc_set_thread_limit(KMPC_AT, int32_t limit)
{
    KMPC_AT_UNUSED;
    teams_limit_next = limit > 0 ? (unsigned)limit : 0;
}

void __kmpc_fork_teams(struct kmpc_position *position, int32_t count, kmpc_micro *micro, ...)
{
    unsigned teams = teams_next, limit = teams_limit_next;
    va_list more;
    (void)position;
    kmpc_team_check(count);
    struct kmpc_team_call c = { micro, count, ROOM(count) };
    va_start(more, micro);
    kmpc_team_collect(&c, more);
    va_end(more);
    teams_next = teams_limit_next = 0;
    GOMP_teams_reg(kmpc_team_run, &c, teams, limit, 0);
}

/* ---- which thread ---- */

int32_t __kmpc_global_thread_num(struct kmpc_position *position)
{
    (void)position;
    return lane_is_numbered() ? lane_current->index : 0;
}

int32_t __kmpc_master(KMPC_AT)
{
    KMPC_AT_UNUSED;
    return team_region()->thread == 0;
}

int32_t __kmpc_masked(KMPC_AT, int32_t filter)
{
    KMPC_AT_UNUSED;
    return team_region()->thread == filter;
}

#define DEFINE_NOTHING(name) \
    void name(KMPC_AT)       \
    {                        \
        KMPC_AT_UNUSED;      \
    }
DEFINE_NOTHING(__kmpc_end_master)
DEFINE_NOTHING(__kmpc_end_masked)
DEFINE_NOTHING(__kmpc_scope)
DEFINE_NOTHING(__kmpc_end_scope)
