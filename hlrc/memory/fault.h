/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fault.h - from SIGSEGV to page_access.
 *
 * libsigsegv dispatches the fault by address. Its handler is not told whether the access was a
 * write, so a thin handler stands in front of the one that it installed, keeps the error code of
 * the fault in a thread-local and calls it: a write to an invalid page then costs one fault. Built
 * without libsigsegv, the thin handler dispatches by itself.
 *
 * Invariants
 *   X1  A fault outside shared space goes to the handler that SIGSEGV had before hlrc_init, or that
 *       the program has set since (fault_next). If nobody did, it goes to the one that
 *       fault_install was given, also after fault_remove: it tells of the crash (crash.h), and the
 *       default action ends the process and dumps core.
 *   X2  SIGSEGV and the signals that a program handles (thread_signals) are blocked while a fault
 *       is handled, and the engine touches the application's view in no state: it cannot fault
 *       itself. errno is saved. Nothing is allocated, no lock is taken that application code may
 *       hold. A fault amid the engine's own work is that of a signal handler (thread.h T1): one
 *       line, and the end.
 *   X3  A fault that finds the page accessible returns: another thread was faster, or the mapping
 *       was collapsed. Where that happens again and again in vain, the one that fault_install was
 *       given looks whether the program has changed the mapping itself.
 *   X4  A fault of which the context does not tell whether it was a write counts as a read, or as a
 *       write if the page can be read already. A write to an invalid page then costs two faults,
 *       and none is repeated for ever.
 *   X5  Faults are handled on the thread's alternate stack (altstack.h), so that an overflow of its
 *       stack can be told of, and its stack may be shared memory, while it makes no call of HLRC
 *       there. Shared memory cannot be executed.
 */
#ifndef HLRC_FAULT_H
#define HLRC_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* For engine.app and its size. Faults that are nobody's go to `crash`; also those that go to a
 * handler that was set since, before they do (handled). 0 or a negative errno. */
int fault_install(void (*crash)(int sig, siginfo_t *info, void *context, bool handled));
/* No fault is in shared space from now on. True: the handler that there was before is back; false:
 * there was none (X1). */
bool fault_remove(void);

/* Who gets what is not ours from now on (NULL: as before), and who did. */
void fault_next(const struct sigaction *act, struct sigaction *was);

/* Calls a handler of the program's, from within one of this runtime's. */
void fault_hand_on(const struct sigaction *to, int sig, siginfo_t *info, void *context);

/* For `crash`: whether this fault is an overflow of the main thread's stack, as libsigsegv finds;
 * false without libsigsegv. */
bool fault_overflows(int sig, siginfo_t *info, void *context);

/* What the context that a handler of SIGSEGV gets says of the access. */
enum fault_kind { FAULT_READ, FAULT_WRITE, FAULT_UNKNOWN, FAULT_EXECUTE };
enum fault_kind fault_kind(const void *context);
uintptr_t fault_code(const void *context); /* the instruction that was interrupted */

/* in a forked child: every fault in shared space ends it with a clear line */
void fault_forked(void);

#endif
