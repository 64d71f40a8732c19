/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * depend.h - dependences (depend clauses) between tasks of the same parent. One thread creates all
 * of them and gets all reports, so this state is private to it.
 *
 * A dependence is an address that the task reads or writes. mutexinoutset is treated as inout:
 * such tasks run one after the other, in order of creation.
 *
 * Invariants
 *   - A task that writes at an address waits for the last writer before it and for all readers
 *     since that one. A task that reads waits for the last writer.
 *   - A task is ready when all tasks that it waits for are done; `ready` is called once.
 *   - After depend_mark, depend_leads gives the same answer for a task, whatever the number and
 *     order of calls. A visited task keeps its answer, true or false, until the next mark.
 */
#ifndef COMPAT_DEPEND_H
#define COMPAT_DEPEND_H

#include <stdbool.h>

struct depend_set;        /* of the children of one task; NULL: none so far */
struct depend_dependence; /* of one task; lives while the task or others refer to it */

/* Would a task with these dependences (as gcc passes them) have to wait? */
bool depend_waits(const struct depend_set *d, void **depend);
/* Marks the tasks that it would wait for; then: is this child one, or does one of them wait for
 * it? */
void depend_mark(const struct depend_set *d, void **depend);
bool depend_leads(struct depend_dependence *one);
/* Adds the next child, `task`; *waits: it is not ready. */
struct depend_dependence *depend_add(struct depend_set **d, void **depend, void *task, bool *waits);
/* The task is done; calls `ready` for tasks that now are. */
void depend_done(struct depend_dependence *one, void (*ready)(void *task));
void depend_free(struct depend_set *d);

#endif
