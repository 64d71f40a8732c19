/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Barriers at the host and at the adapter, after Buntinas, Panda and Sadayappan, "Fast NIC-Based
 * Barrier over Myrinet/GM". A node has an adapter with one processor, which does all that the
 * adapter has to do, one thing after the other, a link into the network, and a CPU for each
 * process.
 *
 *    at the host:  CPU send - adapter sdma - network - adapter recv, rdma - CPU hrecv: next step
 *    at the NIC:   CPU send - adapter (work - network - recv: next step) ... rdma - CPU hrecv
 *
 * Either way a process is a script of sends and receives, and both places run the same one:
 * pairwise exchange (PE), or gathering and broadcast along a tree (GB).
 *
 *   NB1  What comes before it is waited for is noted, one message of each process at most: who has
 *        sent one does not send another before it has got an answer, however far it is ahead.
 *   NB2  No process leaves a barrier before all processes of its group have entered it.
 */
#ifndef SIM_NIC_BARRIER_H
#define SIM_NIC_BARRIER_H

#include "sim/event.h"
#include "sim/tally.h"

#include <stdbool.h>

enum barrier_algorithm { BARRIER_PE, BARRIER_GB };

/* What each part takes. */
struct barrier_costs {
    sim_time send;    /* the CPU, until the adapter has noticed */
    sim_time sdma;    /* the adapter, to get a message of the host and make a packet of it */
    sim_time network; /* from one adapter to the other */
    sim_time recv;    /* the adapter, to take a packet */
    sim_time rdma;    /* the adapter, to bring it to the host */
    sim_time hrecv;   /* the CPU, to see and take it */
    sim_time work;    /* the adapter, to make a packet of a barrier of its own */
    sim_time ack;     /* the adapter, to make, and to take, the answer to a packet of the host's */
    unsigned busy;    /* percent of what the adapter takes that occupy its processor; in the rest
                         it waits for a DMA, and may do something else */
    uint64_t rate;    /* of the link, bytes per second */
    unsigned bytes;   /* of a packet */
};

struct barrier_config {
    enum barrier_algorithm algorithm;
    bool at_nic;
    unsigned nodes, dimension; /* children of a node in the tree, from 1 */
    unsigned groups;           /* processes of a node, each with those of other nodes */
    unsigned barriers;         /* one after the other */
    sim_time skew;             /* a process computes up to that time before each */
    uint64_t seed;
    struct barrier_costs costs;
};

struct barrier_result {
    sim_time time;          /* all barriers */
    struct tally last_in;   /* from the last entry of a barrier to its last exit */
    uint64_t early, events; /* messages that came before they were waited for */
    double nic_used;        /* share of the time, of the busiest adapter */
};

/* nic_barrier_run - ASSUMPTIONS: 2 nodes and 1 barrier at least, dimension below nodes */
struct barrier_result nic_barrier_run(const struct barrier_config *cfg);

/* ---- The paper's equations, in ps; rounds are log2 of the nodes, rounded up ---- */

double barrier_equation_host(const struct barrier_costs *c, unsigned nodes); /* equation 1 */

/* As the text before equation 2 and figure 2 have it: Send + log2 N (Network + Recv) + RDMA +
 * HRecv. */
double barrier_equation_nic(const struct barrier_costs *c, unsigned nodes);

/* As equation 2 is printed, with RDMA and HRecv in each round. */
double barrier_equation_printed(const struct barrier_costs *c, unsigned nodes);

#endif
