/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locality.h - whether two nodes can map each other's memory.
 *
 * A hostname does not decide it: containers of one machine have different ones, and machines may
 * have equal ones. Two nodes share memory if one kernel runs both (boot id) and one user owns
 * both. They must see the same processes, since they open each other's memory objects through
 * /proc. They must see the same shared-memory objects: a container with its own /dev/shm counts as
 * its own machine.
 */
#ifndef FABRIC_LOCALITY_H
#define FABRIC_LOCALITY_H

#include <stdint.h>

#include "fabric/fabric.h"

struct locality {
    char boot_id[40];
    uint64_t pid_namespace, ipc_namespace; /* identities within this kernel; 0 unknown */
    uint64_t shm_device;                   /* of /dev/shm; 0 if there is none */
    uint32_t user, unused;
    char host[64]; /* for messages only */
};

/* The locality of this process. */
void locality_here(struct locality *out);

/* NULL if the two can share memory, else the reason: "..., they run on different machines". */
const char *locality_apart(const struct locality *a, const struct locality *b);

/*
 * Whether all nodes of the job can share memory. Collective. 0; -EXDEV after node 0 has reported
 * through job->fail (if set) which two cannot, why, and the remedy; an error of the exchange.
 */
int locality_all_together(const struct fabric_job *job);

/* How many nodes of the job, including this one, run under this kernel and so share its cores, in
 * any namespaces. Collective. 0 and *count, or an error of the exchange. */
int locality_neighbours(const struct fabric_job *job, int *count);

/* near[node]: whether this node can share memory with it; true for itself. Collective. 0 or an
 * error of the exchange. */
int locality_near(const struct fabric_job *job, bool *near);

#endif
