/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fence.c - replacements that compat/cc/as inserts for fences and around atomic instructions.
 *
 * The compiler does not know of these calls: they may occur anywhere in a function. So they
 * preserve all registers, vector registers too, and flags.
 */
#include "compat/openmp/fence.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/openmp/atomics.h"
#include "compat/openmp/locks.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

static _Thread_local hlrc_lock_t held; /* between hlrc_word_lock and hlrc_word_unlock */

#define YIELDS 16   /* flushes; threads that share a processor may spin */
#define OFFER  1024 /* flushes; threads of other processes may use the processor */

/* Until this thread offers its processor: it may wait for a thread that is queued there. */
_Thread_local int32_t fence_left __attribute__((visibility("hidden"))) = OFFER;

static void fence_alone(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (fence_left < 0) {
        fence_left = OFFER;
        sched_yield();
    }
    if (++locks_syncs % YIELDS == 0 && start_crowded)
        sched_yield();
}

void fence_flush(void)
{
    if (!start_spread) {
        fence_alone();
        return;
    }
    locks_take(LOCK_FLUSH);
    locks_drop(LOCK_FLUSH);
}

/* The instruction is also a fence. */
void fence_lock(const void *word)
{
    hlrc_lock_t lock = atomics_lock_of(word);
    fence_flush();
    if (!start_spread)
        return;
    locks_take(lock);
    lane_bind();
    held = lock;
}

void fence_unlock(void)
{
    if (!start_spread)
        return;
    locks_drop(held);
    lane_unbind();
}

/* ---- what compat/cc/as calls; it changes nothing for other processors ---- */

#ifdef __x86_64__

#    include <cpuid.h>

/* Most bytes that XSAVE writes with the features enabled; 0: only FXSAVE is available. */
uint64_t fence_room __attribute__((visibility("hidden")));

__attribute__((constructor)) static void fence_measure(void)
{
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_OSXSAVE) &&
        __get_cpuid_count(0xd, 0, &eax, &ebx, &ecx, &edx))
        fence_room = ebx;
}

static_assert(offsetof(struct lane, private_sp) == 16, "STUB has this number");

/* If start_fences, or fence_left has become negative, calls `function` with %rdi as it is and
 * preserves all else; otherwise executes `alone`. XRSTOR needs zeros after the first 512 bytes. The
 * registers are saved on the private stack, as the function runs there (lane.h): on the shared one,
 * a fence would itself store something new to publish. */
