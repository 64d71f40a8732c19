/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* taskgroup.h - taskgroups. A group belongs to one thread and one region. A thread that receives
 * tasks of it has its own group around them (scheduler.h). */
#ifndef COMPAT_TASKGROUP_H
#define COMPAT_TASKGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct team_region;
struct task_batch;
struct taskgroup {
    struct taskgroup *outer; /* of the same region */
    bool cancelled;
    bool worksharing;         /* of a construct with reductions */
    unsigned pending;         /* incomplete tasks created in it here */
    uintptr_t *reductions;    /* reduction.h; with enclosing groups */
    struct task_batch *batch; /* steal.h; NULL: a group of the program */
};

void taskgroup_begin(struct team_region *r);
/* Leaves the innermost group, whose tasks are all complete. */
void taskgroup_drop(struct team_region *r);

/* The program's innermost group; the innermost of the program from `inner` on, which may be
 * NULL. */
bool taskgroup_is_cancelled(const struct team_region *r);
void taskgroup_cancel(struct taskgroup *inner);

#endif
