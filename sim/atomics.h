/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes that send each other atomic operations. A node has two processes (PEs), an adapter with an
 * atomic unit, a port to the host's memory, and one link into the network and one out of it. A
 * message takes the latency of each router on its path through the torus. Contention in the
 * network is not modelled.
 *
 *   CPU --command--> adapter --link--> (routers) --link--> adapter: atomic unit <--> host's memory
 */
#ifndef SIM_ATOMICS_H
#define SIM_ATOMICS_H

#include "sim/atomic_unit.h"
#include "sim/tally.h"

enum atomics_workload {
    WORKLOAD_ONE,     /* all PEs but the first operate on one word of node 0 */
    WORKLOAD_SIXTEEN, /* on 16 words of node 0 each */
    WORKLOAD_RANDOM,  /* RandomAccess: all PEs, on any word of all nodes */
    WORKLOAD_SHMEM,   /* the same by messages, applied by the CPUs of the target node */
};

#define ATOMICS_WORDS 16 /* of each PE, with WORKLOAD_SIXTEEN */

struct atomics_config {
    enum atomics_workload workload;
    unsigned pes, operations; /* of each PE */
    unsigned outstanding;     /* of each PE, at most */
    bool in_a_row;            /* 16 consecutive words, instead of random ones */
    uint64_t seed;
    uint64_t table; /* words at each node */
    unsigned message_bytes;
    uint64_t network_rate;
    sim_time router;
    sim_time cpu_update; /* for each update, with WORKLOAD_SHMEM; 0: no limit */
    struct host_port_config port;
    struct atomic_unit_config unit;
};

struct atomics_result {
    uint64_t operations, events;
    sim_time time; /* until the last result is in the host's memory */
    uint64_t hits, misses, kept, reads, writes, stalled_set, stalled_raw, no_tag;
    double to_host_used, to_nic_used, network_used; /* fraction of the time, at the busiest node */
    uint64_t network_bytes;
    struct tally latency; /* of an operation, from its command to its result, ps */
};

/* atomics_run - ASSUMPTIONS: the configuration respects the limits of the options (atomics_options
 * in atomics_command.c) */
struct atomics_result atomics_run(const struct atomics_config *cfg);

#endif
