/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* group.h - groups of tasks. A task is run by the lane that makes it, and so are those that it
 * makes itself: a group is one lane's, and one region's. */
#ifndef COMPAT_GROUP_H
#define COMPAT_GROUP_H

#include <stdbool.h>

struct region;
struct group {
    struct group *outer; /* of the same region */
    bool cancelled;
};

void group_begin(struct region *r);
void group_end(struct region *r);
/* Those within `outer` end, which is one of the region's groups, or NULL: all of them. */
void groups_end(struct region *r, const struct group *outer);

/* The innermost one. */
bool group_is_cancelled(const struct region *r);
void group_cancel(struct region *r);

#endif
