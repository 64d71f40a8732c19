/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fiber.h - a thread of a simulated program: it runs until it waits for an event, and goes on in
 * the midst of what it did. One at a time runs, and nothing but what they ask for decides which.
 *
 *   FI1  A fiber runs only between fiber_run and its fiber_wait, or its end; both return to the
 *        event that called fiber_run.
 */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct fiber;

/* fiber_new - will run FN(ARG) on a stack of its own, when fiber_run is called first */
struct fiber *fiber_new(void (*fn)(void *), void *arg, size_t stack_bytes);
void fiber_free(struct fiber *f);

/* fiber_run - until it waits or ends; false when it has ended. ASSUMPTION: no fiber runs. */
bool fiber_run(struct fiber *f);

/* fiber_wait - by the fiber that runs: back to who runs it */
void fiber_wait(void);

#endif
