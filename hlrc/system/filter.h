/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filter.h - the seccomp filter: which system calls raise SIGSYS instead of being made.
 *
 * Invariants
 *   - A call is trapped if an argument that points to memory (calls.h) lies in shared memory, or if
 *     the memory that it points to contains pointers. All others pass. Calls that pass by their
 *     number only, among them the engine's own, cost little, since the system caches that result.
 *   - A filter is permanent, and is inherited by every program that this process starts, which has
 *     no handler. So calls are trapped only from code at addresses where no other program has any:
 *     this process's libraries. They lie elsewhere, because the flag ADDR_COMPAT_LAYOUT of
 *     personality(2) was set when the process began, or in the node's slice [addresses.reserved] if
 *     they were loaded later. A started program has the usual layout: the flag is cleared from here
 *     on. A program of HLRC among them, which finds a variable in its environment, keeps the flag
 *     and has no filter.
 *   - If libraries do not lie there, or the system has no such filters, none is installed: without
 *     a message if --syscalls is auto, else one line ends the job.
 *   - Threads of the runtime, and of libraries that block all signals, could not handle SIGSYS. So
 *     the filter belongs to the thread that calls hlrc_init, installed after all others have
 *     started, and to the threads that it creates.
 */
#ifndef HLRC_FILTER_H
#define HLRC_FILTER_H

/* As --syscalls requests. 0, or a negative errno after one line. */
int filter_start(void);

#endif
