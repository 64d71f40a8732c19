/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_plan.h - the atomic words and the shared memory of the team. Node 0 creates them; all nodes
 * know them from the start. */
#ifndef COMPAT_TEAM_PLAN_H
#define COMPAT_TEAM_PLAN_H

#include <hlrc.h>

#define CONSTRUCTS 1024u /* between two barriers; each has two atomic words */
#define TEAM_ROOM  512

/* In shared memory: what a thread shows to its team (gomp_team.c). */
struct team_plan_shown {
    void *what;
    int by;
};

struct team_plan {
    struct team_plan_shown *shown;
    void *tls;          /* NULL: the program has no thread-local variables to show; tls.h */
    char *room;         /* TEAM_ROOM bytes of shared memory; struct team_watcher */
    hlrc_atomic_t last; /* number of the collective that ends a region */
    hlrc_atomic_t ended[3];
    hlrc_atomic_t nested;       /* threads of nested teams, if there is a limit; team_nest.c */
    hlrc_atomic_t *progress[2]; /* per thread, in shared memory; doacross.h */
    hlrc_atomic_t words[2][CONSTRUCTS][2];
};
extern struct team_plan team_plan __attribute__((visibility("hidden")));

void team_plan_begin(int lanes);       /* on every node */
void team_plan_grow(int from, int to); /* in a job of one process: for threads from..to-1 */

#endif
