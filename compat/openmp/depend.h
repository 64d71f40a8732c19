/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * depend.h - which tasks of the same parent wait for which (depend). All of them are made by one
 * lane, which hears of the end of each, so all of this is that lane's own.
 *
 * What a task depends on is an address, where it reads or writes; mutexinoutset is taken as inout,
 * so such tasks run one after the other, in their order.
 *
 * Invariants
 *   DE1  A task that writes at an address waits for the last one before it that does, and for all
 *        behind that one which read there; one that reads waits for the last that writes.
 *   DE2  A task is ready when all that it waits for are done, which is told once.
 *   DE3  After depend_mark, depend_leads gives the same answer for a task however often it is
 *        called and in whatever order. A visited task keeps its answer, true or false, until the
 *        next mark.
 */
#ifndef COMPAT_DEPEND_H
#define COMPAT_DEPEND_H

#include <stdbool.h>

struct depends;    /* of the children of one task, or NULL: none so far */
struct dependence; /* one of these, as long as others or its task have to know of it */

/* Whether what one with these dependences, as gcc passes them, would wait for is not all done. */
bool depend_waits(const struct depends *d, void **depend);
/* Marks those that it would wait for; then whether a child is one, or one of them waits for it. */
void depend_mark(const struct depends *d, void **depend);
bool depend_leads(struct dependence *one);
/* The next child, `task`; *waits: it is not ready. */
struct dependence *depend_add(struct depends **d, void **depend, void *task, bool *waits);
/* Its task is done; those that are ready now. */
void depend_done(struct dependence *one, void (*ready)(void *task));
void depends_free(struct depends *d);

#endif
