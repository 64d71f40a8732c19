/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event loop of the simulator: what happens when. A model is a set of objects that ask to be
 * called at a time; there are no steps in between, so idle time costs nothing (as in LogGOPSim,
 * Hoefler, Schneider and Lumsdaine, 2010).
 *
 *   EV1  Time never goes back: nothing can be asked for before the present.
 *   EV2  What is asked for at one time happens in the order in which it was asked for.
 *   EV3  Times are whole picoseconds, and nothing but them and the order of asking decides: no
 *        address, no clock, no rounding of the machine. Equal input gives equal output, to the
 *        bit.
 *
 * The queue is a heap of four children for each event, ordered by time and number.
 */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <stddef.h>
#include <stdint.h>

/* ps since the start; 2^64 of them are 213 days */
typedef uint64_t sim_time;

#define SIM_NS 1000u
#define SIM_US (1000u * SIM_NS)

/* What is called: SELF and ARG are those of the one who asked. */
typedef void (*event_fn)(void *self, uint64_t arg);

struct event {
    sim_time when;
    uint64_t number; /* in the order of asking */
    event_fn fn;
    void *self;
    uint64_t arg;
};

struct event_loop {
    sim_time now;
    uint64_t asked, done;
    size_t waiting, room;
    struct event *heap;
    void (*look)(void *self); /* now and then, between events: it changes nothing; NULL: nobody */
    void *look_self;
};

void event_loop_init(struct event_loop *loop);
void event_loop_free(struct event_loop *loop);

/* event_at - call FN at WHEN; ASSUMPTIONS: not before loop->now */
void event_at(struct event_loop *loop, sim_time when, event_fn fn, void *self, uint64_t arg);

/* event_after - the same, DELAY from now */
static inline void event_after(struct event_loop *loop, sim_time delay, event_fn fn, void *self,
                               uint64_t arg)
{
    event_at(loop, loop->now + delay, fn, self, arg);
}

/* event_loop_run - until nothing is asked for any more */
void event_loop_run(struct event_loop *loop);

#endif
