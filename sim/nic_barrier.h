/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Barriers at the host and at the adapter, after Buntinas, Panda and Sadayappan, "Fast NIC-Based
 * Barrier over Myrinet/GM". A node has an adapter, a link into the network, and a CPU for each
 * process. The adapter has one processor, which does all its work sequentially.
 *
 *    at the host:  CPU send - adapter sdma - network - adapter recv, rdma - CPU hrecv: next step
 *    at the NIC:   CPU send - adapter (work - network - recv: next step) ... rdma - CPU hrecv
 *
 * In both cases a process is a script of sends and receives, and host and adapter run the same
 * one: pairwise exchange (PE), or gathering and broadcast along a tree (GB).
 *
 *   - A message that arrives before it is awaited is noted, one of each process at most: a process
 *     does not send another before it has received an answer, however far ahead it is.
 *   - A split (fuzzy) barrier: each process computes for `compute` between entering and awaiting
 *     the end. Its CPU sends what it can before, and takes messages only after.
 *   - No process leaves a barrier before all processes of its group have entered it.
 */
#ifndef SIM_NIC_BARRIER_H
#define SIM_NIC_BARRIER_H

#include "sim/event.h"
#include "sim/tally.h"

#include <stdbool.h>

enum nic_barrier_algorithm { BARRIER_PE, BARRIER_GB };

/* The cost of each part. */
struct nic_barrier_costs {
    sim_time send;    /* the CPU, until the adapter has noticed */
    sim_time sdma;    /* the adapter, to fetch a message from the host and build a packet */
    sim_time network; /* from one adapter to the other */
    sim_time recv;    /* the adapter, to receive a packet */
    sim_time rdma;    /* the adapter, to deliver it to the host */
    sim_time hrecv;   /* the CPU, to see and receive it */
    sim_time work;    /* the adapter, to build a packet for a barrier itself */
    /* the adapter, to build or handle the acknowledgement of a host packet */
    sim_time ack;
    /* percent of the adapter's times that occupy its processor; during the rest it waits for a DMA
     * and may do other work */
    unsigned busy;
    uint64_t rate;  /* of the link, bytes per second */
    unsigned bytes; /* of a packet */
};

struct nic_barrier_config {
    enum nic_barrier_algorithm algorithm;
    bool at_nic;
    unsigned nodes, dimension; /* children of a node in the tree, from 1 */
    unsigned groups;           /* processes of a node, each in another group */
    unsigned barriers;         /* one after the other */
    sim_time skew;             /* upper limit of a random computing time before each */
    sim_time compute;          /* of each process in each barrier */
    uint64_t seed;
    struct nic_barrier_costs costs;
};

struct nic_barrier_result {
    sim_time time;          /* all barriers */
    struct tally last_in;   /* from the last entry of a barrier to its last exit */
    uint64_t early, events; /* messages that arrived before they were awaited */
    double nic_used;        /* fraction of the time, of the busiest adapter */
};

/* nic_barrier_run - ASSUMPTIONS: 2 nodes and 1 barrier at least, dimension below nodes */
struct nic_barrier_result nic_barrier_run(const struct nic_barrier_config *cfg);

/* ---- The paper's equations, in ps; rounds are log2 of the nodes, rounded up ---- */

double nic_barrier_equation_host(const struct nic_barrier_costs *c,
                                 unsigned nodes); /* equation 1 */

/* As in the text before equation 2 and in figure 2: Send + log2 N (Network + Recv) + RDMA
 * + HRecv. */
double nic_barrier_equation_nic(const struct nic_barrier_costs *c, unsigned nodes);

/* As equation 2 is printed, with RDMA and HRecv in each round. */
double nic_barrier_equation_printed(const struct nic_barrier_costs *c, unsigned nodes);

#endif
