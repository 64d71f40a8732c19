/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* amo.c - atomic operations by hlrc_word_fetch and hlrc_word_compare, also on this PE's own words.
 * All are complete on return, _nbi calls included. */
#include <string.h>

#include "compat/shmem/inner.h"

/* HLRC's name of a type, by size and sign. */
#define TYPE_OF(T)      ((sizeof(T) == 8 ? HLRC_INT64 : HLRC_INT32) + ((T)-1 > 0))
#define TYPE_OF_REAL(T) (sizeof(T) == 8 ? HLRC_DOUBLE : HLRC_FLOAT)

static void amo_change(const char *call, shmem_ctx_t ctx, const void *word, const void *value,
                       void *old, size_t size, hlrc_type type, hlrc_op op, int pe)
{
    void *there = inner_sh_remote(call, word, size);
    if (hlrc_word_fetch(hlrc_word_window(there, inner_sh_pe(call, ctx, pe)), type, op, value, old,
                        HLRC_RELAXED) != 0)
        fail_job("%s: the word at %p is not aligned to its %zu bytes", call, word, size);
}

/* `seen`: the expected value; afterwards the old one. */
static void amo_compare(shmem_ctx_t ctx, const void *word, void *seen, const void *value,
                        size_t size, hlrc_type type, int pe)
{
    const char *call = "shmem_atomic_compare_swap";
    void *there = inner_sh_remote(call, word, size);
    if (hlrc_word_compare(hlrc_word_window(there, inner_sh_pe(call, ctx, pe)), type, seen, value,
                          HLRC_RELAXED) < 0)
        fail_job("%s: the word at %p is not aligned to its %zu bytes", call, word, size);
}

#define FETCHES(T, N, TYPE)                                                                     \
    INNER_CALLS(T, N##_atomic_fetch, (const T *source, int pe), T old = 0;                      \
                amo_change("shmem_atomic_fetch", ctx, source, &old, &old, sizeof old, TYPE(T),  \
                           HLRC_NO_OP, pe);                                                     \
                return old;)                                                                    \
    INNER_CALLS(void, N##_atomic_fetch_nbi, (T * fetch, const T *source, int pe),               \
                *fetch = shmem_ctx_##N##_atomic_fetch(ctx, source, pe);)                        \
    INNER_CALLS(void, N##_atomic_set, (T * dest, T value, int pe),                              \
                amo_change("shmem_atomic_set", ctx, dest, &value, NULL, sizeof value, TYPE(T),  \
                           HLRC_REPLACE, pe);)                                                  \
    INNER_CALLS(T, N##_atomic_swap, (T * dest, T value, int pe), T old = 0;                     \
                amo_change("shmem_atomic_swap", ctx, dest, &value, &old, sizeof value, TYPE(T), \
                           HLRC_REPLACE, pe);                                                   \
                return old;)                                                                    \
    INNER_CALLS(void, N##_atomic_swap_nbi, (T * fetch, T * dest, T value, int pe),              \
                *fetch = shmem_ctx_##N##_atomic_swap(ctx, dest, value, pe);)
HLRC_SHMEM_AMO_(FETCHES, TYPE_OF)
HLRC_SHMEM_REAL_(FETCHES, TYPE_OF_REAL)

#define COMPARES(T, N, ...)                                                                        \
    INNER_CALLS(T, N##_atomic_compare_swap, (T * dest, T cond, T value, int pe),                   \
                amo_compare(ctx, dest, &cond, &value, sizeof value, TYPE_OF(T), pe);               \
                return cond;)                                                                      \
    INNER_CALLS(void, N##_atomic_compare_swap_nbi, (T * fetch, T * dest, T cond, T value, int pe), \
                *fetch = shmem_ctx_##N##_atomic_compare_swap(ctx, dest, cond, value, pe);)
HLRC_SHMEM_AMO_(COMPARES, )

/* With a value, and with the old value returned. */
#define COMBINES(T, N, OP, HOW)                                                                    \
    INNER_CALLS(void, N##_atomic_##OP, (T * dest, T value, int pe),                                \
                amo_change("shmem_atomic_" #OP, ctx, dest, &value, NULL, sizeof value, TYPE_OF(T), \
                           HOW, pe);)                                                              \
    INNER_CALLS(T, N##_atomic_fetch_##OP, (T * dest, T value, int pe), T old = 0;                  \
                amo_change("shmem_atomic_fetch_" #OP, ctx, dest, &value, &old, sizeof value,       \
                           TYPE_OF(T), HOW, pe);                                                   \
                return old;)                                                                       \
    INNER_CALLS(void, N##_atomic_fetch_##OP##_nbi, (T * fetch, T * dest, T value, int pe),         \
                *fetch = shmem_ctx_##N##_atomic_fetch_##OP(ctx, dest, value, pe);)
HLRC_SHMEM_AMO_(COMBINES, add, HLRC_SUM)
HLRC_SHMEM_BITS_(COMBINES, and, HLRC_AND)
HLRC_SHMEM_BITS_(COMBINES, or, HLRC_OR)
HLRC_SHMEM_BITS_(COMBINES, xor, HLRC_XOR)

#define INCREMENTS(T, N, ...)                                                  \
    INNER_CALLS(void, N##_atomic_inc, (T * dest, int pe),                      \
                shmem_ctx_##N##_atomic_add(ctx, dest, 1, pe);)                 \
    INNER_CALLS(T, N##_atomic_fetch_inc, (T * dest, int pe),                   \
                return shmem_ctx_##N##_atomic_fetch_add(ctx, dest, 1, pe);)    \
    INNER_CALLS(void, N##_atomic_fetch_inc_nbi, (T * fetch, T * dest, int pe), \
                *fetch = shmem_ctx_##N##_atomic_fetch_add(ctx, dest, 1, pe);)
HLRC_SHMEM_AMO_(INCREMENTS, )

/* ---- former names ---- */

#define OLD(T, N, ...)                                                 \
    void shmem_##N##_add(T *dest, T value, int pe)                     \
    {                                                                  \
        shmem_##N##_atomic_add(dest, value, pe);                       \
    }                                                                  \
    void shmem_##N##_inc(T *dest, int pe)                              \
    {                                                                  \
        shmem_##N##_atomic_inc(dest, pe);                              \
    }                                                                  \
    T shmem_##N##_fadd(T *dest, T value, int pe)                       \
    {                                                                  \
        return shmem_##N##_atomic_fetch_add(dest, value, pe);          \
    }                                                                  \
    T shmem_##N##_finc(T *dest, int pe)                                \
    {                                                                  \
        return shmem_##N##_atomic_fetch_inc(dest, pe);                 \
    }                                                                  \
    T shmem_##N##_cswap(T *dest, T cond, T value, int pe)              \
    {                                                                  \
        return shmem_##N##_atomic_compare_swap(dest, cond, value, pe); \
    }
HLRC_SHMEM_AMO_(OLD, )

#define OLD_FETCHES(T, N, ...)                           \
    T shmem_##N##_fetch(const T *source, int pe)         \
    {                                                    \
        return shmem_##N##_atomic_fetch(source, pe);     \
    }                                                    \
    void shmem_##N##_set(T *dest, T value, int pe)       \
    {                                                    \
        shmem_##N##_atomic_set(dest, value, pe);         \
    }                                                    \
    T shmem_##N##_swap(T *dest, T value, int pe)         \
    {                                                    \
        return shmem_##N##_atomic_swap(dest, value, pe); \
    }
HLRC_SHMEM_AMO_(OLD_FETCHES, )
HLRC_SHMEM_REAL_(OLD_FETCHES, )
