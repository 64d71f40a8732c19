/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task.h - a task by itself: what gcc passes for one, its variables, and its code being run. */
#ifndef COMPAT_TASK_H
#define COMPAT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/team.h"

struct family;
struct group;
struct dependence;

/* A task as it is met. The variables at `data` become those of the task by `copy`, NULL: bytes. One
 * of a loop of tasks has its bounds in the first words of them, which are at `part`, else NULL. */
struct met {
    gomp_fn *fn;
    void *data;
    void (*copy)(void *, void *);
    size_t bytes, align;
    const struct part *part;
    bool final;
};

struct part {
    ull start, end;
};

/* One that is run later. */
struct task {
    gomp_fn *fn;
    void *data; /* in shared memory, where they stay, or in `room` */
    size_t bytes, align;
    bool final, placed; /* placed: the former */
    struct settings settings;
    struct family *family; /* of who has made it; NULL: it is from another lane */
    struct group *group;   /* the innermost when it was made */
    struct dependence *dependence;
    int origin; /* from that lane, there known as `ref`; -1: made here */
    uint64_t ref;
    bool alone; /* box.h */
    bool done;
    int given_to;             /* that lane, or -1 */
    struct task *next, *prev; /* of those given away */
    int top_lane;     /* it comes from what this one has given to the caller, -1: from none, */
    uint64_t top_ref; /* as this */
    _Alignas(16) char room[];
};

/* Calls its code now. */
void task_call_met(const struct met *m);
/* Makes it one that is run later. */
struct task *task_make(const struct met *m, const struct region *r);
struct task *task_allocate(size_t room);
/* Calls its code. */
void task_call(struct task *t);
/* And what it has in shared memory. */
void task_free(struct task *t);
/* Its variables in shared memory, from where any lane may run it. */
void task_place(struct task *t);

#endif
