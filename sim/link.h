/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One direction of a wire: a latency, a rate, and a least time between the beginnings of two
 * messages (L, 1/G and g of the LogGP model, Alexandrov, Ionescu, Schauser and Scheiman, 1995).
 *
 *   LK1  What goes in comes out: bytes_in = bytes_out + bytes under way, likewise messages; when
 *        the loop has ended, nothing is under way.
 *   LK2  Messages arrive in the order of sending, and one begins when the last byte of the one
 *        before has left.
 *   LK3  n bytes that follow each other take n / rate, however many messages they are: what one
 *        message's time is rounded down by, the next one has.
 */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "sim/event.h"

struct link_message {
    event_fn fn;
    void *self;
    uint64_t arg;
    uint64_t bytes;
};

struct link {
    struct event_loop *loop;
    sim_time latency, gap;
    uint64_t rate;     /* bytes per second */
    sim_time free_at;  /* the last byte leaves */
    uint64_t rest;     /* and after that, rest / rate ps */
    sim_time began_at; /* the last message; the first one has nothing to keep a gap from */
    sim_time busy;
    uint64_t messages_in, messages_out, bytes_in, bytes_out;
    struct link_message *way; /* those under way: a ring */
    size_t room;              /* a power of two, or 0 */
};

/* ASSUMPTIONS: RATE is from 1 to 10^12. */
void link_init(struct link *link, struct event_loop *loop, sim_time latency, sim_time gap,
               uint64_t rate);
void link_free(struct link *link);

/* link_send - FN is called when the last byte is there; returns when it has left this end.
 * ASSUMPTIONS: BYTES below 2^24. */
sim_time link_send(struct link *link, uint64_t bytes, event_fn fn, void *self, uint64_t arg);

#endif
