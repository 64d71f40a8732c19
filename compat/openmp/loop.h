/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loop.h - which iterations of a loop a thread gets; they are numbered from 0. */
#ifndef COMPAT_LOOP_H
#define COMPAT_LOOP_H

#include <stdbool.h>

#include "compat/openmp/team.h"

typedef unsigned long long ull;

/* Number of iterations. `down`: from start down to end; incr is added modulo 2^64. */
ull loop_count(ull start, ull end, ull incr, bool down, bool is_signed);

/* A loop that has not begun. SCHEDULE_AUTO and chunk 0 mean static. */
void loop_init(struct loop *l, enum team_schedule schedule, bool ordered, ull start, ull end,
               ull incr, bool down, bool is_signed, ull chunk);
/* The schedule of omp_set_schedule and OMP_SCHEDULE. */
void loop_runtime(enum team_schedule *schedule, ull *chunk);

/* The thread of the team that executes an iteration of a static loop. */
int loop_owner(const struct loop *l, ull number);

/* The calling thread begins the loop: takes a construct of its team. */
void loop_begin(const struct loop *l);
/* The next chunk of the current loop: its first value and the first beyond it. */
bool loop_next(ull *first, ull *beyond);
/* The same as iteration numbers. */
bool loop_next_numbers(ull *low, ull *high);

/* Waits for the turn of the thread's chunk (loops with `ordered`). */
void loop_await_turn(void);
/* The thread's chunk is over: passes the turn to the next. */
void loop_end_turn(void);

#endif
