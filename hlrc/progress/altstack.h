/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * altstack.h - stacks on which signals of errors are handled.
 *
 * A thread whose stack has overflowed cannot handle the signal there. So each thread that has a
 * slot (thread.h) has an alternate stack, and handles page faults on it, too.
 *
 * Invariants
 *   AS1  A thread that has an alternate stack already keeps it. Where that has less room than
 *        ALTSTACK_LEAST, page faults and trapped system calls are handled on the stack of the
 *        thread's slot (altstack_run). The address sanitizer's runtime gives each thread a small
 *        one.
 *   AS2  They are address space until they are used, with a page below each that may not be
 *        touched; made at start, kept until the process ends: a thread may outlive hlrc_finalize.
 *   AS3  Handling page faults and system calls uses less than ALTSTACK_LEAST, and less than half of
 *        a slot's stack. The system's frame of a signal is added: it has the state of the vector
 *        registers, which is 11 KiB with AVX-512 and AMX.
 */
#ifndef HLRC_ALTSTACK_H
#define HLRC_ALTSTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* What handling a page fault or a system call may need. tests/blackbox/altstack_depth measures
 * 32 KiB in the default build and 37 KiB in a sanitized one, without the system's frame: a fault
 * that ends an interval, to make room for copies. */
#ifdef HLRC_INSTRUMENTED
#    define ALTSTACK_LEAST ((size_t)96 << 10)
#else
#    define ALTSTACK_LEAST ((size_t)56 << 10)
#endif

int altstacks_init(uint32_t count); /* for slots 0 to count - 1 */

/* Both of the calling thread, which takes or gives back the slot. */
void altstack_take(uint32_t slot);
void altstack_leave(uint32_t slot);

/* The stack of a slot, whether a thread has it as its alternate one or not. */
stack_t altstack_slot(uint32_t slot);

/* Before a signal handler returns that may have taken one: the system puts back what the thread
 * had when the signal came. */
static inline bool altstack_is_new(const ucontext_t *context)
{
    return context->uc_stack.ss_size == 0;
}
void altstack_keep(ucontext_t *context);

/* AS1: whether the calling handler runs on an alternate stack that has too little room. */
static inline bool altstack_is_small(const ucontext_t *context)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0); /* a local may be on a fake stack */
    size_t room = (size_t)(here - (uintptr_t)context->uc_stack.ss_sp);
    return room < ALTSTACK_LEAST && room < context->uc_stack.ss_size;
}

/* Calls act(arg), which may fault, on the stack of this slot of the calling thread, and makes that
 * its alternate one until the handler returns: the thread has another, on which the handler's frame
 * is not to be overwritten. Where the thread is on the slot's stack already, it stays there. */
void altstack_run(uint32_t slot, void (*act)(void *), void *arg);

/* The stack pointer of the interrupted code. */
uintptr_t altstack_interrupted(const ucontext_t *context);

#endif
