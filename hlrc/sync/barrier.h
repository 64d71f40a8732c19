/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barrier.h - the barrier, in two phases: at a master (node 0, barrier_master.c), by remote atomics
 * (barrier_counter.c), or by remote writes from pair to pair (barrier_pairs.c).
 *
 *            arrive: close the interval,          all have arrived: merged
 *            send its vector time                 vector time to all nodes
 *   RUNNING -----------------------------> ARRIVED -----------------------> RELEASED
 *      ^                                                                       |
 *      +----------- depart: interval_acquire of the merged vector time --------+
 *
 * Invariants
 *   R1  An arrival carries the vector time of the moment of arrival; writes between arrive and
 *       depart belong to the next interval.
 *   R2  The master counts arrivals by epoch: a fast node's next arrival may come before a slow node
 *       has departed.
 *   R3  Arrivals, and the diffs sent for a barrier, wake no node that has not arrived: it looks at
 *       them when it does. From arrival to departure every event wakes a sleeping handler
 *       (progress_wake_on_all), so that a node that is busy or asleep between arrive and depart
 *       delays no other; but barrier_pairs.c.
 *   R4  When a node departs it has served everything that arrived before its release: all diffs of
 *       the intervals that the barrier covers and whose home it is were sent before their writers
 *       arrived.
 *   R5  The release tells all nodes the same: whether each of them waits in this barrier, and one
 *       at least has homes to move. Then hlrc_barrier returns after the round (homes.h MV2).
 *   R6  Who defers its release (hlrc_defer_release) arrives with the vector time of its last one:
 *       it passes on nothing that it has not published. It may have dirty pages, so homes do not
 *       move (R5).
 */
#ifndef HLRC_BARRIER_H
#define HLRC_BARRIER_H

#include "hlrc/protocol/meeting.h"

int barrier_init(void);
/* what every arrival of this node begins with; NULL nothing */
void barrier_before(void (*run)(void));
/* The two phases, without the public call's statistics. One thread speaks for the node; both wait:
 * for the rest of a closing, and for all other nodes. */
void barrier_arrive(enum meeting call);
void barrier_depart(void);
/* Both, amid a call: nothing is done before the arrival (barrier_before). Waits. */
void barrier_meet(enum meeting call);
/* What hlrc_barrier does, for this call. */
void barrier_all(enum meeting call);

#endif
