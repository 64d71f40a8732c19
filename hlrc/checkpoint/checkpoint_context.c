/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_context.c - see checkpoint_context.h. */
#include "hlrc/checkpoint/checkpoint_context.h"

#include <assert.h>
#include <stdlib.h>

#ifdef __x86_64__

static_assert(offsetof(struct checkpoint_context, mxcsr) == 64 &&
                  offsetof(struct checkpoint_context, x87) == 68,
              "the code below has the offsets");
static_assert(sizeof(struct checkpoint_context_step) == 72 &&
                  offsetof(struct checkpoint_context_step, args) == 8 &&
                  offsetof(struct checkpoint_context_step, failure) == 56,
              "the code below has the offsets");

/* clang-format off */
#    define BEGIN(name) \
        ".text\n.p2align 4\n.globl " name "\n.hidden " name "\n.type " name ", @function\n" \
        name ":\n"
#    define END(name) ".size " name ", . - " name "\n"

__asm__(
    BEGIN("checkpoint_context_save")
    "    mov %rbx, 0(%rdi)\n"
    "    mov %rbp, 8(%rdi)\n"
    "    mov %r12, 16(%rdi)\n"
    "    mov %r13, 24(%rdi)\n"
    "    mov %r14, 32(%rdi)\n"
    "    mov %r15, 40(%rdi)\n"
    "    lea 8(%rsp), %rax\n"
    "    mov %rax, 48(%rdi)\n"
    "    mov (%rsp), %rax\n"
    "    mov %rax, 56(%rdi)\n"
    "    stmxcsr 64(%rdi)\n"
    "    fnstcw 68(%rdi)\n"
    "    xor %eax, %eax\n"
    "    ret\n"
    END("checkpoint_context_save"));

__asm__(
    BEGIN("checkpoint_context_load")
    "    mov 0(%rdi), %rbx\n"
    "    mov 8(%rdi), %rbp\n"
    "    mov 16(%rdi), %r12\n"
    "    mov 24(%rdi), %r13\n"
    "    mov 32(%rdi), %r14\n"
    "    mov 40(%rdi), %r15\n"
    "    mov 48(%rdi), %rsp\n"
    "    ldmxcsr 64(%rdi)\n"
    "    fldcw 68(%rdi)\n"
    "    mov $1, %eax\n"
    "    jmp *56(%rdi)\n"
    END("checkpoint_context_load"));

/* The system preserves r9. */
__asm__(
    BEGIN("checkpoint_context_clone")
    "    mov %rdi, %r9\n"
    "    mov %rsi, %rdi\n"
    "    mov 48(%r9), %rsi\n"
    "    mov %rcx, %r10\n"
    "    mov $56, %eax\n"
    "    syscall\n"
    "    test %rax, %rax\n"
    "    jz 1f\n"
    "    ret\n"
    "1:\n"
    "    mov %r9, %rdi\n"
    "    jmp checkpoint_context_load\n"
    END("checkpoint_context_clone"));

__asm__(
    BEGIN("checkpoint_context_restorer")
    "    mov $15, %rax\n"
    "    syscall\n"
    END("checkpoint_context_restorer"));

/* r15: the step. No stack, and no reference to other code or data. */
__asm__(
    BEGIN("checkpoint_context_steps")
    "    mov %rdi, %r15\n"
    "1:\n"
    "    mov 0(%r15), %rax\n"
    "    cmp $-1, %rax\n"
    "    je 4f\n"
    "    mov 8(%r15), %rdi\n"
    "    mov 16(%r15), %rsi\n"
    "    mov 24(%r15), %rdx\n"
    "    mov 32(%r15), %r10\n"
    "    mov 40(%r15), %r8\n"
    "    mov 48(%r15), %r9\n"
    "    syscall\n"
    "    cmp $-4096, %rax\n"
    "    ja 3f\n"
    "2:\n"
    "    add $72, %r15\n"
    "    jmp 1b\n"
    "3:\n"
    "    mov 64(%r15), %rdx\n"
    "    test %rdx, %rdx\n"
    "    jz 2b\n"
    "    mov 56(%r15), %rsi\n"
    "    mov $2, %edi\n"
    "    mov $1, %eax\n"
    "    syscall\n"
    "    mov $1, %edi\n"
    "    mov $231, %eax\n"
    "    syscall\n"
    "4:\n"
    "    mov 8(%r15), %rdi\n"
    "    jmp *16(%r15)\n"
    END("checkpoint_context_steps")
    ".globl checkpoint_context_steps_end\n.hidden checkpoint_context_steps_end\n"
    "checkpoint_context_steps_end:\n");

/* clang-format on */

#else /* checkpoint_threads_init() refuses before any of these is used */

const char checkpoint_context_steps[1], checkpoint_context_steps_end[1];

int checkpoint_context_save(struct checkpoint_context *c)
{
    (void)c;
    return 0;
}

void checkpoint_context_load(const struct checkpoint_context *c)
{
    (void)c;
    abort();
}

#endif
