/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gomp_task.c - tasks, by the names of gomp.h.
 *
 * A task is run where it is met, before its generating task goes on, which OpenMP allows for every
 * task. So those that it depends on have ended, and there is nothing to wait for.
 */
#include <stdint.h>
#include <stdlib.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/group.h"
#include "compat/openmp/team.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

/* Bits of `flags`, as gcc sets them. */
enum {
    TASK_FINAL = 1 << 1,
    TASK_UP = 1 << 8,
    TASK_GRAINSIZE = 1 << 9,
    TASK_NO_GROUP = 1 << 11,
    TASK_REDUCTION = 1 << 12,
    TASK_DETACH = 1 << 13,
    TASK_STRICT = 1 << 14
};

#define ON_STACK 4096 /* bytes of the variables of a task that are kept there */

struct task {
    gomp_fn *fn;
    void *data;
    void (*copy)(void *, void *);
    size_t bytes, align;
};

/* A task of a loop has its bounds in the first words of its data. */
struct part {
    ull start, end;
};

static void run_with(const struct task *t, char *room, const struct part *part)
{
    uintptr_t at = ((uintptr_t)room + t->align - 1) & ~(uintptr_t)(t->align - 1);
    void *mine = (void *)at;
    if (t->copy)
        t->copy(mine, t->data);
    else
        __builtin_memcpy(mine, t->data, t->bytes);
    if (part)
        __builtin_memcpy(mine, part, sizeof *part);
    t->fn(mine);
}

static void run_somewhere(const struct task *t, const struct part *part)
{
    size_t room = t->bytes + t->align + sizeof(struct part);
    if (room <= ON_STACK) {
        char here[ON_STACK];
        run_with(t, here, part);
        return;
    }
    char *there = heap_malloc(room);
    if (!there)
        start_fail("omp task: no memory for %zu bytes of its variables", room);
    run_with(t, there, part);
    heap_free(there);
}

/* Its groups end with it, by whichever way it is left. */
static void run(const struct task *t, const struct part *part)
{
    const struct group *around = team_region()->group;
    if (GOMP_cancellation_point(CANCEL_TASKGROUP))
        return;
    run_somewhere(t, part);
    groups_end(team_region(), around);
}

static struct task make(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes,
                        long align)
{
    return (struct task){ fn, data, copy, (size_t)bytes, align > 0 ? (size_t)align : 1 };
}

static void check_flags(unsigned flags)
{
    if (flags & TASK_DETACH)
        start_fail("omp task detach is not there");
}

void GOMP_task(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    struct region *r = team_region();
    bool outer = r->final;
    struct task t = make(fn, data, copy, bytes, align);
    (void)if_clause, (void)depend, (void)priority, (void)detach;
    check_flags(flags);
    r->final = outer || (flags & TASK_FINAL);
    run(&t, NULL);
    r->final = outer;
}

/* ---- loops of tasks ---- */

/* The first words of the data of one with reductions. */
struct head {
    ull start, end;
    uintptr_t *reductions;
};

static void begin_group(const struct task *t, unsigned flags)
{
    if (flags & TASK_NO_GROUP)
        return;
    group_begin(team_region());
    if (flags & TASK_REDUCTION)
        GOMP_taskgroup_reduction_register(((const struct head *)t->data)->reductions);
}

/* How many, and how many iterations the first `more` of them and the others have. */
struct partition {
    ull tasks, first, rest, more;
};

static struct partition divide(ull count, unsigned flags, ull asked)
{
    struct partition p = { 0, 0, 0, 0 };
    ull tasks = asked ? asked : (ull)team_region()->threads;
    if ((flags & TASK_GRAINSIZE) && (flags & TASK_STRICT)) {
        ull full = (count - 1) / asked;
        return (struct partition){ full + 1, asked, count - full * asked, full };
    }
    if (flags & TASK_GRAINSIZE)
        tasks = count / asked ? count / asked : 1;
    if (tasks > count)
        tasks = count;
    p.tasks = tasks;
    p.rest = count / tasks;
    p.more = count % tasks;
    p.first = p.rest + 1;
    return p;
}

static void run_parts(const struct task *t, struct partition p, ull start, ull step)
{
    for (ull k = 0; k < p.tasks; k++) {
        ull n = k < p.more ? p.first : p.rest;
        struct part part = { start, start + n * step };
        run(t, &part);
        start = part.end;
    }
}

static void run_loop(const struct task *t, unsigned flags, ull asked, ull start, ull count,
                     ull step)
{
    struct region *r = team_region();
    bool outer = r->final;
    begin_group(t, flags);
    r->final = outer || (flags & TASK_FINAL);
    if (count > 0)
        run_parts(t, divide(count, flags, asked), start, step);
    r->final = outer;
    if (!(flags & TASK_NO_GROUP))
        group_end(r);
}

void GOMP_taskloop(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align,
                   unsigned flags, unsigned long tasks, int priority, long start, long end,
                   long step)
{
    struct task t = make(fn, data, copy, bytes, align);
    bool up = step > 0;
    ull count = 0;
    (void)priority;
    check_flags(flags);
    if (up ? start < end : start > end)
        count = up ? ((ull)end - (ull)start - 1) / (ull)step + 1
                   : ((ull)start - (ull)end - 1) / (0 - (ull)step) + 1;
    run_loop(&t, flags, tasks, (ull)start, count, (ull)step);
}

void GOMP_taskloop_ull(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes,
                       long align, unsigned flags, unsigned long tasks, int priority, ull start,
                       ull end, ull step)
{
    struct task t = make(fn, data, copy, bytes, align);
    bool up = flags & TASK_UP;
    ull count = 0;
    (void)priority;
    check_flags(flags);
    if (up ? start < end : start > end)
        count = up ? (end - start - 1) / step + 1 : (start - end - 1) / (0 - step) + 1;
    run_loop(&t, flags, tasks, start, count, step);
}

void GOMP_taskwait(void)
{
}

void GOMP_taskwait_depend(void **depend)
{
    (void)depend;
}

void GOMP_taskyield(void)
{
}

void GOMP_taskgroup_start(void)
{
    group_begin(team_region());
}

void GOMP_taskgroup_end(void)
{
    group_end(team_region());
}
