/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team_extra.h - with several nodes: threads of this node besides the numbered ones (start_extras),
 * for teams of team_nest.h. They have a shared stack each.
 *
 * Invariants
 *   - A thread that stays runs the same number of each team that it is in, so that its thread-local
 *     variables last from one region to the next. Only thread 0 of the job has such teams.
 */
#ifndef COMPAT_TEAM_EXTRA_H
#define COMPAT_TEAM_EXTRA_H

#include <stdbool.h>

struct team_extra;

/* All on the private stack. Runs fn(arg) on the shared stack of thread `number` of a team, which
 * has the place of thread `place` of the node; `stays`: the one that stays. */
struct team_extra *team_extra_run(int number, bool stays, int place, void (*fn)(void *), void *arg);
/* fn has returned. */
void team_extra_await(struct team_extra *e);

/* By thread 0 of the job, around a team with this number of threads that stay: returns how many
 * there will be. No nested team runs on this node at these moments. */
int team_extra_hold(int threads);
void team_extra_release(void);
/* Threads that stay, and are in no team. */
int team_extra_idle(void);
/* Ends these. */
void team_extra_end(void);

#endif