#    define STUB(name, function, alone)                                              \
        __asm__(".text\n"                                                            \
                ".globl " name "\n"                                                  \
                ".type " name ", @function\n" name ":\n"                             \
                "    .cfi_startproc\n"                                               \
                "    endbr64\n"                                                      \
                "    pushfq\n"                                                       \
                "    .cfi_def_cfa_offset 16\n"                                       \
                "    cmpb $0, start_fences(%rip)\n"                                  \
                "    jne 1f\n"                                                       \
                "    pushq %rcx\n"                                                   \
                "    .cfi_def_cfa_offset 24\n"                                       \
                "    movq fence_left@gottpoff(%rip), %rcx\n"                         \
                "    decl %fs:(%rcx)\n"                                              \
                "    popq %rcx\n"                                                    \
                "    .cfi_def_cfa_offset 16\n"                                       \
                "    js 1f\n"                                                        \
                "    " alone "\n"                                                    \
                "    popfq\n"                                                        \
                "    ret\n"                                                          \
                "1:  pushq %rcx\n"                                                   \
                "    .cfi_def_cfa_offset 24\n"                                       \
                "    movq lane_current@gottpoff(%rip), %rcx\n"                       \
                "    movq %fs:(%rcx), %rcx\n"                                        \
                "    testq %rcx, %rcx\n"                                             \
                "    jz 4f\n"                                                        \
                "    movq 16(%rcx), %rcx\n"                                          \
                "    testq %rcx, %rcx\n"                                             \
                "    jz 4f\n"                                                        \
                "    cmpq lane_shared_from(%rip), %rsp\n"                            \
                "    jb 4f\n"                                                        \
                "    cmpq lane_shared_to(%rip), %rsp\n"                              \
                "    jb 5f\n"                                                        \
                "4:  movq %rsp, %rcx\n"                                              \
                "5:  movq %rsp, -8(%rcx)\n"                                          \
                "    leaq -8(%rcx), %rsp\n"                                          \
                "    pushq %rbp\n"                                                   \
                "    movq %rsp, %rbp\n" /* CFA: *(%rbp + 8) + 24; %rbp is at %rbp */ \
                "    .cfi_escape 0x0f, 5, 0x76, 8, 0x06, 0x23, 24\n"                 \
                "    .cfi_escape 0x10, 6, 2, 0x76, 0\n"                              \
                "    cld\n"                                                          \
                ".irp register, rax, rdx, rsi, rdi, r8, r9, r10, r11\n"              \
                "    pushq %\\register\n"                                            \
                ".endr\n"                                                            \
                "    movq fence_room(%rip), %rcx\n"                                  \
                "    testq %rcx, %rcx\n"                                             \
                "    jz 2f\n"                                                        \
                "    subq %rcx, %rsp\n"                                              \
                "    andq $-64, %rsp\n"                                              \
                "    xorl %eax, %eax\n"                                              \
                ".irp at, 512, 520, 528, 536, 544, 552, 560, 568\n"                  \
                "    movq %rax, \\at(%rsp)\n"                                        \
                ".endr\n"                                                            \
                "    movl $-1, %eax\n"                                               \
                "    movl $-1, %edx\n"                                               \
                "    xsave64 (%rsp)\n"                                               \
                "    call " function "\n"                                            \
                "    movl $-1, %eax\n"                                               \
                "    movl $-1, %edx\n"                                               \
                "    xrstor64 (%rsp)\n"                                              \
                "    jmp 3f\n"                                                       \
                "2:  subq $512, %rsp\n"                                              \
                "    andq $-64, %rsp\n"                                              \
                "    fxsave64 (%rsp)\n"                                              \
                "    call " function "\n"                                            \
                "    fxrstor64 (%rsp)\n"                                             \
                "3:  leaq -64(%rbp), %rsp\n"                                         \
                ".irp register, r11, r10, r9, r8, rdi, rsi, rdx, rax\n"              \
                "    popq %\\register\n"                                             \
                ".endr\n"                                                            \
                "    popq %rbp\n"                                                    \
                "    popq %rsp\n"                                                    \
                "    .cfi_def_cfa %rsp, 24\n"                                        \
                "    .cfi_restore %rbp\n"                                            \
                "    popq %rcx\n"                                                    \
                "    .cfi_def_cfa_offset 16\n"                                       \
                "    popfq\n"                                                        \
                "    .cfi_def_cfa_offset 8\n"                                        \
                "    ret\n"                                                          \
                "    .cfi_endproc\n"                                                 \
                ".size " name ", . - " name "\n")

/* ---- compare and swap, which clang leaves in line for minima and maxima ---- */

/* In the caller's frame, for hlrc_word_swap_N with %rdi: the word, %rsi: this. */
struct fence_swap {
    uint64_t value; /* to be stored; replaced by what the word had */
    uint64_t expected;
};

#    define DEFINE_SWAP(n, type)                                                               \
        bool fence_compare_##n(type *word, type *expected, type value, int,                    \
                               int) __asm__("__atomic_compare_exchange_" #n);                  \
        __attribute__((used, visibility("hidden"))) void fence_swap_##n(type *word,            \
                                                                        struct fence_swap *s); \
        void fence_swap_##n(type *word, struct fence_swap *s)                                  \
        {                                                                                      \
            type old = (type)s->expected;                                                      \
            (void)fence_compare_##n(word, &old, (type)s->value, __ATOMIC_SEQ_CST,              \
                                    __ATOMIC_SEQ_CST);                                         \
            s->value = old;                                                                    \
        }
DEFINE_SWAP(1, uint8_t)
DEFINE_SWAP(2, uint16_t)
DEFINE_SWAP(4, uint32_t)
DEFINE_SWAP(8, uint64_t)

#    define SWAP(n, counter)                                                            \
        STUB("hlrc_word_swap_" #n, "fence_swap_" #n,                                    \
             "pushq %rax\n pushq %rcx\n movq (%rsi), %rcx\n movq 8(%rsi), %rax\n lock " \
             "cmpxchg " counter ", (%rdi)\n movq %rax, (%rsi)\n popq %rcx\n popq %rax")
SWAP(1, "%cl");
SWAP(2, "%cx");
SWAP(4, "%ecx");
SWAP(8, "%rcx");

STUB("hlrc_fence", "fence_flush", "lock orq $0, (%rsp)");
STUB("hlrc_word_lock", "fence_lock", "");
STUB("hlrc_word_unlock", "fence_unlock", "");

#endif
