/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task.c - see task.h. */
#include "compat/openmp/task.h"

#include <stdlib.h>

#include "compat/start/heap.h"
#include "compat/start/start.h"

#define ON_STACK 4096 /* most bytes of a task's variables kept there */

static size_t task_align_of(size_t align)
{
    return align < 16 ? 16 : align;
}

static void *task_shared_room(size_t bytes, size_t align)
{
    size_t a = task_align_of(align);
    void *room = heap_aligned_alloc(a, (bytes + a) & ~(a - 1));
    if (!room)
        start_fail("omp task: no memory for %zu bytes of its variables", bytes);
    return room;
}

static void task_copy_to(const struct task_new *m, void *mine)
{
    if (m->copy)
        m->copy(mine, m->data);
    else
        __builtin_memcpy(mine, m->data, m->bytes);
    if (m->part)
        __builtin_memcpy(mine, m->part, sizeof *m->part);
}

/* ---- taskloops ---- */

struct task_partition task_divide(ull count, ull asked, bool by_grains, bool strict)
{
    ull tasks = asked ? asked : (ull)team_region()->threads;
    if (by_grains && strict) {
        ull full = (count - 1) / asked;
        return (struct task_partition){ full + 1, asked, count - full * asked, full };
    }
    if (by_grains)
        tasks = count / asked ? count / asked : 1;
    if (tasks > count)
        tasks = count;
    ull rest = count / tasks;
    return (struct task_partition){ tasks, rest + 1, rest, count % tasks };
}

/* ---- tasks run at once ---- */

static void task_run_with(const struct task_new *m, char *room)
{
    uintptr_t at = ((uintptr_t)room + m->align - 1) & ~(uintptr_t)(m->align - 1);
    task_copy_to(m, (void *)at);
    m->fn((void *)at);
}

void task_call_new(const struct task_new *m)
{
    if (m->in_place) {
        m->fn(m->data);
        heap_free(m->data);
        return;
    }
    size_t room = m->bytes + m->align + sizeof(struct task_part);
    if (room <= ON_STACK) {
        task_run_with(m, __builtin_alloca(room));
        return;
    }
    char *there = task_shared_room(room, 16);
    task_run_with(m, there);
    heap_free(there);
}

/* ---- deferred tasks ---- */

struct task *task_allocate(size_t room)
{
    struct task *t = malloc(sizeof *t + room);
    if (!t)
        start_fail("omp task: no memory");
    *t = (struct task){ .origin = -1, .sent_to = -1, .top_lane = -1 };
    return t;
}

/* Objects stay where the copy function constructed them. */
struct task *task_make(const struct task_new *m, struct team_region *r)
{
    size_t bytes = m->part && m->bytes < sizeof *m->part ? sizeof *m->part : m->bytes;
    bool placed = m->copy || m->in_place || m->align > 16;
    struct task *t = task_allocate(placed ? 0 : bytes);
    t->fn = m->fn;
    t->bytes = bytes;
    t->align = m->align;
    t->final = r->final || m->final;
    t->event = m->event;
    t->stays = m->event || !r->of_job;
    t->region = r->of_job ? NULL : r;
    t->placed = placed;
    t->copied = m->copy || m->in_place;
    t->settings = r->settings;
    t->group = r->group;
    t->top_lane = r->top_lane;
    t->top_ref = r->top_ref;
    if (m->in_place) {
        t->data = m->data;
        return t;
    }
    t->data = placed ? task_shared_room(bytes, m->align) : t->room;
    task_copy_to(m, t->data);
    return t;
}

void task_place(struct task *t)
{
    void *room = task_shared_room(t->bytes, t->align);
    __builtin_memcpy(room, t->data, t->bytes);
    t->data = room;
    t->placed = true;
}

void task_call(struct task *t)
{
    if (!t->placed && t->bytes <= ON_STACK) {
        void *mine = __builtin_alloca(t->bytes); /* aligned to 16 bytes */
        __builtin_memcpy(mine, t->data, t->bytes);
        t->fn(mine);
        return;
    }
    if (!t->placed)
        task_place(t);
    t->fn(t->data);
}

void task_free(struct task *t)
{
    if (t->placed && t->data)
        heap_free(t->data);
    free(t);
}
