/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_BIND_H
#define HLRC_BIND_H

/*
 * Which cores each node of a job on this machine is bound to.
 *
 *   BN1  Nobody gets a CPU that hlrcrun itself may not use.
 *   BN2  share: with a core for each node, the cores are dealt out in the order in which they lie
 *        in the machine, as many to each node, or one more: so along NUMA nodes where the numbers
 *        allow. Where that would leave a node a single core although there are more cores than
 *        nodes, neighbours have one in common.
 *   BN3  core: one core each, and from the beginning again where there are not enough.
 *   BN4  Cores that other jobs have claimed come last (claim.h).
 *   BN5  With more nodes than cores, and for a job of one, share binds nobody.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/config.h"
#include "base/limits.h"
#include "launch/claim.h"
#include "launch/topology.h"

struct bindings {
    bool bound;      /* whether nodes are */
    const char *why; /* why they are not */
    bool real;       /* the cores are this machine's */
    struct topology topology;
    struct claims claims;
    cpu_set_t node[NODES_MAX];
};

/* bind_plan - what each node is to be bound to. Holds what it claims until hlrcrun ends. */
void bind_plan(struct bindings *bindings, const struct config *cfg);

/* bind_node - binds this process as that node */
void bind_node(const struct bindings *bindings, int node);

/* bind_report - a line for each node, or one that says why none is bound */
void bind_report(const struct bindings *bindings, const struct config *cfg, FILE *out);

#endif
