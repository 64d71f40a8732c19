/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - groups of tasks. A group is one lane's, and one region's. A lane that is given tasks of
 * it has a group of its own around them (crew.h TK4). */
#ifndef COMPAT_GROUP_H
#define COMPAT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct region;
struct parcel;
struct group {
    struct group *outer; /* of the same region */
    bool cancelled;
    bool worksharing;      /* that of a construct with reductions */
    unsigned pending;      /* tasks that were made in it here, and are not gone */
    uintptr_t *reductions; /* reduction.h, those of groups around it too */
    struct parcel *parcel; /* exchange.h; NULL: the program's */
};

void group_begin(struct region *r);
/* The innermost, of which no task is left. */
void group_drop(struct region *r);

/* The innermost one that is the program's. */
bool group_is_cancelled(const struct region *r);
void group_cancel(struct region *r);

#endif
