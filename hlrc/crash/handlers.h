/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handlers.h - handlers that a program sets after hlrc_init.
 *
 * Pages are fetched by the handler of SIGSEGV, so one that takes its place breaks the job. The
 * library therefore defines sigaction() and signal(): for the signals that crash.c or fault.c
 * handles, what a program sets with them comes behind that handler, and is what it is told when it
 * asks. Programs that are linked with the library call these; what other libraries set reaches the
 * system, as does what goes past both functions.
 *
 *   HN1  A handler that was set before hlrc_init gets what is no page fault, unseen. One that is
 *        set later gets it, too; the first time the crash is told of before.
 *   HN2  Before hlrc_init, and for all other signals, both do what the C library's do.
 *   HN3  While pages are fetched by SIGSEGV, or calls are made by SIGSYS (trap.h), that signal is
 *        not blocked by what the program asks for, in pthread_sigmask() and sigprocmask(), which
 *        the library defines, too, and in the masks of handlers: blocked it ends the process.
 */
#ifndef HLRC_HANDLERS_H
#define HLRC_HANDLERS_H

#include <signal.h>
#include <stdbool.h>

/* From now on handlers of this signal come behind ours; or no more. SIGSEGV's are kept by fault.c,
 * those of others here. */
void handlers_front(int sig, bool ours);

/* What the program has set for a signal that is not SIGSEGV. */
struct sigaction handlers_next(int sig);

/* HN3: from now on, or no more; `set`, or a copy without those signals. */
void handlers_open(int sig, bool open);
const sigset_t *handlers_opened(const sigset_t *set, sigset_t *copy);

/* The system's, whatever is in front. */
void handlers_default(int sig);

#endif
