/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* detach.c - see detach.h. */
#include "compat/openmp/detach.h"

#include <hlrc.h>
#include <sched.h>

#include "compat/openmp/locks.h"
#include "compat/openmp/task.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* gomp.h */

static _Thread_local struct task *kept;

static hlrc_atomic_t detach_word(uintptr_t event)
{
    return (hlrc_atomic_t){ (uint32_t)(event - 1) };
}

static void detach_create_now(void *event)
{
    hlrc_atomic_t word;
    if (hlrc_atomic_create(&word, 0) != 0)
        start_fail("omp task detach: no more atomic words for events");
    *(uintptr_t *)event = (uintptr_t)word.id + 1;
}

uintptr_t detach_create(void)
{
    uintptr_t event;
    lane_call(detach_create_now, &event);
    return event;
}

/* Destroys the event if it is fulfilled, and clears *event. */
static void detach_end(void *event)
{
    uintptr_t *e = event;
    if (!hlrc_atomic_load(detach_word(*e)))
        return;
    locks_pass(LOCK_ORDERED);
    hlrc_atomic_destroy(detach_word(*e));
    *e = 0;
}

void detach_await(uintptr_t event)
{
    for (lane_call(detach_end, &event); event; lane_call(detach_end, &event))
        sched_yield();
}

void detach_keep(struct task *t)
{
    t->next = kept;
    kept = t;
}

bool detach_has_kept(void)
{
    return kept != NULL;
}

void detach_poll(void (*complete)(struct task *t))
{
    for (struct task **at = &kept; *at;) {
        struct task *t = *at;
        lane_call(detach_end, &t->event);
        if (t->event) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        complete(t);
    }
}

static void detach_fulfill(void *event)
{
    locks_pass(LOCK_ORDERED);
    if (hlrc_atomic_exchange(detach_word(*(uintptr_t *)event), 1) != 0)
        start_fail("omp_fulfill_event: event %ju is fulfilled already", *(uintmax_t *)event);
}

void omp_fulfill_event(uintptr_t event)
{
    if (event == 0 || event > UINT32_MAX)
        start_fail("omp_fulfill_event: %#jx is no event; use the variable of a detach clause",
                   (uintmax_t)event);
    lane_call(detach_fulfill, &event);
}
extern __typeof__(omp_fulfill_event) omp_fulfill_event_ __attribute__((alias("omp_fulfill_event")));
