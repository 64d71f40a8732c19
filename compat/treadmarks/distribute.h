/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * distribute.h - private variables that one process gives the value of to all others. TreadMarks
 * interrupts these; here the value waits in shared memory until a process acquires, which is when
 * it may rely on it.
 *
 *     first --next--> record --next--> record --next--> NULL
 *                        ^ last: what this process has taken
 *
 * Invariants
 *   TD1  A variable is named by its place in the program (place.h). What has none is refused.
 *   TD2  Each process takes all records, in the order of the chain, under the chain's lock. Whether
 *        there are more it sees without the lock: a link changes once, from NULL. So a look may
 *        come while the link is being written, and the lock then waits for all of it; it cannot
 *        miss a record whose writer has released to this process.
 *   TD3  A record is given back when all processes have taken a later one: process 0 does so for
 *        those before the one that it had taken two barriers ago, which it had seen before it
 *        arrived at the last but one, so that all have when they arrive at the last.
 */
#ifndef COMPAT_TREADMARKS_DISTRIBUTE_H
#define COMPAT_TREADMARKS_DISTRIBUTE_H

#include <stddef.h>

/* By all processes, first. */
void tmk_distribute_begin(void);
/* Gives the value of this variable to all others. */
void tmk_distribute(const void *ptr, size_t size);
/* After an acquire: takes what others have distributed. */
void tmk_distribute_take(void);
/* A barrier, and the same behind it; what all have taken goes (TD3). */
void tmk_distribute_meet(void);

#endif
