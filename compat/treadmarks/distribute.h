/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * distribute.h - private variables whose value one process distributes to all others. TreadMarks
 * interrupts these. Here the value stays in shared memory until a process acquires; only then may
 * it rely on the value.
 *
 *     first --next--> record --next--> record --next--> NULL
 *                        ^ last: taken by this process
 *
 * Invariants
 *   - A variable is named by its location in the program (place.h). A variable without one is
 *     refused.
 *   - Each process takes all records, in the chain's order, under the chain's lock. It tests for
 *     more without the lock: a link changes once, from NULL. The test may run while the link is
 *     being written; then the lock waits until all of it is. The test cannot miss a record whose
 *     writer has released to this process.
 *   - A record is freed after all processes have taken a later one. Process 0 frees the records
 *     before the one that it had taken two barriers ago. It had seen that one before it arrived at
 *     the last barrier but one, so all have when they arrive at the last.
 */
#ifndef COMPAT_TREADMARKS_DISTRIBUTE_H
#define COMPAT_TREADMARKS_DISTRIBUTE_H

/* Called by all processes, first. */
void distribute_begin(void);
/* After an acquire: takes values that others have distributed. */
void distribute_accept(void);
/* A barrier, then the same; frees records that all have taken. */
void distribute_meet(void);

#endif
