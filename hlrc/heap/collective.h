/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * collective.h - broadcast, and memory that all nodes allocate and free together.
 *
 * In a step of a collective the root sends a parcel (hlrc/sync/parcel.h), all enter a barrier, and
 * the others read the parcel. It begins with the arguments of the root's call, so that a mismatch
 * is reported. The part of a broadcast that does not fit follows as a stream (stream.h). Each step
 * counts as a barrier in the statistics, and its time as barrier time.
 *
 * Invariants
 *   - A parcel's step has the same number on all nodes; a parcel of another step is not the root's
 *     of this call.
 *   [heap.reset] Pages are reset on every node between two barriers. At the first, all writes to
 *       them have reached their homes [barrier.diffs-served] and no fetch of them is in flight; no
 *       node touches them before the second. After that the root makes them available: a thread of
 *       any node may get them before the node that freed them has left the barrier.
 */
#ifndef HLRC_COLLECTIVE_H
#define HLRC_COLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/meeting.h"

void collective_reset(void); /* the next step is the first */

/* For other collective calls. Sends `len` bytes at buf, at most some dozen, from node 0 to all
 * others; `arg` is the same on all nodes. Orders memory, as a barrier. */
void collective_share(enum meeting call, uint64_t arg, void *buf, size_t len);
/* Zeroes pages and unassigns their homes [heap.reset]. */
void collective_clear(uint32_t first, uint32_t count, enum meeting call);

#endif
