/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fiber.c - see fiber.h. A switch saves only callee-saved registers. swapcontext, used with
 * sanitizers and on other architectures, also saves the signal mask, by two system calls.
 */
#include "sim/fiber.h"

#include <stdint.h>
#include <stdlib.h>

#include "sim/fail.h"

#ifdef __has_feature
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define WATCHED 1
#    endif
#endif

/* Sanitizers track stacks through swapcontext. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WATCHED)
#    define SWITCH_BY_LIBC 1
#elif !defined(__x86_64__) && !defined(__aarch64__)
#    define SWITCH_BY_LIBC 1
#else
#    define SWITCH_BY_LIBC 0
#endif

#if SWITCH_BY_LIBC
#    include <ucontext.h>
typedef ucontext_t context;
#else
typedef void *context; /* the stack pointer; saved registers are on the stack */
#endif

struct fiber {
    context here, caller;
    void (*fn)(void *);
    void *arg;
    char *stack;
    bool ended;
};

static struct fiber *running;

static void begin(void)
{
    struct fiber *f = running;

    f->fn(f->arg);
    f->ended = true;
    fiber_wait();
}

#if SWITCH_BY_LIBC

static void switch_to(context *from, const context *to)
{
    swapcontext(from, to);
}

static void prepare(struct fiber *f, size_t stack_bytes)
{
    if (getcontext(&f->here) != 0)
        sim_fail(SIM_FAILED, "cannot create the context of a fiber on this machine");
    f->here.uc_stack.ss_sp = f->stack;
    f->here.uc_stack.ss_size = stack_bytes;
    makecontext(&f->here, begin, 0);
}

#else

/* Pushes the callee-saved registers, saves the stack pointer in *from, and continues where the
 * other context was saved. */
void fiber_switch(context *from, context to) __attribute__((visibility("hidden")));

#    ifdef __x86_64__
#        define KEPT    6 /* rbp, rbx, r12 to r15 */
#        define RETURNS 6 /* index of the return address; one spare word for the alignment */
#        define SPARE   2
__asm__(".text\n"
        ".p2align 4\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size fiber_switch, . - fiber_switch\n");
#    else
#        define KEPT    20 /* x19 to x30, d8 to d15 */
#        define RETURNS 11 /* x30 */
#        define SPARE   0
__asm__(".text\n"
        ".p2align 4\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, %function\n"
        "fiber_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size fiber_switch, . - fiber_switch\n");
#    endif

static void switch_to(context *from, const context *to)
{
    fiber_switch(from, *to);
}

/* Prepares a stack as if `begin` were about to be called at its top. */
static void prepare(struct fiber *f, size_t stack_bytes)
{
    uintptr_t top = ((uintptr_t)f->stack + stack_bytes) & ~(uintptr_t)15;
    uintptr_t *kept = (uintptr_t *)top - (KEPT + SPARE);

    for (int i = 0; i < KEPT + SPARE; i++)
        kept[i] = 0;
    kept[RETURNS] = (uintptr_t)begin;
    f->here = kept;
}

#endif

struct fiber *fiber_new(void (*fn)(void *), void *arg, size_t stack_bytes)
{
    struct fiber *f = sim_new(1, sizeof *f);

    f->fn = fn;
    f->arg = arg;
    f->stack = sim_new(1, stack_bytes);
    prepare(f, stack_bytes);
    return f;
}

void fiber_free(struct fiber *f)
{
    free(f->stack);
    free(f);
}

bool fiber_run(struct fiber *f)
{
    running = f;
    switch_to(&f->caller, &f->here);
    running = NULL;
    return !f->ended;
}

void fiber_wait(void)
{
    struct fiber *f = running;

    switch_to(&f->here, &f->caller);
}
