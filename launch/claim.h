/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_CLAIM_H
#define HLRC_CLAIM_H

/*
 * Which cores the jobs that run on this machine are bound to, so that the next one takes others.
 *
 *   CL1  A claim is the name of a socket, in the kernel's own name space for them: nothing that
 *        could be left behind, and gone with the hlrcrun that holds it. All users of a network
 *        namespace see it.
 *   CL2  A core may be claimed several times, by as many names. A job claims what is claimed least:
 *        first what nobody has, then what one job has, and so on, until it has enough.
 *   CL3  Two jobs that begin at the same time choose one after the other, by a name that one of
 *        them has. Who cannot have it within CLAIM_WAIT_MS goes on without: claims are a courtesy,
 *        and nothing depends on them.
 */

#include <stdbool.h>

#include "launch/topology.h"

enum { CLAIM_LEVELS = 8, CLAIM_WAIT_MS = 1000 };

struct claims {
    bool free[CORES_MAX]; /* by core of the topology: is among those that are claimed least */
    int count;            /* of them */
    int fd[CORES_MAX];    /* -1: not claimed */
    int lock;             /* CL3; -1: not held */
};

/* claims_find - claims the cores that are claimed least, at least `wanted` if there are so many;
 * others wait until claims_keep() */
void claims_find(struct claims *claims, const struct topology *topology, int wanted);

/* claims_keep - those of `used`, by core; the others are given back */
void claims_keep(struct claims *claims, const struct topology *topology, const bool *used);

#endif
