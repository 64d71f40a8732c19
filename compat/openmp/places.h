/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * places.h - OMP_PLACES and OMP_PROC_BIND: which processors a node's threads are bound to.
 *
 * A node's places consist of processors that it may use (hlrcrun --bind), and are numbered from 0
 * on each node. A thread is bound once, when it starts; without these variables it is not.
 */
#ifndef COMPAT_PLACES_H
#define COMPAT_PLACES_H

#include <sched.h>
#include <stdbool.h>

/* Values as in omp.h. */
enum places_bind { BIND_NONE, BIND_TRUE, BIND_PRIMARY, BIND_CLOSE, BIND_SPREAD };

/* Reads the variables, for the calling process and its `threads` threads. */
void places_read(int threads);
void places_grow(int threads); /* it has more now */
/* The calling thread's number among them, or that of the thread whose place it has; -1: none. */
int places_mine(void);
/* The calling thread was started by that one (team_nest.h). */
void places_inherit(int thread);
/* Binds the calling thread, `lane` of the job. */
void places_bind(int lane);

/* The policy of regions at nesting depth `level`. */
enum places_bind places_policy(int level);

int places_count(void);
const cpu_set_t *places_at(int place); /* NULL: no such place */
/* For a thread of this node: the place that it is bound to, or -1; the places that it may use. */
int places_of(int thread);
int places_partition(int thread, int *first);
/* The processors that a thread of this node may use, bound or not. */
const cpu_set_t *places_set(int thread);

/* Number of processors that the node's threads may use. */
int places_processors(void);

#endif
