/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hosts.c - see hosts.h. */
#include "compat/start/hosts.h"

#include <hlrc.h>
#include <stdlib.h>
#include <string.h>

#include "base/procfs.h"
#include "compat/start/start.h"

#define HOST_ID "/proc/sys/kernel/random/boot_id"

/* Per node, in shared memory. */
struct hosts_node {
    char host[64];        /* empty: unknown */
    cpu_set_t processors; /* that it may use */
};

static void hosts_describe(struct hosts_node *node)
{
    if (procfs_read(HOST_ID, node->host, sizeof node->host) <= 0)
        node->host[0] = '\0';
    if (sched_getaffinity(0, sizeof node->processors, &node->processors) != 0)
        CPU_ZERO(&node->processors);
}

static bool hosts_are_one(cpu_set_t *processors)
{
    int count = hlrc_node_count();
    struct hosts_node *nodes = start_shared_memory((size_t)count * sizeof *nodes, "hosts");
    struct hosts_node own;
    hosts_describe(&own);
    nodes[hlrc_node_id()] = own;
    hlrc_barrier();
    CPU_ZERO(processors);
    for (int n = 0; n < count; n++) {
        if (own.host[0] == '\0' || strcmp(nodes[n].host, own.host) != 0)
            return false;
        CPU_OR(processors, processors, &nodes[n].processors);
    }
    return true;
}

/* A run that is to show what several nodes do is not changed. */
const char *hosts_obstacle(bool has_room, cpu_set_t *processors)
{
    const char *control = getenv("HLRC_PLACEMENT_CONTROL");
    bool one = hosts_are_one(processors);
    if (control && strcmp(control, "on") != 0)
        return "--placement-control";
    if (getenv("HLRC_CHECK") || getenv("HLRC_TRACE_SIM"))
        return "--check or --trace-sim";
    if (!has_room)
        return "--threads allows no more on one node";
    return one ? NULL : HOSTS_SEVERAL;
}
