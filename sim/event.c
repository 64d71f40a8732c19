/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/event.h"

#include "sim/fail.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#define CHILDREN   4
#define LOOK_EVERY 65536 /* events */

void event_loop_init(struct event_loop *loop)
{
    *loop = (struct event_loop){ 0 };
}

void event_loop_free(struct event_loop *loop)
{
    free(loop->heap);
    event_loop_init(loop);
}

static bool event_before(const struct event *a, const struct event *b)
{
    return a->when < b->when || (a->when == b->when && a->number < b->number);
}

static void event_grow(struct event_loop *loop)
{
    size_t room = loop->room == 0 ? 256 : loop->room * 2;

    loop->heap = fail_realloc(loop->heap, room, sizeof *loop->heap);
    loop->room = room;
}

void event_at(struct event_loop *loop, sim_time when, event_fn fn, void *self, uint64_t arg)
{
    struct event e = { when, loop->asked++, fn, self, arg };

    assert(when >= loop->now);
    if (loop->waiting == loop->room)
        event_grow(loop);
    size_t at = loop->waiting++;
    while (at > 0) {
        size_t parent = (at - 1) / CHILDREN;

        if (!event_before(&e, &loop->heap[parent]))
            break;
        loop->heap[at] = loop->heap[parent];
        at = parent;
    }
    loop->heap[at] = e;
}

static size_t event_first_child(const struct event_loop *loop, size_t at)
{
    size_t first = at * CHILDREN + 1, end = first + CHILDREN;

    if (end > loop->waiting)
        end = loop->waiting;
    for (size_t i = first + 1; i < end; i++)
        if (event_before(&loop->heap[i], &loop->heap[first]))
            first = i;
    return first;
}

/* Removes and returns the first event; the last one sinks from the top to its position. */
static struct event event_take(struct event_loop *loop)
{
    struct event first = loop->heap[0], last = loop->heap[--loop->waiting];
    size_t at = 0;

    while (at * CHILDREN + 1 < loop->waiting) {
        size_t child = event_first_child(loop, at);

        if (!event_before(&loop->heap[child], &last))
            break;
        loop->heap[at] = loop->heap[child];
        at = child;
    }
    loop->heap[at] = last;
    return first;
}

void event_loop_run(struct event_loop *loop)
{
    while (loop->waiting > 0) {
        struct event e = event_take(loop);

        loop->now = e.when;
        loop->done++;
        e.fn(e.self, e.arg);
        if (loop->done % LOOK_EVERY == 0 && loop->look != NULL)
            loop->look(loop->look_self);
    }
}
