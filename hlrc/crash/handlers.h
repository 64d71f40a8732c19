/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handlers.h - signal handlers that a program installs after hlrc_init.
 *
 * Pages are fetched by the handler of SIGSEGV, so a handler that replaces it breaks the job. The
 * library therefore defines sigaction() and signal(): for the signals that crash.c or fault.c
 * handles, the program's handler is chained after the library's, and the functions return the
 * program's. Programs linked with the library call these functions; calls in other libraries, and
 * system calls, reach the system directly.
 *
 *   - A handler installed before hlrc_init gets every signal that is not a page fault, without a
 *     report. One installed later gets them too; before its first call the crash is reported.
 *   - Before hlrc_init, and for all other signals, both functions behave as the C library's.
 *   - While pages are fetched by SIGSEGV, or calls are made by SIGSYS (trap.h), the program cannot
 *     block that signal: in pthread_sigmask() and sigprocmask(), which the library defines as well,
 *     and in the masks of handlers. A blocked one would end the process.
 */
#ifndef HLRC_HANDLERS_H
#define HLRC_HANDLERS_H

#include <signal.h>
#include <stdbool.h>

/* From now on the program's handlers of this signal are chained after the library's; or no longer.
 * fault.c stores the one of SIGSEGV, this file the others. */
void handlers_front(int sig, bool ours);

/* The program's handler of a signal other than SIGSEGV. */
struct sigaction handlers_next(int sig);

/* From now on, or no longer; returns `set`, or a copy without those signals. */
void handlers_open(int sig, bool open);
const sigset_t *handlers_opened(const sigset_t *set, sigset_t *copy);

/* Sets the default action in the system, whatever is chained. */
void handlers_default(int sig);

#endif
