/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * places.h - OMP_PLACES and OMP_PROC_BIND: which processors a node's threads are bound to.
 *
 * A node's places are made of the processors that it may use (hlrcrun --bind), and numbered from 0
 * on each node. A thread is bound once, when it starts; without these variables it is not.
 */
#ifndef COMPAT_PLACES_H
#define COMPAT_PLACES_H

#include <sched.h>
#include <stdbool.h>

/* In the numbers of omp.h. */
enum bind { BIND_NONE, BIND_TRUE, BIND_PRIMARY, BIND_CLOSE, BIND_SPREAD };

/* Reads the variables, for the calling process and so many threads of it. */
void places_read(int threads);
/* The calling thread, number `thread` of the node. */
void places_bind(int thread);

/* Of regions that begin `level` regions deep. */
enum bind places_policy(int level);

int places_count(void);
const cpu_set_t *places_at(int place); /* NULL: no such place */
/* Of a thread of this node: the place that it is bound to, or -1; those that it may choose from. */
int places_of(int thread);
int places_partition(int thread, int *first);
/* The processors that a thread of this node may use, bound or not. */
const cpu_set_t *places_set(int thread);

/* Processors that all threads of the node have together. */
int places_processors(void);

#endif
