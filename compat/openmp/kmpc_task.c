/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kmpc_task.c - tasks, by the names of kmpc.h.
 *
 *             alloc              variables are stored        omp_task: copied, or taken over
 *    (none) ---------> block ---------------------------> block ---------------------------> task
 *                                                           |  begin_if0, complete_if0: run here
 *
 * Invariants
 *   - A block is in shared memory: a task that the caller runs in it may pass addresses of its
 *     variables to other nodes. A task with objects keeps its block. All other tasks are copied,
 *     and the thread uses the block again for its next task.
 *   - A block refers to its own variables by one pointer, which is set again in each copy.
 *   - An untied task submits itself and returns where another thread could continue it. The thread
 *     that runs it calls its code again at once.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/openmp/detach.h"
#include "compat/openmp/kmpc.h"
#include "compat/openmp/scheduler.h"
#include "compat/openmp/task.h"
#include "compat/openmp/taskgroup.h"
#include "compat/start/heap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* kmpc.h */

struct kmpc_task;
typedef int32_t kmpc_task_code(int32_t number, struct kmpc_task *t);
typedef void kmpc_task_copier(struct kmpc_task *to, struct kmpc_task *from, int32_t is_last);

/* As clang lays it out; the task's own variables follow. */
struct kmpc_task {
    void *shared; /* addresses of shared variables, in the block */
    kmpc_task_code *code;
    int32_t part;
    kmpc_task_code *destroy; /* valid with TASK_OBJECTS */
    union {
        int32_t priority;
        kmpc_task_code *other;
    } more;
};

enum { TASK_FINAL = 1 << 1, TASK_OBJECTS = 1 << 3, TASK_DETACH = 1 << 6 };

struct kmpc_task_block {
    size_t bytes;
    size_t shared_at; /* offset in `task`; 0: no shared variables */
    int32_t flags;
    int32_t is_last; /* has the last iterations of a taskloop */
    uintptr_t event;
    kmpc_task_copier *copier;
    struct kmpc_task_run *run; /* of begin_if0 */
    _Alignas(16) struct kmpc_task task;
};

/* The task that the thread runs. */
struct kmpc_task_run {
    struct kmpc_task_run *around;
    struct kmpc_task_block *block;
    bool again;
    struct scheduler_frame before;
};
static _Thread_local struct kmpc_task_run *running;

static struct kmpc_task_block *kmpc_task_block_of(struct kmpc_task *t)
{
    return (struct kmpc_task_block *)(void *)((char *)t - offsetof(struct kmpc_task_block, task));
}

/* ---- blocks ---- */

/* One block of this thread that is free. */
static _Thread_local struct kmpc_task_block *spare;

static struct kmpc_task_block *kmpc_task_allocate(size_t bytes)
{
    struct kmpc_task_block *b = spare;
    size_t room = bytes < 512 ? 512 : (bytes + 15) & ~(size_t)15;
    if (b && bytes <= b->bytes) {
        spare = NULL;
        return b;
    }
    b = heap_aligned_alloc(16, room);
    if (!b)
        start_fail("omp task: no memory for %zu bytes of its variables", bytes);
    return b;
}

static void kmpc_task_free(struct kmpc_task_block *b)
{
    if (lane_is_numbered() && !spare && b->bytes <= 512) {
        spare = b;
        spare->bytes = 512;
    } else {
        heap_free(b);
    }
}

struct kmpc_task *__kmpc_omp_task_alloc(KMPC_AT, int32_t flags, size_t task_bytes,
                                        size_t shared_bytes, kmpc_task_code *code)
{
    size_t shared_at = (task_bytes + 15) & ~(size_t)15;
    size_t bytes = offsetof(struct kmpc_task_block, task) + shared_at + shared_bytes;
    struct kmpc_task_block *b = kmpc_task_allocate(bytes);
    KMPC_AT_UNUSED;
    memset(b, 0, sizeof *b);
    b->bytes = bytes;
    b->shared_at = shared_bytes ? shared_at : 0;
    b->flags = flags;
    b->task.shared = shared_bytes ? (char *)&b->task + shared_at : NULL;
    b->task.code = code;
    return &b->task;
}

struct kmpc_task *__kmpc_omp_target_task_alloc(KMPC_AT, int32_t flags, size_t task_bytes,
                                               size_t shared_bytes, kmpc_task_code *code,
                                               int64_t device)
{
    (void)device;
    return __kmpc_omp_task_alloc(position, number, flags, task_bytes, shared_bytes, code);
}

