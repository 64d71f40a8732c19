/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reduce.c - reductions of teams and active sets. The order in which values are combined depends
 * only on the number of PEs, and all PEs get the same bits. */
#include "compat/shmem/inner.h"

static void reduce(const char *call, struct shmem_group *g, void *dest, const void *source,
                   size_t count, size_t bytes, sh_combine *combine)
{
    size_t all;
    if (count == 0)
        return;
    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX;
    inner_sh_reduce(g, inner_sh_remote(call, dest, all), inner_sh_local(source), count, bytes,
                    combine);
}

static void reduce_scan(const char *call, struct shmem_group *g, void *dest, const void *source,
                        size_t count, size_t bytes, sh_combine *combine, bool exclusive)
{
    size_t all;
    if (count == 0)
        return;
    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX;
    inner_sh_scan(g, inner_sh_remote(call, dest, all), inner_sh_local(source), count, bytes,
                  combine, exclusive);
}

/* The program's work array has max(count / 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE) elements. */
static void reduce_active(const char *call, struct shmem_group g, void *dest, const void *source,
                          int count, size_t bytes, void *work, sh_combine *combine)
{
    size_t least = SHMEM_REDUCE_MIN_WRKDATA_SIZE, n = count > 0 ? (size_t)count : 0;
    if (n / 2 + 1 > least)
        least = n / 2 + 1;
    g.inbox_bytes = least / LEVELS * LEVELS * bytes;
    g.inbox = inner_sh_remote(call, work, g.inbox_bytes);
    reduce(call, &g, dest, source, n, bytes, combine);
}

/* ---- combination of two values ---- */

#define AND_OF(T, a, b)  ((T)((a) & (b)))
#define OR_OF(T, a, b)   ((T)((a) | (b)))
#define XOR_OF(T, a, b)  ((T)((a) ^ (b)))
#define MAX_OF(T, a, b)  ((a) < (b) ? (b) : (a))
#define MIN_OF(T, a, b)  ((b) < (a) ? (b) : (a))
#define SUM_OF(T, a, b)  ((T)((a) + (b)))
#define PROD_OF(T, a, b) ((T)((a) * (b)))

/* C is the type of the computation: signed integers wrap around. */
#define COMBINE(T, N, C, OP, HOW)                                              \
    static void combine_##N##_##OP(void *into, const void *with, size_t count) \
    {                                                                          \
        T *a = into;                                                           \
        const T *b = with;                                                     \
        for (size_t i = 0; i < count; i++)                                     \
            a[i] = (T)HOW(C, (C)a[i], (C)b[i]);                                \
    }
#define TEAM(T, N, OP)                                                                         \
    int shmem_##N##_##OP##_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce) \
    {                                                                                          \
        const char *call = "shmem_" #OP "_reduce";                                             \
        reduce(call, inner_sh_group(call, team), dest, source, nreduce, sizeof(T),             \
               combine_##N##_##OP);                                                            \
        return 0;                                                                              \
    }
#define SCAN(T, N, NAME, EXCLUSIVE)                                                    \
    int shmem_##N##_##NAME(shmem_team_t team, T *dest, const T *source, size_t nelems) \
    {                                                                                  \
        const char *call = "shmem_" #NAME;                                             \
        reduce_scan(call, inner_sh_group(call, team), dest, source, nelems, sizeof(T), \
                    combine_##N##_sum, EXCLUSIVE);                                     \
        return 0;                                                                      \
    }
#define TO_ALL(T, N, OP)                                                                         \
    void shmem_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, int PE_start,          \
                                   int logPE_stride, int PE_size, T *pWrk, long *pSync)          \
    {                                                                                            \
        const char *call = "shmem_" #N "_" #OP "_to_all";                                        \
        reduce_active(call, inner_sh_active(call, PE_start, logPE_stride, PE_size, pSync), dest, \
                      source, nreduce, sizeof(T), pWrk, combine_##N##_##OP);                     \
    }

/* ---- all types ---- */

#define BITS(T, N, OP, HOW)   \
    COMBINE(T, N, T, OP, HOW) \
    TEAM(T, N, OP)
HLRC_SHMEM_REDUCE_BITS_(BITS, and, AND_OF)
HLRC_SHMEM_REDUCE_BITS_(BITS, or, OR_OF)
HLRC_SHMEM_REDUCE_BITS_(BITS, xor, XOR_OF)
HLRC_SHMEM_RMA_(BITS, max, MAX_OF)
HLRC_SHMEM_RMA_(BITS, min, MIN_OF)

/* These have no team reduction. */
#define BITS_OLD(T, N, OP, HOW) COMBINE(T, N, T, OP, HOW)
HLRC_SHMEM_TO_ALL_BITS_(BITS_OLD, and, AND_OF)
HLRC_SHMEM_TO_ALL_BITS_(BITS_OLD, or, OR_OF)
HLRC_SHMEM_TO_ALL_BITS_(BITS_OLD, xor, XOR_OF)

#define SUMS(T, N, C)               \
    COMBINE(T, N, C, sum, SUM_OF)   \
    COMBINE(T, N, C, prod, PROD_OF) \
    TEAM(T, N, sum)                 \
    TEAM(T, N, prod)                \
    SCAN(T, N, sum_inscan, false)   \
    SCAN(T, N, sum_exscan, true)
HLRC_SHMEM_INTEGERS_(SUMS, uint64_t)
SUMS(float, float, float)
SUMS(double, double, double)
SUMS(long double, longdouble, long double)
SUMS(hlrc_shmem_complexf_, complexf, hlrc_shmem_complexf_)
SUMS(hlrc_shmem_complexd_, complexd, hlrc_shmem_complexd_)

HLRC_SHMEM_TO_ALL_BITS_(TO_ALL, and)
HLRC_SHMEM_TO_ALL_BITS_(TO_ALL, or)
HLRC_SHMEM_TO_ALL_BITS_(TO_ALL, xor)
HLRC_SHMEM_TO_ALL_ORDER_(TO_ALL, max)
HLRC_SHMEM_TO_ALL_ORDER_(TO_ALL, min)
HLRC_SHMEM_TO_ALL_SUMS_(TO_ALL, sum)
HLRC_SHMEM_TO_ALL_SUMS_(TO_ALL, prod)
