/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_grow.h - further threads of a job of one process, for a region that asks for more than there
 * are. They stay. */
#ifndef COMPAT_TEAM_GROW_H
#define COMPAT_TEAM_GROW_H

#include <stdbool.h>

struct lane;

/* Most threads that a region gets, of `lanes` that there are. */
int team_grow_most(int lanes);
/* Starts threads from..to-1, which run `serve`, while the others wait for a fork. `grow`: the task
 * scheduler's, or NULL; returns its answer. */
bool team_grow(int from, int to, bool (*grow)(int lanes), void (*serve)(struct lane *lane));
/* They have returned from it. */
void team_grow_end(void);

#endif
