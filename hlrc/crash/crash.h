/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crash.h - what is said of a program that dies of an error of its own, and what its core dump has.
 *
 *     signal --> one line: node, thread, signal, address, what lies there      place.h
 *            --> the stack, a line for each call                               stack.h
 *            --> with --core full: pages that were touched are to be dumped
 *            --> the default action of the signal: core dump, status 128 + signal
 *
 * Invariants
 *   CR1  SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT are told of where the program handles them not
 *        when hlrc_init is called; also after hlrc_finalize. The signal then ends the process as if
 *        nobody had handled it: an access that faulted is repeated, a signal that was sent is sent
 *        again with what it said of its sender.
 *   CR2  The first thread that crashes tells of it; others that do wait for its end.
 *   CR3  Nothing on the way allocates, takes a lock, or touches the program's view. What faults
 *        nevertheless, since something is damaged, is left out.
 *   CR4  While all goes well nothing of this is called.
 */
#ifndef HLRC_CRASH_H
#define HLRC_CRASH_H

/* Page faults and crashes are handled from now on. After the threads' slots were made. 0 or a
 * negative errno. */
int crash_install(void);

/* hlrc_finalize gives shared memory back: no page fault comes any more. Before the engine forgets
 * where it was. */
void crash_finalized(void);

void crash_forked(void); /* in a child */

#endif
