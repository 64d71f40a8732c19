/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What bounds the rate of atomics at an adapter: equations 1 to 6 and tables III and IV of "High
 * Message Rate, NIC-Based Atomics".
 */
#ifndef SIM_ATOMICS_BOUND_H
#define SIM_ATOMICS_BOUND_H

#include <stdint.h>

struct atomics_bytes {
    unsigned command;      /* of a CPU to its adapter */
    unsigned read_request; /* 8 in equation 3; the text before it says 16 */
    unsigned read_answer;
    unsigned write;
};

/* For one update, what crosses the interface between adapter and host. */
unsigned bound_message_to_host(const struct atomics_bytes *b);  /* equation 1 */
unsigned bound_message_to_nic(const struct atomics_bytes *b);   /* equation 2 */
unsigned bound_atomic_to_host(const struct atomics_bytes *b);   /* equation 3 */
unsigned bound_atomic_to_nic(const struct atomics_bytes *b);    /* equation 4 */
unsigned bound_at_target_to_nic(const struct atomics_bytes *b); /* of a node that asks for none */

/* bound_rate - equation 5: updates per second, by bytes per second each way */
double bound_rate(double bandwidth, unsigned to_host, unsigned to_nic);

/* bound_requests - equation 6: requests that must be outstanding; latencies in ns */
double bound_requests(double rate, double read_ns, double write_ns, double memory_ns);

/* Whole requests: the paper's table III has the nearest number, table IV the next one. */
unsigned bound_nearest(double requests);
unsigned bound_upward(double requests);

#endif
