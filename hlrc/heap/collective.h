/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * collective.h - broadcast, and memory that all nodes allocate and free together.
 *
 * A step of a collective: its root sends a parcel (hlrc/sync/parcel.h), all meet at a barrier, the
 * others read it. It begins with what the root was called with, so that nodes that disagree are
 * told so. What of a broadcast does not fit follows as a stream (stream.h). Each step counts as a
 * barrier in the statistics, and its time as barrier time.
 *
 * Invariants
 *   CO1  A parcel's step has the same number on all nodes; one of another step is not the root's of
 *        this call.
 *   CO2  Pages are reset on every node between two barriers. By the first, what was written to them
 *        has reached their homes (barrier.h R4) and no fetch of them is under way; no node touches
 *        them before the second. Behind that the root lets others have them: a thread of any node
 *        may, while the one that gave them back there has not come out of the barrier.
 */
#ifndef HLRC_COLLECTIVE_H
#define HLRC_COLLECTIVE_H

void collective_reset(void); /* the next step is the first */

#endif
