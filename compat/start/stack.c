/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stack.c - see stack.h. */
#include "compat/start/stack.h"

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl stack_call\n"
        ".hidden stack_call\n"
        ".type stack_call, @function\n"
        "stack_call:\n"
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
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size stack_call, . - stack_call\n");
#else
#    error "call a function on another stack for this CPU here"
#endif
