/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_calls.h - system calls while threads are stopped, or do not exist yet: they acquire no
 * lock, are no cancellation points, and no other library replaces them.
 */
#ifndef HLRC_CHECKPOINT_CALLS_H
#define HLRC_CHECKPOINT_CALLS_H

#include <stddef.h>
#include <sys/syscall.h>

/* CALL(name, up to six arguments): the result, or a negative errno. */
#define CALL(...) CALL_EXPAND(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define CALL_EXPAND(name, a, b, c, d, e, f, ...)                                           \
    checkpoint_calls_do(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
                        (long)(f))

static inline long checkpoint_calls_do(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return -38;
#endif
}

/* Ends a process that cannot be restored, with one line. */
_Noreturn void checkpoint_calls_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
