/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * atomics.c - atomic operations on the program's variables, which gcc leaves to a library when it
 * is told to (-fno-inline-atomics): the interface of its libatomic.
 *
 * Between nodes a processor's atomic instruction means nothing. So each operation is made under a
 * lock, chosen by the address: it is atomic, and orders memory with all other operations on that
 * word. In a job of one node it is the instruction.
 */
#include "compat/openmp/atomics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compat/openmp/locks.h"
#include "compat/start/start.h"

__extension__ typedef unsigned __int128 uint128_t;

hlrc_lock_t atomics_lock_of(const volatile void *word)
{
    uint64_t hash = ((uintptr_t)word >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    return LOCK_WORDS + (hlrc_lock_t)((hash >> 33) % LOCK_WORDS_COUNT);
}

/* Functions of the compiler's own names are declared under others. */
#define NAMED(name) __asm__(#name) __attribute__((visibility("default")))

#define BEGIN(word)                               \
    hlrc_lock_t the_lock = atomics_lock_of(word); \
    locks_take(the_lock)
#define END() locks_drop(the_lock)

/* Of a job of one, where the processor has the instruction: up to 8 bytes. */
#define NATIVE_1(statement) \
    if (!start_sharing) {   \
        statement;          \
    }
#define NATIVE_2(statement) NATIVE_1(statement)
#define NATIVE_4(statement) NATIVE_1(statement)
#define NATIVE_8(statement) NATIVE_1(statement)
#define NATIVE_16(statement)
#define NATIVE(n, e) NATIVE_##n(return e)
#define NATIVE_STORE(n, word, value) \
    NATIVE_##n(__atomic_store_n(word, value, __ATOMIC_SEQ_CST); return;)

#define LOAD_STORE(n, type)                                                      \
    type atomic_load_##n(const volatile type *, int) NAMED(__atomic_load_##n);   \
    type atomic_load_##n(const volatile type *word, int order)                   \
    {                                                                            \
        (void)order;                                                             \
        NATIVE(n, __atomic_load_n(word, __ATOMIC_SEQ_CST));                      \
        BEGIN(word);                                                             \
        type value = *word;                                                      \
        END();                                                                   \
        return value;                                                            \
    }                                                                            \
    void atomic_store_##n(volatile type *, type, int) NAMED(__atomic_store_##n); \
    void atomic_store_##n(volatile type *word, type value, int order)            \
    {                                                                            \
        (void)order;                                                             \
        NATIVE_STORE(n, word, value)                                             \
        BEGIN(word);                                                             \
        *word = value;                                                           \
        END();                                                                   \
    }

#define EXCHANGE(n, type)                                                                     \
    type atomic_exchange_##n(volatile type *, type, int) NAMED(__atomic_exchange_##n);        \
    type atomic_exchange_##n(volatile type *word, type value, int order)                      \
    {                                                                                         \
        (void)order;                                                                          \
        NATIVE(n, __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST));                        \
        BEGIN(word);                                                                          \
        type old = *word;                                                                     \
        *word = value;                                                                        \
        END();                                                                                \
        return old;                                                                           \
    }                                                                                         \
    bool atomic_cas_##n(volatile type *, type *, type, int, int)                              \
        NAMED(__atomic_compare_exchange_##n);                                                 \
    bool atomic_cas_##n(volatile type *word, type *expected, type value, int yes, int no)     \
    {                                                                                         \
        (void)yes, (void)no;                                                                  \
        NATIVE(n, __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, \
                                              __ATOMIC_SEQ_CST));                             \
        type want = *expected;                                                                \
        BEGIN(word);                                                                          \
        type old = *word;                                                                     \
        if (old == want)                                                                      \
            *word = value;                                                                    \
        END();                                                                                \
        if (old != want)                                                                      \
            *expected = old;                                                                  \
        return old == want;                                                                   \
    }

/* Both that which returns the old value and that which returns the new one. */
#define OPERATION(n, type, name, expression)                                                       \
    type atomic_fetch_##name##_##n(volatile type *, type, int) NAMED(__atomic_fetch_##name##_##n); \
    type atomic_fetch_##name##_##n(volatile type *word, type value, int order)                     \
    {                                                                                              \
        (void)order;                                                                               \
        NATIVE(n, __atomic_fetch_##name(word, value, __ATOMIC_SEQ_CST));                           \
        BEGIN(word);                                                                               \
        type old = *word;                                                                          \
        *word = (type)(expression);                                                                \
        END();                                                                                     \
        return old;                                                                                \
    }                                                                                              \
    type atomic_##name##_fetch_##n(volatile type *, type, int) NAMED(__atomic_##name##_fetch_##n); \
    type atomic_##name##_fetch_##n(volatile type *word, type value, int order)                     \
    {                                                                                              \
        (void)order;                                                                               \
        NATIVE(n, __atomic_##name##_fetch(word, value, __ATOMIC_SEQ_CST));                         \
        BEGIN(word);                                                                               \
        type old = *word, new = (type)(expression);                                                \
        *word = new;                                                                               \
        END();                                                                                     \
        return new;                                                                                \
    }

#define ALL(n, type)                     \
    LOAD_STORE(n, type)                  \
    EXCHANGE(n, type)                    \
    OPERATION(n, type, add, old + value) \
    OPERATION(n, type, sub, old - value) \
    OPERATION(n, type, and, old &value)  \
    OPERATION(n, type, xor, old ^ value) \
    OPERATION(n, type, or, old | value)  \
    OPERATION(n, type, nand, ~(old & value))

ALL(1, uint8_t)
ALL(2, uint16_t)
ALL(4, uint32_t)
ALL(8, uint64_t)
ALL(16, uint128_t)

/* ---- words of any size ---- */

void atomic_load_any(size_t, const void *, void *, int) NAMED(__atomic_load);
void atomic_load_any(size_t bytes, const void *word, void *value, int order)
{
    (void)order;
    BEGIN(word);
    memcpy(value, word, bytes);
    END();
}

void atomic_store_any(size_t, void *, const void *, int) NAMED(__atomic_store);
void atomic_store_any(size_t bytes, void *word, const void *value, int order)
{
    (void)order;
    BEGIN(word);
    memcpy(word, value, bytes);
    END();
}

void atomic_exchange_any(size_t, void *, const void *, void *, int) NAMED(__atomic_exchange);
void atomic_exchange_any(size_t bytes, void *word, const void *value, void *old, int order)
{
    (void)order;
    BEGIN(word);
    memcpy(old, word, bytes);
    memcpy(word, value, bytes);
    END();
}

bool atomic_cas_any(size_t, void *, void *, const void *, int, int)
    NAMED(__atomic_compare_exchange);
bool atomic_cas_any(size_t bytes, void *word, void *expected, const void *value, int yes, int no)
{
    (void)yes, (void)no;
    BEGIN(word);
    bool same = memcmp(word, expected, bytes) == 0;
    if (same)
        memcpy(word, value, bytes);
    else
        memcpy(expected, word, bytes);
    END();
    return same;
}

bool atomic_test_and_set(volatile uint8_t *, int) NAMED(__atomic_test_and_set_1);
bool atomic_test_and_set(volatile uint8_t *word, int order)
{
    return atomic_exchange_1(word, 1, order) != 0;
}

bool atomic_is_lock_free(size_t, const void *) NAMED(__atomic_is_lock_free);
bool atomic_is_lock_free(size_t bytes, const void *word)
{
    (void)word;
    return !start_sharing && bytes <= 8 && (bytes & (bytes - 1)) == 0;
}
