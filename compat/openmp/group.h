/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - taskgroups. A group belongs to one thread and one region. A thread that receives tasks
 * of it has its own group around them (crew.h TK4). */
#ifndef COMPAT_GROUP_H
#define COMPAT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct region;
struct parcel;
struct group {
    struct group *outer; /* of the same region */
    bool cancelled;
    bool worksharing;      /* of a construct with reductions */
    unsigned pending;      /* incomplete tasks created in it here */
    uintptr_t *reductions; /* reduction.h; with enclosing groups */
    struct parcel *parcel; /* exchange.h; NULL: a group of the program */
};

void group_begin(struct region *r);
/* Leaves the innermost group, whose tasks are all complete. */
void group_drop(struct region *r);

/* The program's innermost group. */
bool group_is_cancelled(const struct region *r);
void group_cancel(struct region *r);

#endif