int32_t __kmpc_omp_reg_task_with_affinity(KMPC_AT, struct kmpc_task *t, int32_t count, void *list)
{
    KMPC_AT_UNUSED;
    (void)t, (void)count, (void)list;
    return 0;
}

uintptr_t __kmpc_task_allow_completion_event(KMPC_AT, struct kmpc_task *t)
{
    KMPC_AT_UNUSED;
    return kmpc_task_block_of(t)->event = detach_create();
}

/* ---- running ---- */

static void kmpc_task_destroy(struct kmpc_task_block *b)
{
    if (b->flags & TASK_OBJECTS)
        b->task.destroy(team_region()->thread, &b->task);
}

static void kmpc_task_call(struct kmpc_task_run *run)
{
    do {
        run->again = false;
        run->block->task.code(team_region()->thread, &run->block->task);
    } while (run->again);
}

static void kmpc_task_run(void *data)
{
    struct kmpc_task_block *b = data;
    struct kmpc_task_run run = { .around = running, .block = b };
    if (b->shared_at)
        b->task.shared = (char *)&b->task + b->shared_at;
    running = &run;
    if (!scheduler_is_cancelled(team_region()))
        kmpc_task_call(&run);
    kmpc_task_destroy(b);
    running = run.around;
}

/* In the block itself, by code of the program that calls the task's code. */
void __kmpc_omp_task_begin_if0(KMPC_AT, struct kmpc_task *t)
{
    struct kmpc_task_block *b = kmpc_task_block_of(t);
    struct team_region *r = team_region();
    struct kmpc_task_run *run = malloc(sizeof *run);
    KMPC_AT_UNUSED;
    if (!run)
        start_fail("omp task: no memory");
    *run = (struct kmpc_task_run){ .around = running, .block = b };
    run->before = scheduler_begin_task(r, r->final || (b->flags & TASK_FINAL));
    b->run = running = run;
}

void __kmpc_omp_task_complete_if0(KMPC_AT, struct kmpc_task *t)
{
    struct kmpc_task_block *b = kmpc_task_block_of(t);
    struct team_region *r = team_region();
    struct kmpc_task_run *run = b->run;
    KMPC_AT_UNUSED;
    if (run->again)
        kmpc_task_call(run);
    kmpc_task_destroy(b);
    running = run->around;
    scheduler_end_groups(r, run->before.group);
    scheduler_end_task(r, &run->before);
    free(run);
    if (b->event)
        detach_await(b->event);
    kmpc_task_free(b);
}

/* ---- submitting ---- */

static struct task_new kmpc_task_make(struct kmpc_task_block *b)
{
    return (struct task_new){ .fn = kmpc_task_run,
                              .data = b,
                              .bytes = b->bytes,
                              .align = 16,
                              .final = b->flags & TASK_FINAL,
                              .event = b->event };
}

static void kmpc_task_submit(struct kmpc_task *t, void **depend)
{
    struct kmpc_task_block *b = kmpc_task_block_of(t);
    struct task_new m = kmpc_task_make(b);
    m.in_place = b->flags & TASK_OBJECTS;
    scheduler_submit(&m, true, depend);
    if (!m.in_place)
        kmpc_task_free(b);
}

int32_t __kmpc_omp_task(KMPC_AT, struct kmpc_task *t)
{
    KMPC_AT_UNUSED;
    if (running && t == &running->block->task)
        running->again = true;
    else
        kmpc_task_submit(t, NULL);
    return 0;
}

/* ---- dependences: as gcc passes them, writes first ---- */

enum { DEPEND_IN = 1, DEPEND_ALL = 0x80 };

static void kmpc_task_add_depends(void **depend, int32_t count, const struct kmpc_depend *list,
                                  bool writes, size_t *used)
{
    for (int32_t k = 0; k < count; k++) {
        if (list[k].flags & DEPEND_ALL)
            start_fail("omp_all_memory is not supported; list the variables");
        if ((list[k].flags != DEPEND_IN) == writes)
            depend[2 + (*used)++] = list[k].at;
    }
}

/* NULL: none. `room`: two words more than there are in both lists. */
static void **kmpc_task_depends(void **room, int32_t count, const struct kmpc_depend *list,
                                int32_t more_count, const struct kmpc_depend *more)
{
    size_t used = 0;
    kmpc_task_add_depends(room, count, list, true, &used);
    kmpc_task_add_depends(room, more_count, more, true, &used);
    room[1] = (void *)used;
    kmpc_task_add_depends(room, count, list, false, &used);
    kmpc_task_add_depends(room, more_count, more, false, &used);
    room[0] = (void *)used;
    return used ? room : NULL;
}

#define DEPEND_ROOM __builtin_alloca(((size_t)count + (size_t)more_count + 2) * sizeof(void *))

