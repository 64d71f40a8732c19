/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_run.h - work that a thread runs as a member of a team. */
#ifndef COMPAT_TEAM_RUN_H
#define COMPAT_TEAM_RUN_H

#include <stdint.h>

struct loop;
struct team_region;

struct team_work {
    void (*fn)(void *);
    void *data;
    const struct loop *first;
    uintptr_t *reductions;
    void (*code)(void *); /* of the program: fn, or what fn calls; tells regions apart */
};

/* As thread `thread` of a team of one, or of a nested one, which is in `outer`. */
void team_run_inside(const struct team_work *w, struct team_region *outer, int thread, int threads);

#endif
