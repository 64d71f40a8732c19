/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stack_switch.c - see stack_switch.h. */
#include "base/stack_switch.h"

#include <errno.h>

#define FUNCTION_BEGIN(name, type) \
    ".pushsection .text\n"         \
    ".p2align 4\n"                 \
    ".globl " name "\n"            \
    ".hidden " name "\n"           \
    ".type " name ", " type "\n" name ":\n"
#define FUNCTION_END(name)           \
    ".size " name ", . - " name "\n" \
    ".popsection\n"

#if defined(__x86_64__)
__asm__(FUNCTION_BEGIN("stack_switch_call", "@function") /* */
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rsp, (%rcx)\n"
        "    movq %rdx, %rsp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    callq *%rax\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n" /* */
        FUNCTION_END("stack_switch_call"));
#elif defined(__aarch64__)
__asm__(FUNCTION_BEGIN("stack_switch_call", "%function") /* */
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 29, -16\n"
        "    .cfi_offset 30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register 29\n"
        "    str x29, [x3]\n"
        "    mov sp, x2\n"
        "    mov x4, x0\n"
        "    mov x0, x1\n"
        "    blr x4\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa_register 31\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_restore 29\n"
        "    .cfi_restore 30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n" /* */
        FUNCTION_END("stack_switch_call"));
#else
#    error "call a function on another stack for this CPU here"
#endif

#ifdef STACK_SWITCH_BY_LIBC

void stack_switch_to(stack_switch_context *from, const stack_switch_context *to)
{
    swapcontext(from, to);
}

int stack_switch_prepare(stack_switch_context *context, char *stack, size_t bytes,
                         void (*begin)(void))
{
    if (getcontext(context) != 0)
        return -errno;
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = bytes;
    makecontext(context, begin, 0);
    return 0;
}

#else

/* Pushes the callee-saved registers, saves the stack pointer in *from, and continues where the
 * other context was saved. */
#    ifdef __x86_64__
#        define KEPT    6 /* rbp, rbx, r12 to r15 */
#        define RETURNS 6 /* index of the return address; one spare word for the alignment */
#        define SPARE   2
__asm__(FUNCTION_BEGIN("stack_switch_to", "@function") /* */
        "    endbr64\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov (%rsi), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n" /* */
        FUNCTION_END("stack_switch_to"));
#    else
#        define KEPT    20 /* x19 to x30, d8 to d15 */
#        define RETURNS 11 /* x30 */
#        define SPARE   0
__asm__(FUNCTION_BEGIN("stack_switch_to", "%function") /* */
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    ldr x2, [x1]\n"
        "    mov sp, x2\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n" /* */
        FUNCTION_END("stack_switch_to"));
#    endif

/* Prepares a stack as if `begin` were about to be called at its top. */
int stack_switch_prepare(stack_switch_context *context, char *stack, size_t bytes,
                         void (*begin)(void))
{
    uintptr_t top = ((uintptr_t)stack + bytes) & ~(uintptr_t)15;
    uintptr_t *kept = (uintptr_t *)top - (KEPT + SPARE);
    for (int i = 0; i < KEPT + SPARE; i++)
        kept[i] = 0;
    kept[RETURNS] = (uintptr_t)begin;
    *context = kept;
    return 0;
}

#endif