int32_t __kmpc_omp_task_with_deps(KMPC_AT, struct kmpc_task *t, int32_t count,
                                  const struct kmpc_depend *list, int32_t more_count,
                                  const struct kmpc_depend *more)
{
    KMPC_AT_UNUSED;
    kmpc_task_submit(t, kmpc_task_depends(DEPEND_ROOM, count, list, more_count, more));
    return 0;
}

void __kmpc_omp_wait_deps(KMPC_AT, int32_t count, const struct kmpc_depend *list,
                          int32_t more_count, const struct kmpc_depend *more)
{
    void **depend = kmpc_task_depends(DEPEND_ROOM, count, list, more_count, more);
    KMPC_AT_UNUSED;
    if (depend)
        scheduler_await_depend(depend);
}

void __kmpc_omp_taskwait_deps_51(KMPC_AT, int32_t count, const struct kmpc_depend *list,
                                 int32_t more_count, const struct kmpc_depend *more, int32_t nowait)
{
    (void)nowait;
    __kmpc_omp_wait_deps(position, number, count, list, more_count, more);
}

/* ---- taskloops ---- */

static void kmpc_task_copy(void *to, void *from)
{
    struct kmpc_task_block *b = to, *pattern = from;
    memcpy(b, pattern, pattern->bytes);
    if (b->shared_at)
        b->task.shared = (char *)&b->task + b->shared_at;
    pattern->copier(&b->task, &pattern->task, pattern->is_last);
}

static ull kmpc_task_count(ull lower, ull upper, int64_t step)
{
    if (step > 0 ? (int64_t)upper < (int64_t)lower : (int64_t)lower < (int64_t)upper)
        return 0;
    return step > 0 ? (upper - lower) / (ull)step + 1 : (lower - upper) / (0 - (ull)step) + 1;
}

enum { BY_NOTHING, BY_GRAINS, BY_TASKS };

/* *lower and *upper, in the block, are the bounds of all iterations. */
static void kmpc_task_loop(struct kmpc_task_block *b, bool may_wait, ull *lower, ull *upper,
                           int64_t step, int by, ull asked, bool strict)
{
    struct task_new m = kmpc_task_make(b);
    ull count = kmpc_task_count(*lower, *upper, step), next = *lower;
    m.copy = b->copier ? kmpc_task_copy : NULL;
    if (count == 0)
        return;
    struct task_partition p =
        task_divide(count, by == BY_NOTHING ? 0 : asked, by == BY_GRAINS, strict);
    for (ull k = 0; k < p.tasks; k++) {
        ull n = k < p.more ? p.first : p.rest;
        *lower = next;
        *upper = next + (n - 1) * (ull)step;
        b->is_last = k + 1 == p.tasks;
        next += n * (ull)step;
        scheduler_submit(&m, may_wait, NULL);
    }
}

void __kmpc_taskloop_5(KMPC_AT, struct kmpc_task *t, int32_t may_wait, ull *lower, ull *upper,
                       int64_t step, int32_t no_group, int32_t by, ull asked, int32_t strict,
                       kmpc_task_copier *copier)
{
    struct kmpc_task_block *b = kmpc_task_block_of(t);
    KMPC_AT_UNUSED;
    b->copier = copier;
    if (!no_group)
        taskgroup_begin(team_region());
    kmpc_task_loop(b, may_wait, lower, upper, step, by, asked, strict);
    if (!no_group)
        scheduler_end_group(team_region());
    kmpc_task_destroy(b);
    kmpc_task_free(b);
}

void __kmpc_taskloop(KMPC_AT, struct kmpc_task *t, int32_t may_wait, ull *lower, ull *upper,
                     int64_t step, int32_t no_group, int32_t by, ull asked,
                     kmpc_task_copier *copier)
{
    __kmpc_taskloop_5(position, number, t, may_wait, lower, upper, step, no_group, by, asked, false,
                      copier);
}

/* ---- waiting ---- */

int32_t __kmpc_omp_taskwait(KMPC_AT)
{
    KMPC_AT_UNUSED;
    scheduler_await_children();
    return 0;
}

int32_t __kmpc_omp_taskyield(KMPC_AT, int32_t part)
{
    KMPC_AT_UNUSED;
    (void)part;
    scheduler_poll();
    return 0;
}

void __kmpc_taskgroup(KMPC_AT)
{
    KMPC_AT_UNUSED;
    taskgroup_begin(team_region());
}

void __kmpc_end_taskgroup(KMPC_AT)
{
    KMPC_AT_UNUSED;
    kmpc_reduction_end_group();
}
