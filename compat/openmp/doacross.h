/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * doacross.h - loops with cross-iteration dependences: ordered(n) and its depend clauses.
 *
 * Invariants
 *   - Each thread has an atomic word with its progress: the number of the construct and the
 *     linearised number of the iteration in the nest. A thread executes its iterations in that
 *     order, so the word grows. These loops are scheduled statically, whatever their schedule
 *     clause, which OpenMP permits; so a waiter knows which thread has an iteration.
 *   - A thread publishes an iteration's writes through a lock before it raises its word. A waiter
 *     takes the same lock after it has seen the word.
 *   - Each thread has two words, used alternately between barriers, as the sets of words in team.h.
 *     A thread zeroes its own.
 */
#ifndef COMPAT_DOACROSS_H
#define COMPAT_DOACROSS_H

#include "compat/openmp/loop.h"

/* The calling thread begins a nest of `dims` loops with `counts` iterations each. */
void doacross_begin(unsigned dims, const ull *counts, enum team_schedule schedule, ull chunk);
/* Loops in the current nest; 0: no thread waits. */
unsigned doacross_dims(void);

/* `at`: the iteration's number in each loop. */
void doacross_post(const ull *at);
void doacross_wait(const ull *at);

#endif
