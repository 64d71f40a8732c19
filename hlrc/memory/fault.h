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
 *   X1  A fault outside shared space goes to the handler that SIGSEGV had before hlrc_init. If
 *       nobody did, one line names node, address and "not shared memory", and the default action
 *       ends the process and dumps core.
 *   X2  SIGSEGV and the signals that a program handles (thread_signals) are blocked while a fault
 *       is handled, and the engine touches the application's view in no state: it cannot fault
 *       itself. errno is saved. Nothing is allocated, no lock is taken that application code may
 *       hold. A fault amid the engine's own work is that of a signal handler (thread.h T1): one
 *       line, and the end.
 *   X3  A fault that finds the page accessible returns: another thread was faster, or the mapping
 *       was collapsed.
 *   X4  A fault of which the context does not tell whether it was a write counts as a read, or as a
 *       write if the page can be read already. A write to an invalid page then costs two faults,
 *       and none is repeated for ever.
 */
#ifndef HLRC_FAULT_H
#define HLRC_FAULT_H

int fault_install(void); /* 0 or a negative errno; for engine.app and its size */
void fault_remove(void); /* faults go to the handler that there was before */

/* What the context that a handler of SIGSEGV gets says of the access. */
enum fault_kind { FAULT_READ, FAULT_WRITE, FAULT_UNKNOWN };
enum fault_kind fault_kind(const void *context);

/* in a forked child: every fault in shared space ends it with a clear line */
void fault_forked(void);

#endif
