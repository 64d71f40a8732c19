/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wide.h - atomic operations of the processor on 16 aligned bytes: CMPXCHG16B, and loads by AVX,
 * which are atomic where it exists (Intel's Software Developer's Manual, volume 3, 9.1.1). Other
 * processors' are not used.
 */
#ifndef COMPAT_WIDE_H
#define COMPAT_WIDE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128_t;

#ifdef __x86_64__

#    include <cpuid.h>

static inline bool wide_exists(void)
{
    unsigned a, b, c, d, needed = bit_CMPXCHG16B | bit_AVX | bit_OSXSAVE;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & needed) == needed;
}

static inline uint128_t wide_load(const volatile uint128_t *word)
{
    uint128_t value;
    __asm__ volatile("vmovdqa %1, %%xmm0\n\tvmovdqa %%xmm0, %0"
                     : "=m"(value)
                     : "m"(*word)
                     : "xmm0", "memory");
    return value;
}

/* Stores the value found into *expected. */
static inline bool wide_cas(volatile uint128_t *word, uint128_t *expected, uint128_t value)
{
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*word), "+a"(low), "+d"(high)
                     : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
                     : "memory");
    *expected = (uint128_t)high << 64 | low;
    return done;
}

#else

static inline bool wide_exists(void)
{
    return false;
}

static inline uint128_t wide_load(const volatile uint128_t *word)
{
    return *word;
}

static inline bool wide_cas(volatile uint128_t *word, uint128_t *expected, uint128_t value)
{
    (void)word, (void)expected, (void)value;
    return false;
}

#endif

#endif
