/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filter.h - which system calls are told of by SIGSYS in place of being made (seccomp).
 *
 * Invariants
 *   SF1  A call is held back where an argument that points to memory (calls.h) lies in shared
 *        memory, or where what it points to points on. All others pass; those whose number alone
 *        says so, the engine's own among them, at the cost that the system remembers of them.
 *   SF2  A filter stays for good, and with whatever the program starts, which has no handler. So
 *        calls are held back only from code where no other program has any: that of this process's
 *        libraries, which lie elsewhere, as the flag ADDR_COMPAT_LAYOUT of personality(2) has had
 *        the system put them when the process began, or in the node's slice (base/addresses.h AD2)
 *        if they were loaded later. What the process starts is put where programs usually are: the
 *        flag is gone from here on. A program of HLRC among it leaves the flag alone and has no
 *        filter: there is a variable in the environment that says so.
 *   SF3  Where that is not so, or the system has no such filters, there is none: nothing is said
 *        unless it was asked for, and else one line ends the job.
 *   SF4  Threads of the runtime, and of libraries that block all signals, could not take SIGSYS. So
 *        the filter is that of the thread which calls hlrc_init, when all others have started, and
 *        of those that come from it.
 */
#ifndef HLRC_FILTER_H
#define HLRC_FILTER_H

/* As --syscalls says. 0 or a negative errno after one
 * line. */
int filter_start(void);

#endif
