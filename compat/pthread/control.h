/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * control.h - placement control of POSIX threads.
 *
 * If all nodes run on one host, other nodes add no processors, and sharing pages with them costs
 * time. Then the program is gathered on node 0, with the processors of all nodes: its threads,
 * mutexes and so on, and its heap, are the C library's.
 *
 * Invariants
 *   - Spread or gathered is chosen once, before the program begins. So a thread or an object has
 *     one format from its creation to its end.
 *   - The program is gathered only if node 0 may have as many threads as the job.
 *   - While gathered, no other node writes the program's memory. So a page that a thread has
 *     accessed stays accessible to the kernel, which reads words of the C library's objects, unless
 *     it is evicted [copies.evict-clean].
 */
#ifndef COMPAT_CONTROL_H
#define COMPAT_CONTROL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/start/start.h"

extern bool control_gathered __attribute__((visibility("hidden")));

/* Does this library serve the calls on threads and objects? Otherwise the C library does. */
static inline bool control_is_spread(void)
{
    return start_sharing && !control_gathered;
}

/* Collective, after table_begin. `per_node`: most threads of a node. */
void control_begin(unsigned per_node);

/* The line of --stats, at the end; `spread`: threads that all nodes have started. */
void control_report(uint32_t spread);

/* The rest: only while gathered. */
void control_enter(void); /* by main */
int control_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
bool control_is_amid(void); /* other threads than the calling one run the program */

#endif
