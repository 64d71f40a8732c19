/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* limits.h - see limits.c. */
#ifndef COMPAT_LIMITS_H
#define COMPAT_LIMITS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the stack that a thread would have without HLRC. `attr` may be NULL. */
size_t limits_stack_bytes(const pthread_attr_t *attr);
/* False: without HLRC there would be no address space for another thread. Under LOCK_THREADS. */
bool limits_allow(size_t stack_bytes);

/* True if the system may refuse threads of that node. Under LOCK_THREADS. */
bool limits_are_near(int node);
/* By a node's agent, before it starts a thread: sets what limits_are_near returns for its node, and
 * the program's limit in its process. Under LOCK_THREADS. */
void limits_observe(void);

#endif
