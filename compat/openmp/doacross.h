/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * doacross.h - loops whose iterations wait for some before them: ordered(n) and its depend clauses.
 *
 * Invariants
 *   DA1  Each thread has an atomic word, which says up to where it has come: the number of the
 *        construct and of the iteration, counted through all loops of the nest. Threads execute
 *        what they have in that order, so the word grows; who waits knows whose iteration it is,
 *        since all such loops are dealt out in turn, whatever their schedule, which OpenMP leaves
 *        open.
 *   DA2  What an iteration has written is published by a lock before its thread's word says that it
 *        is over; who has seen the word takes the same lock.
 *   DA3  There are two words for each thread, used between barriers in turn, as those of TM3. A
 *        thread sets its own to 0.
 */
#ifndef COMPAT_DOACROSS_H
#define COMPAT_DOACROSS_H

#include "compat/openmp/loop.h"

#define DOACROSS_DIMS 16 /* loops in a nest, at most */

/* The calling lane begins one of `dims` loops, of which each has so many iterations. */
void doacross_begin(unsigned dims, const ull *counts, enum schedule schedule, ull chunk);
/* Of the nest that the lane is in; 0: nobody waits. */
unsigned doacross_dims(void);

/* Of the iteration whose number in each loop is given. */
void doacross_post(const ull *at);
void doacross_wait(const ull *at);

#endif
