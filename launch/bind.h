/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_BIND_H
#define HLRC_BIND_H

/*
 * Which cores each node of a job on this machine is bound to.
 *
 *   - No node gets a CPU that hlrcrun itself may not use.
 *   - share: with a core for each node, cores are assigned in machine order, so along NUMA nodes
 *     where the numbers allow. Each node gets the same number, or one more. If that would leave a
 *     node a single core although there are more cores than nodes, neighbours share one core.
 *   - core: one core for each node, starting over when the cores run out.
 *   - Cores that other jobs have claimed come last (claim.h).
 *   - share binds no node if there are more nodes than cores, or only one node.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/config.h"
#include "base/limits.h"
#include "launch/claim.h"
#include "launch/topology.h"

struct bind_bindings {
    bool bound;      /* whether nodes are bound */
    const char *why; /* why they are not bound */
    bool real;       /* the cores belong to this machine */
    struct topology topology;
    struct claim_list claims;
    cpu_set_t node[NODES_MAX];
};

/* bind_plan - computes the binding of each node. Holds its claims until hlrcrun ends. */
void bind_plan(struct bind_bindings *bindings, const struct config *cfg);

/* bind_processors - number of CPUs of each node: the least of their sets, or the part of each if
 * none is bound; at least 1 */
int bind_processors(const struct bind_bindings *bindings, int nodes);

/* bind_node - binds the calling process as that node */
void bind_node(const struct bind_bindings *bindings, int node);

/* bind_report - prints one line for each node, or the reason why none is bound */
void bind_report(const struct bind_bindings *bindings, const struct config *cfg, FILE *out);

#endif
