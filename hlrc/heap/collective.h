/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * collective.h - broadcast, and memory that all nodes allocate and free together.
 *
 * A step of a collective: its root writes a staging slot in shared memory, all meet at a barrier,
 * the others read the slot. The slot begins with what the root was called with, so that nodes that
 * disagree are told so. What of a broadcast does not fit into the slot follows as a stream
 * (stream.h). Each step counts as a barrier in the statistics, and its time as barrier
 * time.
 *
 * Invariants
 *   CO1  Steps have the same number on all nodes; step k uses slot k mod 2. A root writes the slot
 *        again in step k + 2, after the barrier of step k + 1, which all nodes have entered with
 *        the slot of step k read. One barrier per step is therefore enough.
 *   CO2  Pages are reset on every node between two barriers. By the first, what was written to them
 *        has reached their homes (barrier.h R4) and no fetch of them is under way; no node touches
 *        them before the second. Behind that the root lets others have them: a thread of any node
 *        may, while the one that gave them back there has not come out of the barrier.
 */
#ifndef HLRC_COLLECTIVE_H
#define HLRC_COLLECTIVE_H

void collective_reset(void); /* the next step is the first */

#endif
