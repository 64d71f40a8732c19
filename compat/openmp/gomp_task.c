/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gomp_task.c - tasks, by the names of gomp.h. */
#include <stdint.h>

#include "compat/openmp/detach.h"
#include "compat/openmp/gomp.h"
#include "compat/openmp/scheduler.h"
#include "compat/openmp/task.h"
#include "compat/openmp/taskgroup.h"
#include "compat/openmp/team.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

/* Bits of `flags`, as gcc sets them. */
enum {
    TASK_FINAL = 1 << 1,
    TASK_DEPEND = 1 << 3,
    TASK_UP = 1 << 8,
    TASK_GRAINSIZE = 1 << 9,
    TASK_IF = 1 << 10,
    TASK_NO_GROUP = 1 << 11,
    TASK_REDUCTION = 1 << 12,
    TASK_DETACH = 1 << 13,
    TASK_STRICT = 1 << 14
};

static struct task_new gomp_task_make(gomp_fn *fn, void *data, void (*copy)(void *, void *),
                                      long bytes, long align, unsigned flags)
{
    size_t a = align > 0 ? (size_t)align : 1;
    return (
        struct task_new){ fn, data, copy, (size_t)bytes, a, NULL, flags & TASK_FINAL, 0, false };
}

/* The variable of the detach clause, and the task's copy, which is its first. */
static void gomp_task_detach(struct task_new *m, void *detach)
{
    m->event = detach_create();
    *(uintptr_t *)detach = m->event;
    if (m->data)
        *(uintptr_t *)m->data = m->event;
}

void GOMP_task(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    struct task_new m = gomp_task_make(fn, data, copy, bytes, align, flags);
    (void)priority;
    if (flags & TASK_DETACH)
        gomp_task_detach(&m, detach);
    scheduler_submit(&m, if_clause, flags & TASK_DEPEND ? depend : NULL);
}

/* ---- taskloops ---- */

/* First words of the data of a taskloop with reductions. */
struct gomp_task_head {
    ull start, end;
    uintptr_t *reductions;
};

static void gomp_task_begin_group(const struct task_new *m, unsigned flags)
{
    if (flags & TASK_NO_GROUP)
        return;
    taskgroup_begin(team_region());
    if (flags & TASK_REDUCTION)
        GOMP_taskgroup_reduction_register(((const struct gomp_task_head *)m->data)->reductions);
}

static void gomp_task_loop_submit_parts(struct task_new *m, bool may_wait, struct task_partition p,
                                        ull start, ull step)
{
    for (ull k = 0; k < p.tasks; k++) {
        ull n = k < p.more ? p.first : p.rest;
        struct task_part part = { start, start + n * step };
        m->part = &part;
        scheduler_submit(m, may_wait, NULL);
        start = part.end;
    }
}

static void gomp_task_loop_submit(struct task_new *m, unsigned flags, ull asked, ull start,
                                  ull count, ull step)
{
    gomp_task_begin_group(m, flags);
    if (count > 0)
        gomp_task_loop_submit_parts(m, flags & TASK_IF,
                                    task_divide(count, asked, flags & TASK_GRAINSIZE,
                                                flags & TASK_STRICT),
                                    start, step);
    if (!(flags & TASK_NO_GROUP))
        scheduler_end_group(team_region());
}

void GOMP_taskloop(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes, long align,
                   unsigned flags, unsigned long tasks, int priority, long start, long end,
                   long step)
{
    struct task_new m = gomp_task_make(fn, data, copy, bytes, align, flags);
    bool up = step > 0;
    ull count = 0;
    (void)priority;
    if (up ? start < end : start > end)
        count = up ? ((ull)end - (ull)start - 1) / (ull)step + 1
                   : ((ull)start - (ull)end - 1) / (0 - (ull)step) + 1;
    gomp_task_loop_submit(&m, flags, tasks, (ull)start, count, (ull)step);
}

void GOMP_taskloop_ull(gomp_fn *fn, void *data, void (*copy)(void *, void *), long bytes,
                       long align, unsigned flags, unsigned long tasks, int priority, ull start,
                       ull end, ull step)
{
    struct task_new m = gomp_task_make(fn, data, copy, bytes, align, flags);
    bool up = flags & TASK_UP;
    ull count = 0;
    (void)priority;
    if (up ? start < end : start > end)
        count = up ? (end - start - 1) / step + 1 : (start - end - 1) / (0 - step) + 1;
    gomp_task_loop_submit(&m, flags, tasks, start, count, step);
}

void GOMP_taskwait(void)
{
    scheduler_await_children();
}

void GOMP_taskwait_depend(void **depend)
{
    scheduler_await_depend(depend);
}

void GOMP_taskyield(void)
{
    scheduler_poll();
}

void GOMP_taskgroup_start(void)
{
    taskgroup_begin(team_region());
}

void GOMP_taskgroup_end(void)
{
    scheduler_end_group(team_region());
}
