/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bounds on the rate of atomics at an adapter: equations 1 to 6 and tables III and IV of "High
 * Message Rate, NIC-Based Atomics".
 */
#ifndef SIM_ATOMICS_BOUND_H
#define SIM_ATOMICS_BOUND_H

#include <stdint.h>

struct atomics_bytes {
    unsigned command;      /* from a CPU to its adapter */
    unsigned read_request; /* 8 in equation 3; the text before it says 16 */
    unsigned read_answer;
    unsigned write;
};

/* Bytes that cross the interface between adapter and host for one update. */
unsigned atomics_bound_message_to_host(const struct atomics_bytes *b);  /* equation 1 */
unsigned atomics_bound_message_to_nic(const struct atomics_bytes *b);   /* equation 2 */
unsigned atomics_bound_atomic_to_host(const struct atomics_bytes *b);   /* equation 3 */
unsigned atomics_bound_atomic_to_nic(const struct atomics_bytes *b);    /* equation 4 */
unsigned atomics_bound_at_target_to_nic(const struct atomics_bytes *b); /* no atomics sent */

/* atomics_bound_rate - equation 5: updates per second, from bytes per second in each direction */
double atomics_bound_rate(double bandwidth, unsigned to_host, unsigned to_nic);

/* atomics_bound_requests - equation 6: outstanding requests that are needed; latencies in ns */
double atomics_bound_requests(double rate, double read_ns, double write_ns, double memory_ns);

/* Whole requests: the paper's table III rounds to nearest, table IV rounds up. */
unsigned atomics_bound_nearest(double requests);
unsigned atomics_bound_upward(double requests);

#endif
