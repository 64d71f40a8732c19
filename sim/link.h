/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One direction of a wire: a latency and a rate (L and 1/G of the LogGP model, Alexandrov, Ionescu,
 * Schauser and Scheiman, 1995).
 *
 *   - Messages arrive in the order of sending. A message begins after the last byte of the previous
 *     one has left.
 *   - n bytes sent back to back take n / rate, in however many messages: the rounding remainder of
 *     one message is carried over to the next.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "sim/event.h"

struct link {
    struct event_loop *loop;
    sim_time latency;
    uint64_t rate;    /* bytes per second */
    sim_time free_at; /* when the last byte leaves */
    uint64_t rest;    /* plus rest / rate ps */
    sim_time busy;
    uint64_t bytes; /* sent */
};

/* ASSUMPTIONS: RATE is from 1 to 10^12. */
void link_init(struct link *link, struct event_loop *loop, sim_time latency, uint64_t rate);

/* link_send - calls FN when the last byte has arrived; returns the time when it has left.
 * ASSUMPTIONS: BYTES below 2^24. */
sim_time link_send(struct link *link, uint64_t bytes, event_fn fn, void *self, uint64_t arg);

#endif
