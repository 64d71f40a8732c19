/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locality.h - whether two nodes can map each other's memory.
 *
 * A hostname proves nothing: containers of one machine have different ones, and machines may have
 * equal ones. Two nodes share memory when one kernel runs both (its boot id), when both see one set
 * of processes (through /proc they open each other's memory objects) and one set of shared-memory
 * objects (who gave a container its own /dev/shm meant a machine of its own), and when one user
 * owns both.
 */
#ifndef FABRIC_LOCALITY_H
#define FABRIC_LOCALITY_H

#include <stdint.h>

#include "fabric/fabric.h"

struct locality {
    char boot_id[40];
    uint64_t pid_namespace, ipc_namespace; /* identities within this kernel; 0 unknown */
    uint64_t shm_device;                   /* of /dev/shm; 0 where there is none */
    uint32_t user, unused;
    char host[64]; /* for messages only */
};

/* Where this process is. */
void locality_here(struct locality *out);

/* NULL when the two can share memory, else why not: "..., they run on different machines". */
const char *locality_apart(const struct locality *a, const struct locality *b);

/*
 * Whether all nodes of the job can share memory. Collective. 0; -EXDEV after node 0 has said
 * through job->fail (when there is one) which two cannot, why, and what to do; an error of the
 * exchange.
 */
int locality_all_together(const struct fabric_job *job);

/* How many nodes of the job, this one included, run under this kernel and so share its cores,
 * whatever namespaces they are in. Collective. 0 and *count, or an error of the exchange. */
int locality_neighbours(const struct fabric_job *job, int *count);

#endif
