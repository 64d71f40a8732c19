/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team_plan.h - the atomic words and the shared memory of the team. Node 0 creates them; all nodes
 * know them from the start.
 *
 * Invariant
 *   [words.here] Which words a node uses changes only between regions, while all words of both
 *   kinds are zero: after a barrier of all threads that follows the region's end (gather.h).
 */
#ifndef COMPAT_TEAM_PLAN_H
#define COMPAT_TEAM_PLAN_H

#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CONSTRUCTS 1024u /* between two barriers; each has two atomic words */
#define TEAM_ROOM  512
#define TEAM_MOST  1024 /* threads: at most THREADS_MOST */

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

/* The same words in memory of this process, while all threads of the team run in it: an operation
 * is one instruction. In a job of one process there are no others. */
struct team_plan_here {
    bool are_used; /* [words.here] */
    _Atomic uint64_t last, ended[3], words[2][CONSTRUCTS][2];
    struct team_plan_progress {
        _Alignas(64) _Atomic uint64_t of_set[2];
    } progress[TEAM_MOST];
};
extern struct team_plan_here team_plan_here __attribute__((visibility("hidden")));

void team_plan_begin(int lanes); /* on every node */

#endif
