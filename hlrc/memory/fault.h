/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fault.h - from SIGSEGV to page_access.
 *
 * libsigsegv dispatches the fault by address. Its handler does not learn whether the access was a
 * write. So a thin handler runs first: it saves the error code of the fault in a thread-local and
 * calls the handler that libsigsegv installed. A write to an invalid page then costs one fault.
 * Built without libsigsegv, the thin handler dispatches by itself.
 *
 * Invariants
 *   - A fault outside shared space goes to the handler that SIGSEGV had before hlrc_init, or that
 *     the program has set since (fault_next). If there is none, it goes to the function given to
 *     fault_install, also after fault_remove: this writes the crash report (crash.h), and the
 *     default action ends the process and dumps core.
 *     While that handler runs SIGSEGV is open, since it may access shared memory. A fault of its
 *     own ends the program.
 *   - SIGSEGV and the signals that a program handles (thread_signals) are blocked while a fault is
 *     handled. The engine never touches the application's view, so it cannot fault itself. errno is
 *     saved. The handler allocates nothing and takes no lock that application code may hold. A
 *     fault during the engine's own work is from a signal handler [thread.no-fault]: one error
 *     line, and the process ends.
 *   - A fault that finds the page accessible returns: another thread was faster, or the mapping was
 *     collapsed. If this repeats without progress, the function given to fault_install checks
 *     whether the program has changed the mapping itself.
 *   - A fault whose context does not show whether it was a write counts as a read, or as a write if
 *     the page is readable already. A write to an invalid page then costs two faults, and no fault
 *     is repeated for ever.
 *   - Faults are handled on the thread's alternate stack (altstack.h). So an overflow of its stack
 *     can be reported, and its stack may be shared memory as long as it makes no HLRC call there.
 *     Shared memory cannot be executed.
 */
#ifndef HLRC_FAULT_H
#define HLRC_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* For faults in engine.app. A fault without another handler goes to `crash`. So does a fault
 * for a handler that was set since, before that handler runs (handled). Returns 0 or a negative
 * errno. */
int fault_install(void (*crash)(int sig, siginfo_t *info, void *context, bool handled));
/* No fault is in shared space from now on. True: the previous handler is restored; false: there was
 * none. */
bool fault_remove(void);

/* The SIGSEGV action for faults outside shared space: sets it (NULL: no change) and returns the
 * previous one in `was`. */
void fault_next(const struct sigaction *act, struct sigaction *was);

/* A program that is unaware of HLRC handles this signal, 1 to 64, or no longer. One that usually
 * ends the program, as SIGTERM, is blocked by --signals mask only if it is handled. */
void hlrc_signal_handled(int sig, bool handled);

/* A fault outside shared space is first given to this function, which returns true if the access
 * can be repeated. It may access shared memory. */
void hlrc_fault_other(bool (*serve)(void *addr));

/* Calls a handler of the program from within one of HLRC. */
void fault_hand_on(const struct sigaction *to, int sig, siginfo_t *info, void *context);

/* For `crash`: whether libsigsegv finds this fault to be an overflow of the main thread's stack;
 * false without libsigsegv. */
bool fault_overflows(int sig, siginfo_t *info, void *context);

/* The kind of an access, from the context that a SIGSEGV handler gets. */
enum fault_kind { FAULT_READ, FAULT_WRITE, FAULT_UNKNOWN, FAULT_EXECUTE };
enum fault_kind fault_kind(const void *context);
uintptr_t fault_code(const void *context); /* the instruction that was interrupted */

/* in a forked child: from now on every fault in shared space ends it with an error line */
void fault_forked(void);

#endif
