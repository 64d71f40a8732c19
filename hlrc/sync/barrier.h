/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barrier.h - the barrier, in two phases: at a master (node 0, barrier_master.c), by remote
 * atomics (barrier_counter.c), or by pairwise remote writes (barrier_pairs.c).
 *
 *            arrive: flush the interval,          all have arrived: merged
 *            send the vector time                 vector time to all nodes
 *   RUNNING -----------------------------> ARRIVED -----------------------> RELEASED
 *      ^                                                                       |
 *      +----------- depart: interval_acquire of the merged vector time --------+
 *
 * Invariants
 *   [barrier.arrival-time] An arrival carries the vector time of the moment of arrival; writes
 *       between arrive and depart belong to the next interval.
 *   - The master counts arrivals by epoch: a fast node's next arrival may come before a slow node
 *     has departed.
 *   - Arrivals, and the diffs sent for a barrier, do not wake a node that has not arrived: it polls
 *     them when it arrives. From arrival to departure every event wakes a sleeping handler
 *     (progress_wake_on_all). So a node that is busy or asleep between arrive and depart delays no
 *     other node; barrier_pairs.c is the exception.
 *   [barrier.diffs-served] When a node departs it has served everything that arrived before its
 *       release. All diffs to its pages of the intervals that the barrier covers were sent before
 *       their writers arrived.
 *   - The release says the same to all nodes: whether all of them wait in this barrier and at least
 *     one has homes to migrate. Then hlrc_barrier returns after the migration round
 *     [home-migration.full-barrier].
 *   - A node that defers its release (hlrc_defer_release) arrives with the vector time of its last
 *     release: it passes on nothing that it has not published. It may have dirty pages, so homes do
 *     not migrate.
 */
#ifndef HLRC_BARRIER_H
#define HLRC_BARRIER_H

#include "hlrc/core/meeting.h"

int barrier_init(void);
/* called at the start of every arrival of this node; NULL: nothing */
void barrier_before(void (*run)(void));
/* The two phases, without the public call's statistics. One thread acts for the node. Both wait:
 * for the rest of a flush, and for all other nodes. */
void barrier_arrive(enum meeting call);
void barrier_depart(void);
/* Both phases, inside another call: does not run the barrier_before function. Waits. */
void barrier_meet(enum meeting call);
/* Implements hlrc_barrier, for this call. */
void barrier_all(enum meeting call);

#endif
