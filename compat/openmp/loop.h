/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loop.h - which iterations of a loop a thread gets, in numbers from 0. */
#ifndef COMPAT_LOOP_H
#define COMPAT_LOOP_H

#include <stdbool.h>

#include "compat/openmp/team.h"

typedef unsigned long long ull;

/* How many iterations. `down`: from start down to end, incr being what is added, modulo 2^64. */
ull loop_count(ull start, ull end, ull incr, bool down, bool is_signed);

/* A loop that has not begun. SCHEDULE_AUTO, and chunk 0, are static ones. */
void loop_init(struct loop *l, enum schedule schedule, bool ordered, ull start, ull end, ull incr,
               bool down, bool is_signed, ull chunk);
/* As omp_set_schedule and OMP_SCHEDULE say. */
void loop_runtime(enum schedule *schedule, ull *chunk);

/* Which thread of the team executes an iteration of a static loop. */
int loop_owner(const struct loop *l, ull number);

/* The calling lane begins it: takes a construct of its team. */
void loop_begin(const struct loop *l);
/* The next chunk of the loop that the lane is in: its first and the first beyond it. */
bool loop_next(ull *first, ull *beyond);
/* The same in numbers of iterations. */
bool loop_next_numbers(ull *low, ull *high);

/* The ordered region of the chunk that the lane has (loops with `ordered`): waits for its turn. */
void loop_await_turn(void);
/* The chunk that the lane has is over: the next has its turn behind it. */
void loop_end_turn(void);

#endif
