/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_CLAIM_H
#define HLRC_CLAIM_H

/*
 * Cores claimed by the jobs that run on this machine, so that the next job takes others.
 *
 *   - A claim is an abstract socket name. The kernel frees it when the hlrcrun that holds it ends,
 *     so no stale claim remains. All users of a network namespace see it.
 *   - A core may be claimed several times, under a different name each time. A job claims the least
 *     claimed cores: first unclaimed ones, then cores of one job, and so on, until it has enough.
 *   - Jobs that start at the same time choose one after the other, serialized by a name that only
 *     one of them can hold. A job that cannot take it within CLAIM_WAIT_MS continues without it. If
 *     another user but root holds it, it continues at once, since anyone can bind an abstract name.
 *     Claims are a courtesy, and nothing depends on them.
 */

#include <stdbool.h>

#include "launch/topology.h"

enum { CLAIM_LEVELS = 8, CLAIM_WAIT_MS = 1000 };

struct claim_list {
    bool free[CORES_MAX]; /* by core of the topology: among the least claimed */
    int count;            /* of cores that are free */
    int fd[CORES_MAX];    /* -1: not claimed */
    int lock;             /* -1: not held */
};

/* claim_find - claims the least claimed cores, at least `wanted` if there are that many; other
 * jobs wait until claim_keep() */
void claim_find(struct claim_list *claims, const struct topology *topology, int wanted);

/* claim_keep - keeps the claims on `used`, by core, and releases the others */
void claim_keep(struct claim_list *claims, const struct topology *topology, const bool *used);

#endif
