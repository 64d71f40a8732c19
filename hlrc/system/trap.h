/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trap.h - system calls with arguments in shared memory.
 *
 * The system fails with EFAULT if a page is not accessible at that moment, as any page of shared
 * memory may be. So a filter (filter.h) makes the system send the thread a signal, SIGSYS, instead
 * of performing such a call. The handler makes the call with private memory and copies. Only the
 * handler's loads and stores touch shared memory, and they fault as the program's do.
 *
 *             program                handler                       system
 *       read(3, shared, n) ------------------------------------> filter
 *                         SIGSYS <--------------------------------'
 *                           read(3, own, n), from its page ----> filter: let pass
 *                           <------------------------------------ got
 *                           copies `got` bytes to shared (faults)
 *       got <---------------'
 *
 * Invariants
 *   [syscalls.copies] Memory that the system reads is copied before the call. Memory that it has
 *       written is copied after it, and no byte more: another thread may have written the others by
 *       then. A page may become inaccessible during the call, however long it lasts, and no data
 *       that the system has returned is lost.
 *   - The handler makes calls from a fixed page (trap_page), which the filter lets pass: it is not
 *     in the libraries' address range.
 *   - A call with unknown memory arguments ends the job with one line that names it.
 *   - While the handler waits in a call, the program's signals are delivered as usual; their
 *     handlers may make such a call, too. SIGSYS is never blocked (handlers.h).
 *   - A call may change state of the thread that the return from a handler restores: the signal
 *     mask and the alternate stack. The handler changes them in the saved context.
 */
#ifndef HLRC_TRAP_H
#define HLRC_TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "hlrc/system/bounce.h"
#include "hlrc/system/calls.h"

struct trap {
    long number;
    const struct calls_entry *call;
    uint64_t args[CALL_ARGS]; /* the program's */
    uint64_t pass[CALL_ARGS]; /* passed to the system */
    struct bounce own;
    ucontext_t *context;
};

/* Installs the handler and the page of its calls. 0 or a negative errno. */
int trap_install(void);

/* Maps the page of those calls. True if `code` is in it: a filter of the program itself has trapped
 * a call of the handler. */
int trap_page(void);
bool trap_is_own(const void *code);

/* Makes the call with t->pass, or another call. Returns the system's result. */
long trap_make(const struct trap *t);
long trap_system(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                 uint64_t f);

/* Memory of the handler for argument `at`, of that size; if `copied`, the program's bytes are in
 * it. NULL: the argument is not in shared memory, and is passed unchanged. */
void *trap_own(struct trap *t, int at, size_t bytes, bool copied);
/* Copies the system's output to the program's argument, if that was in shared memory. */
void trap_give(const struct trap *t, int at, size_t bytes);
/* Copies the memory that argument `at` points to, shared or not; false: not accessible, as the
 * system will report. */
bool trap_look(void *out, uint64_t from, size_t bytes);

_Noreturn void trap_refuse(const struct trap *t, int at, uint64_t address, const char *why);

static inline bool trap_failed(long result)
{
    return result < 0 && result > -4096;
}

#endif
