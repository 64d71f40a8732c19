/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * altstack.h - stacks on which signals of errors are handled.
 *
 * A thread whose stack has overflowed cannot handle the signal there. So each thread that has a
 * slot (thread.h) has an alternate stack, and handles page faults on it, too.
 *
 * Invariants
 *   AS1  A thread that has an alternate stack already keeps it. Where that is small, page faults
 *        are handled on the stack that was interrupted, as if there was none (altstack_run).
 *   AS2  They are address space until they are used, with a page behind each that may not be
 *        touched; made at start, kept until the process ends: a thread may outlive hlrc_finalize.
 */
#ifndef HLRC_ALTSTACK_H
#define HLRC_ALTSTACK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define ALTSTACK_BYTES ((size_t)128 << 10)
/* what handling a page fault may need, with handlers of the program's that interrupt it */
#define ALTSTACK_LEAST ((size_t)24 << 10)

int altstacks_init(uint32_t count); /* for slots 0 to count - 1 */

/* Both of the calling thread, which takes or gives back the slot. */
void altstack_take(uint32_t slot);
void altstack_leave(uint32_t slot);

/* Before a signal handler returns that may have taken one: the system puts back what the thread
 * had when the signal came. */
static inline bool altstack_is_new(const ucontext_t *context)
{
    return context->uc_stack.ss_size == 0;
}
void altstack_keep(ucontext_t *context);

/* AS1: whether this handler runs on an alternate stack that has too little room. `here`: the
 * address of a local variable of the handler. */
static inline bool altstack_is_small(const ucontext_t *context, const void *here)
{
    size_t room = (size_t)((uintptr_t)here - (uintptr_t)context->uc_stack.ss_sp);
    return room < ALTSTACK_LEAST && room < context->uc_stack.ss_size;
}

/* Calls act(arg) on the stack that the signal interrupted. */
void altstack_run(const ucontext_t *context, void (*act)(void *), void *arg);

/* Calls act(arg), which may fault, on the stack of this slot of the calling thread, and makes that
 * its alternate one until the handler returns: the thread has another, on which the handler's frame
 * is not to be overwritten. */
void altstack_run_own(uint32_t slot, void (*act)(void *), void *arg);

/* The stack pointer of the interrupted code. */
uintptr_t altstack_interrupted(const ucontext_t *context);

#endif
