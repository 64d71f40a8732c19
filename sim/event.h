/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event loop of the simulator. A model is a set of objects that schedule calls of themselves.
 * Time advances from event to event, so idle time costs nothing (as in LogGOPSim, Hoefler,
 * Schneider and Lumsdaine, 2010).
 *
 *   - Time never decreases: no event can be scheduled before the present.
 *   - Events of the same time run in the order in which they were scheduled.
 *   - Times are integral picoseconds. Only they and the order of scheduling decide: no address, no
 *     clock, no machine-dependent rounding. Equal input gives bitwise equal output.
 *
 * The queue is a 4-ary heap, ordered by time and number.
 */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <stddef.h>
#include <stdint.h>

/* ps since the start; 2^64 of them are 213 days */
typedef uint64_t sim_time;

#define SIM_NS 1000u
#define SIM_US (1000u * SIM_NS)

/* Event function: SELF and ARG are those given when it was scheduled. */
typedef void (*event_fn)(void *self, uint64_t arg);

struct event {
    sim_time when;
    uint64_t number; /* in the order of scheduling */
    event_fn fn;
    void *self;
    uint64_t arg;
};

struct event_loop {
    sim_time now;
    uint64_t asked, done;
    size_t waiting, room;
    struct event *heap;
    void (*look)(void *self); /* called periodically between events, changes nothing; NULL: none */
    void *look_self;
};

void event_loop_init(struct event_loop *loop);
void event_loop_free(struct event_loop *loop);

/* event_at - schedule FN at WHEN; ASSUMPTIONS: not before loop->now */
void event_at(struct event_loop *loop, sim_time when, event_fn fn, void *self, uint64_t arg);

/* event_after - the same, DELAY from now */
static inline void event_after(struct event_loop *loop, sim_time delay, event_fn fn, void *self,
                               uint64_t arg)
{
    event_at(loop, loop->now + delay, fn, self, arg);
}

/* event_loop_run - runs until no event is left */
void event_loop_run(struct event_loop *loop);

#endif
