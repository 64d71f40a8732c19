/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * altstack.h - alternate stacks for error signals.
 *
 * A thread whose stack has overflowed cannot handle the signal there. So each thread that has a
 * slot (thread.h) has an alternate stack, and handles page faults on it as well.
 *
 * Invariants
 *   - A thread that already has an alternate stack keeps it. If that has less room than
 *     ALTSTACK_LEAST, page faults and trapped system calls are handled on the stack of the thread's
 *     slot (altstack_run). The address sanitizer's runtime gives each thread a small one.
 *   - The stacks are only address space until they are used, with a page without access below each.
 *     They are made at start and kept until the process ends, because a thread may outlive
 *     hlrc_finalize.
 *   - Handling page faults and system calls uses less than ALTSTACK_LEAST, and less than half of a
 *     slot's stack. The system's signal frame is added: it has the state of the vector registers,
 *     which is 11 KiB with AVX-512 and AMX.
 */
#ifndef HLRC_ALTSTACK_H
#define HLRC_ALTSTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* Maximum for handling a page fault or a system call. tests/blackbox/altstack_depth measures 32
 * KiB in the default build and 37 KiB in a sanitized one, without the signal frame, for a fault
 * that ends an interval to free memory of copies. */
#ifdef HLRC_INSTRUMENTED
#    define ALTSTACK_LEAST ((size_t)96 << 10)
#else
#    define ALTSTACK_LEAST ((size_t)56 << 10)
#endif

int altstack_init(uint32_t count); /* for slots 0 to count - 1 */

/* Both are called by the thread that takes or frees the slot. */
void altstack_take(uint32_t slot);
void altstack_leave(uint32_t slot);

/* The stack of a slot, whether or not it is a thread's alternate stack. */
stack_t altstack_slot(uint32_t slot);

/* Called before a signal handler returns that may have set an alternate stack: the system restores
 * the stack that the thread had when the signal arrived. */
static inline bool altstack_is_new(const ucontext_t *context)
{
    return context->uc_stack.ss_size == 0;
}
void altstack_keep(ucontext_t *context);

/* True if the calling handler runs on an alternate stack with too little room. */
static inline bool altstack_is_small(const ucontext_t *context)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0); /* a local may be on a fake stack */
    size_t room = (size_t)(here - (uintptr_t)context->uc_stack.ss_sp);
    return room < ALTSTACK_LEAST && room < context->uc_stack.ss_size;
}

/* Calls act(arg), which may fault, on this slot's stack, and makes that the alternate stack of the
 * calling thread until the handler returns. Otherwise a signal would overwrite the handler's frame
 * on the thread's own alternate stack. A thread that is on the slot's stack already stays
 * there. */
void altstack_run(uint32_t slot, void (*act)(void *), void *arg);

/* The stack pointer of the interrupted code. */
uintptr_t altstack_interrupted(const ucontext_t *context);

#endif
