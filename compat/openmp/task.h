/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task.h - a single task: its description by gcc, its variables, and the call of its code. */
#ifndef COMPAT_TASK_H
#define COMPAT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/team.h"

struct task_family;
struct taskgroup;
struct depend_dependence;

/* A task as the program creates it. `copy` makes the task's variables from those at `data`; NULL:
 * bytes are copied. The first words of a taskloop's task are its bounds, at `part`; else NULL. */
struct task_new {
    gomp_fn *fn;
    void *data;
    void (*copy)(void *, void *);
    size_t bytes, align;
    const struct task_part *part;
    bool final;
    uintptr_t event; /* detach.h; 0: none */
    bool in_place;   /* the variables are at `data`, in shared memory, which the task frees */
};

struct task_part {
    ull start, end;
};

/* Number of tasks of a taskloop; iterations of the first `more` tasks and of the others. */
struct task_partition {
    ull tasks, first, rest, more;
};
/* count > 0. `asked`: of tasks, or iterations of each if `by_grains`; 0: neither. */
struct task_partition task_divide(ull count, ull asked, bool by_grains, bool strict);

/* A deferred task. */
struct task {
    gomp_fn *fn;
    void *data; /* its variables: in shared memory, where they stay, or in `room` */
    size_t bytes, align;
    bool final, placed; /* placed: in shared memory */
    bool copied;        /* its variables are objects, which its code destroys */
    struct settings settings;
    struct task_family *family; /* of its creator; NULL: created by another thread */
    struct taskgroup *group;    /* the innermost at its creation */
    struct depend_dependence *dependence;
    int origin; /* thread that created it, which knows it as `ref`; -1: this one */
    uint64_t ref;
    bool alone; /* mailbox.h */
    bool done;
    bool stays;                 /* run by its creator */
    uintptr_t event;            /* detach.h */
    struct team_region *region; /* of one thread, that waits for it; otherwise NULL */
    int sent_to;                /* thread that it was sent to, or -1 */
    struct task *next, *prev;   /* in the list of sent tasks, or of those that stay */
    int top_lane;               /* thread that sent an ancestor of this task; -1: none */
    uint64_t top_ref;           /* the ancestor's ref there */
    _Alignas(16) char room[];
};

/* Calls its code now. */
void task_call_new(const struct task_new *m);
/* Makes it a deferred task. */
struct task *task_make(const struct task_new *m, struct team_region *r);
struct task *task_allocate(size_t room);
/* Calls its code. */
void task_call(struct task *t);
/* Also frees its shared memory. */
void task_free(struct task *t);
/* Moves its variables to shared memory, so that any thread may run it. */
void task_place(struct task *t);

#endif
