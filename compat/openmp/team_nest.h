/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team_nest.h - teams of regions that are nested in a region of several threads, or begun by a
 * thread that the program created; with several nodes, also of regions that ask for more threads
 * than the job has, since a program may deal out its work by that number.
 *
 * As in libgomp the thread that meets the region is thread 0 of the team, and the others are
 * threads of their own, with thread-local variables of their own, that end with the region. All
 * are on the node of thread 0. In a job of one process they are no compute threads (lanes).
 * Otherwise they are lanes besides the numbered ones (team_extra.h), since other nodes may access
 * their stacks. The collectives of the job's team are not theirs. Their words are in the process.
 *
 * Invariants
 *   - A nested team has its own meeting and words, zeroed, so its threads and other teams' threads
 *     never wait for each other.
 *   - Its tasks stay with the thread that creates them, which runs them at once where it may.
 *   - Thread 0 joins the others before it continues, so the team's memory and the regions around it
 *     outlive them.
 */
#ifndef COMPAT_TEAM_NEST_H
#define COMPAT_TEAM_NEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/team_collect.h"
#include "compat/openmp/team_plan.h"

struct team_extra;
struct team_region;
struct team_work;

#define NEST_CONSTRUCTS 32u /* as CONSTRUCTS */

struct team_nest {
    const struct team_work *work;
    struct team_region *outer; /* of thread 0 */
    int threads;
    bool stays;     /* its threads do: team_extra.h */
    int lane_place; /* thread of the node of which the others have the place: places.h */
    struct team_meeting meeting;
    struct team_plan_shown shown;
    _Atomic uint64_t ended[3];
    _Atomic uint64_t words[2][NEST_CONSTRUCTS][2];
    struct team_nest_member {
        struct team_nest *nest;
        int number;
        pthread_t thread;
        struct team_extra *extra;     /* NULL: in a job of one process */
        _Atomic uint64_t progress[2]; /* doacross.h */
    } member[];
};

/* Is a region that the calling thread begins in region r one of a nested team? */
bool team_nest_is_for(const struct team_region *r);
/* Most threads of such a team, with several nodes. */
int team_nest_most(void);
/* Runs the work in a team of that many threads, fewer if there is a limit on threads. */
void team_nest_run(const struct team_work *w, struct team_region *outer, int threads);
/* The same with several nodes for a region of the job's thread 0 that asks for more threads than
 * the job has, and at most team_nest_most(). */
void team_nest_run_large(const struct team_work *w, struct team_region *outer, int threads);
/* Do threads of nested teams run? */
bool team_nest_is_amid(void);

#endif
