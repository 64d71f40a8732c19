/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - groups of tasks. A task is run by the lane that makes it, and so are those that it
 * makes itself: a group is one lane's, and one region's. */
#ifndef COMPAT_GROUP_H
#define COMPAT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct region;
struct group {
    struct group *outer; /* of the same region */
    bool cancelled;
    bool worksharing;      /* that of a construct with reductions */
    uintptr_t *reductions; /* reduction.h, those of groups around it too */
};

void group_begin(struct region *r);
void group_end(struct region *r);
/* Those within `outer` end, which is one of the region's groups, or NULL: all of them. */
void groups_end(struct region *r, const struct group *outer);

/* The innermost one that is the program's. */
bool group_is_cancelled(const struct region *r);
void group_cancel(struct region *r);

#endif
