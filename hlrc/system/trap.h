/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trap.h - system calls that are given shared memory.
 *
 * The system fails with EFAULT where a page is not accessible just now, as any page of shared
 * memory may be. So the system is told (filter.h) to send the thread a signal, SIGSYS, in place of
 * such a call. The handler makes the call with memory of its own and copies. A page of shared
 * memory is touched by the handler's loads and stores alone, which fault as the program's do.
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
 *   SC1  What the system reads has been copied before the call, what it has written is copied after
 *        it, and no byte more: what was not written may be another thread's by then. A page that is
 *        closed while the call lasts is no matter, however long it lasts, and nothing that the
 *        system has given is lost.
 *   SC2  The handler makes calls from an address of its own (trap_page), which the filter lets
 *        pass: it is not where libraries are.
 *   SC3  A call whose memory is not known ends the job with one line that names it.
 *   SC4  While the handler waits in a call, the signals of the program come as they would; one of
 *        their handlers may make such a call, too. SIGSYS is blocked at no time (handlers.h HN3).
 *   SC5  What a call changes of the thread's own state that comes back when a handler returns, the
 *        mask of signals and the alternate stack, is changed there.
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
    const struct call *call;
    uint64_t args[CALL_ARGS]; /* the program's */
    uint64_t pass[CALL_ARGS]; /* what the system gets */
    struct bounce own;
    ucontext_t *context;
};

/* The handler, and from where it makes calls. 0 or a negative errno. */
int trap_install(void);

/* SC2: the page of those calls; whether code is there, as it is where a filter of the program's own
 * has held back what the handler does. */
int trap_page(void);
bool trap_is_own(const void *code);

/* The call with t->pass, or another one. What the system returns. */
long trap_make(const struct trap *t);
long trap_system(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                 uint64_t f);

/* Memory of the handler's own for argument `at`, of that size; the program's bytes are in it, if
 * `copied`. NULL: the argument is not in shared memory, and is passed as it is. */
void *trap_own(struct trap *t, int at, size_t bytes, bool copied);
/* Copies to the program what the system has left in the argument, if that was in shared memory. */
void trap_give(const struct trap *t, int at, size_t bytes);
/* What argument `at` points to, wherever it is; false: not accessible, as the system will say. */
bool trap_look(void *out, uint64_t from, size_t bytes);

/* SC3. */
_Noreturn void trap_refuse(const struct trap *t, int at, uint64_t address, const char *why);

static inline bool trap_failed(long result)
{
    return result < 0 && result > -4096;
}

#endif
