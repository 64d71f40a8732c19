/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reads.c - functions that compilers call for -fsanitize=thread, in place of ThreadSanitizer's
 * runtime: loads are noted for --check races (hlrc_note_read); stores are found by comparing
 * pages.
 *
 * Atomic operations are sequentially consistent, whatever order is requested, and noted as loads:
 * between nodes they order nothing.
 */
#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLER __builtin_return_address(0)

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* compilers call by name */

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

#define HOOK(NAME, ACT)          \
    void __tsan_##NAME(void *at) \
    {                            \
        ACT;                     \
    }
#define HOOKS(NAME, BYTES, ACT) \
    HOOK(NAME##BYTES, ACT)      \
    HOOK(unaligned_##NAME##BYTES, ACT)
#define READS(NAME, BYTES)  HOOKS(NAME, BYTES, hlrc_note_read(at, BYTES, CALLER))
#define WRITES(NAME, BYTES) HOOKS(NAME, BYTES, (void)at)

/* Clang has separate names for read-then-write accesses. */
#define ACCESS(BYTES)           \
    READS(read, BYTES)          \
    READS(volatile_read, BYTES) \
    READS(read_write, BYTES)    \
    WRITES(write, BYTES)        \
    WRITES(volatile_write, BYTES)

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *at, size_t bytes)
{
    hlrc_note_read(at, bytes, CALLER);
}

void __tsan_write_range(void *at, size_t bytes)
{
    (void)at, (void)bytes;
}

void __tsan_vptr_update(void **at, void *value)
{
    (void)at, (void)value;
}

void __tsan_vptr_read(void **at)
{
    hlrc_note_read(at, sizeof *at, CALLER);
}

/* Clang calls these instead. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    hlrc_note_read(from, bytes, CALLER);
    return __builtin_memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    hlrc_note_read(from, bytes, CALLER);
    return __builtin_memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}

/* ---- atomic operations ---- */

/* Performs ACT on the word at `at`, which it reads. */
#define READ_BY(type, name, parameters, ACT)                             \
    type name parameters                                                 \
    {                                                                    \
        (void)order;                                                     \
        hlrc_note_read((const void *)(uintptr_t)at, sizeof *at, CALLER); \
        ACT;                                                             \
    }

#define FETCH(PREFIX, type, NAME)                                                     \
    READ_BY(type, PREFIX##_fetch_##NAME, (volatile type * at, type value, int order), \
            return __atomic_fetch_##NAME(at, value, __ATOMIC_SEQ_CST))

#define SWAP(PREFIX, type, NAME)                                                             \
    READ_BY(int, PREFIX##_compare_exchange_##NAME,                                           \
            (volatile type * at, type * expected, type value, int order, int failed),        \
            (void)failed;                                                                    \
            return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, \
                                               __ATOMIC_SEQ_CST))

#define ATOMIC(PREFIX, type)                                                                      \
    READ_BY(type, PREFIX##_load, (const volatile type *at, int order),                            \
            return __atomic_load_n(at, __ATOMIC_SEQ_CST))                                         \
    void PREFIX##_store(volatile type *at, type value, int order)                                 \
    {                                                                                             \
        (void)order;                                                                              \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                            \
    }                                                                                             \
    READ_BY(type, PREFIX##_exchange, (volatile type * at, type value, int order),                 \
            return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST))                              \
    READ_BY(type, PREFIX##_compare_exchange_val,                                                  \
            (volatile type * at, type expected, type value, int order, int failed), (void)failed; \
            (void)__atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST,      \
                                              __ATOMIC_SEQ_CST);                                  \
            return expected)                                                                      \
    SWAP(PREFIX, type, strong)                                                                    \
    SWAP(PREFIX, type, weak)                                                                      \
    FETCH(PREFIX, type, add)                                                                      \
    FETCH(PREFIX, type, sub)                                                                      \
    FETCH(PREFIX, type, and)                                                                      \
    FETCH(PREFIX, type, or)                                                                       \
    FETCH(PREFIX, type, xor)                                                                      \
    FETCH(PREFIX, type, nand)

ATOMIC(__tsan_atomic8, uint8_t)
ATOMIC(__tsan_atomic16, uint16_t)
ATOMIC(__tsan_atomic32, uint32_t)
ATOMIC(__tsan_atomic64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
