/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crash.h - the crash report of a program that dies of an error, and the contents of its core
 * dump.
 *
 *     signal --> one line: node, thread, signal, address, mapping at the address  place.h
 *            --> the stack, a line for each call                                  stack.h
 *            --> with --core full: touched pages are included in the dump
 *            --> the default action of the signal: core dump, status 128 + signal
 *
 * Invariants
 *   - SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT are reported if the program does not handle them
 *     when hlrc_init is called, and also after hlrc_finalize. The signal then ends the process as
 *     without a handler: a faulting access is repeated, a sent signal is sent again with its
 *     sender's data.
 *   - The first thread that crashes reports; other crashing threads wait for its end.
 *   - No step allocates, takes a lock, or touches the program's view. A step that faults
 *     nevertheless, because of damaged data, is skipped.
 *   - Nothing here runs unless a program crashes.
 */
#ifndef HLRC_CRASH_H
#define HLRC_CRASH_H

#include <signal.h>

/* Handles page faults and crashes from now on. Call it after the threads' slots were made. 0 or a
 * negative errno. */
int crash_install(void);

/* Called when hlrc_finalize unmaps shared memory, before the engine forgets its address: no page
 * faults follow. */
void crash_finalized(void);

/* On other nodes than 0, for a program that is unaware of HLRC: it has a handler for this signal.
 * Reports it if the address means something on another node. */
void hlrc_crash_handled(int sig, siginfo_t *info, void *context);

void crash_forked(void); /* in a child of fork */

#endif
