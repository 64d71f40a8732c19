/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fiber.h - a thread of a simulated program. It runs until it waits for an event, and later
 * continues from there. Only one runs at a time; the order of events decides which.
 *
 *   - A fiber runs only between fiber_run and its fiber_wait, or its end; both return to the event
 *     that called fiber_run.
 */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct fiber;

/* fiber_new - will run FN(ARG) on its own stack, from the first fiber_run on */
struct fiber *fiber_new(void (*fn)(void *), void *arg, size_t stack_bytes);
void fiber_free(struct fiber *f);

/* fiber_run - runs it until it waits or ends; false if it has ended. ASSUMPTION: no fiber runs. */
bool fiber_run(struct fiber *f);

/* fiber_wait - called by the running fiber: returns to its fiber_run */
void fiber_wait(void);

#endif
