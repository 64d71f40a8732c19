/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_place.h - where the calling thread is in its team: the set of atomic words that it uses, and
 * the collectives that it has passed. team.h has the invariants. */
#ifndef COMPAT_TEAM_PLACE_H
#define COMPAT_TEAM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/team_plan.h"

struct team_region;
struct team_nest;

/* Per thread. A thread that begins a nested team keeps the one that it had until the end of the
 * region. */
struct team_place {
    struct team_nest *nest; /* NULL: the job's team */
    int number;             /* of the thread in a nested team */
    unsigned set;           /* of words */
    bool in_doacross;       /* since the last barrier */
    uint64_t collectives;   /* so far; equal in all threads of the team */
    unsigned ended;         /* by collective `collectives`, as thread 0 knows */
};
extern _Thread_local struct team_place team_place __attribute__((visibility("hidden")));

/* The team's threads have met. */
void team_place_met(struct team_region *r);
/* A barrier of the team of region r. */
void team_place_barrier(void *r);

/* Number of the collective that ends the job's team's region. */
struct team_word team_last(void);

/* What a thread shows to the team. */
struct team_plan_shown *team_shown(void);

#endif
