/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * names.c - the functions that programs of hlrcc call in place of those in names.h: the C
 * library's on node 0, and a call of delegate_words elsewhere. In assembly, since they have the
 * same code whatever the arguments: words in registers, which on node 0 stay there. If the program
 * defines a function of such a name, its calls reach that function.
 */
#include "compat/process/delegate.h"

/* clang-format off */
#define NAMES(count, ...) \
    ".irp name, " #__VA_ARGS__ "\n call_here_or_there \\name, " #count \
    ", delegate_looks, start_away\n.endr\n"
#define POINTS(count, ...) \
    ".irp name, " #__VA_ARGS__ "\n call_here_or_there \\name, 0x10" #count \
    ", delegate_looks_at_points, delegate_detours\n.endr\n"
#define PROGRAM_NAMES NAMES
#define WEAK_NAMES(count, ...) \
    ".irp name, " #__VA_ARGS__ "\n .weak \\name\n.endr\n" NAMES(count, __VA_ARGS__)
#ifdef __x86_64__
__asm__(".text\n"
        ".macro call_here_or_there name, count, looks, detours\n"
        ".globl __wrap_\\name\n"
        ".type __wrap_\\name, @function\n"
        ".p2align 4\n"
        "__wrap_\\name:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "cmpb $0, \\looks(%rip)\n"
        "jne 1f\n"
        "jmp *\\name@GOTPCREL(%rip)\n"
        "1: movq lane_current@gottpoff(%rip), %r11\n" /* as delegate_is_away */
        "movq %fs:(%r11), %r11\n"
        "testq %r11, %r11\n"
        "je 3f\n"
        "incq 24(%r11)\n"
        "3: cmpb $0, \\detours(%rip)\n"
        "jne 4f\n"
        "jmp *\\name@GOTPCREL(%rip)\n"
        "4: movq \\name@GOTPCREL(%rip), %rax\n"
        "movl $\\count, %r11d\n"
        "cmpq delegate_program_end(%rip), %rax\n"
        "jb 2f\n"
        "jmp delegate_from_registers\n"
        "2: jmp *%rax\n" /* the program has a function of this name */
        ".cfi_endproc\n"
        ".size __wrap_\\name, . - __wrap_\\name\n"
        ".endm\n"
        ".type delegate_from_registers, @function\n"
        "delegate_from_registers:\n"
        ".cfi_startproc\n"
        "subq $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %r11\n" /* delegate_words: count, */
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rax\n" /* fn */
        ".cfi_adjust_cfa_offset 8\n"
        "call delegate_words\n"
        "addq $24, %rsp\n"
        ".cfi_adjust_cfa_offset -24\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size delegate_from_registers, . - delegate_from_registers\n"
#include "compat/process/names.h"
        /* vfork returns twice, on this stack. */
        ".globl __wrap_vfork\n"
        ".type __wrap_vfork, @function\n"
        ".p2align 4\n"
        "__wrap_vfork:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "cmpb $0, start_away(%rip)\n"
        "jne 1f\n"
        "jmp *vfork@GOTPCREL(%rip)\n"
        "1: jmp *__wrap_fork@GOTPCREL(%rip)\n"
        ".cfi_endproc\n"
        ".size __wrap_vfork, . - __wrap_vfork\n"
        ".purgem call_here_or_there\n");
#else /* one process: the C library's, always */
__asm__(".text\n"
        ".macro call_here_or_there name, count, looks, detours\n"
        ".globl __wrap_\\name\n"
        ".type __wrap_\\name, %function\n"
        ".p2align 4\n"
        "__wrap_\\name:\n"
        ".cfi_startproc\n"
        "hint #34\n" /* bti c */
        "adrp x16, :got:\\name\n"
        "ldr x16, [x16, :got_lo12:\\name]\n"
        "br x16\n"
        ".cfi_endproc\n"
        ".size __wrap_\\name, . - __wrap_\\name\n"
        ".endm\n"
        NAMES(0, vfork)
#    include "compat/process/names.h"
        ".purgem call_here_or_there\n");
#endif
/* clang-format on */
