/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* combine.c - see combine.h. */
#include "hlrc/sync/combine.h"

#include <stdint.h>

static const char *const ops[] = {
    [HLRC_SUM] = "HLRC_SUM", [HLRC_PRODUCT] = "HLRC_PRODUCT", [HLRC_MIN] = "HLRC_MIN",
    [HLRC_MAX] = "HLRC_MAX", [HLRC_AND] = "HLRC_AND",         [HLRC_OR] = "HLRC_OR",
    [HLRC_XOR] = "HLRC_XOR",
};

/* ---- operations on two values ---- */

#define EACH(expression)             \
    for (size_t i = 0; i < n; i++) { \
        a[i] = (expression);         \
    }                                \
    return

/* Sums and products of integers wrap: they are computed unsigned. */
#define ARITHMETIC(T, U)                 \
    case HLRC_SUM:                       \
        EACH((T)((U)a[i] + (U)b[i]));    \
    case HLRC_PRODUCT:                   \
        EACH((T)((U)a[i] * (U)b[i]));    \
    case HLRC_MIN:                       \
        EACH(b[i] < a[i] ? b[i] : a[i]); \
    case HLRC_MAX:                       \
        EACH(b[i] > a[i] ? b[i] : a[i])
#define BITS               \
    case HLRC_AND:         \
        EACH(a[i] & b[i]); \
    case HLRC_OR:          \
        EACH(a[i] | b[i]); \
    case HLRC_XOR:         \
        EACH(a[i] ^ b[i])

#define COMBINE(name, T, U, bits)                                                \
    static void combine_##name(void *to, const void *from, size_t n, hlrc_op op) \
    {                                                                            \
        T *a = to;                                                               \
        const T *b = from;                                                       \
        switch (op) {                                                            \
            ARITHMETIC(T, U);                                                    \
            bits;                                                                \
        default:                                                                 \
            return;                                                              \
        }                                                                        \
    }
COMBINE(int32, int32_t, uint32_t, BITS)
COMBINE(uint32, uint32_t, uint32_t, BITS)
COMBINE(int64, int64_t, uint64_t, BITS)
COMBINE(uint64, uint64_t, uint64_t, BITS)
COMBINE(float, float, float, )
COMBINE(double, double, double, )

static const struct {
    const char *name;
    size_t bytes;
    bool bits; /* it has bitwise operations */
    void (*combine)(void *to, const void *from, size_t n, hlrc_op op);
} types[] = {
    [HLRC_INT32] = { "HLRC_INT32", 4, true, combine_int32 },
    [HLRC_UINT32] = { "HLRC_UINT32", 4, true, combine_uint32 },
    [HLRC_INT64] = { "HLRC_INT64", 8, true, combine_int64 },
    [HLRC_UINT64] = { "HLRC_UINT64", 8, true, combine_uint64 },
    [HLRC_FLOAT] = { "HLRC_FLOAT", 4, false, combine_float },
    [HLRC_DOUBLE] = { "HLRC_DOUBLE", 8, false, combine_double },
};

void combine(hlrc_type type, hlrc_op op, void *a, const void *b, size_t n)
{
    types[type].combine(a, b, n, op);
}

bool combine_knows(hlrc_type type, hlrc_op op)
{
    return (size_t)type < sizeof types / sizeof types[0] &&
           (size_t)op < sizeof ops / sizeof ops[0] && (op < HLRC_AND || types[type].bits);
}

size_t combine_bytes(hlrc_type type)
{
    return types[type].bytes;
}

const char *combine_type_name(hlrc_type type)
{
    return types[type].name;
}

const char *combine_op_name(hlrc_op op)
{
    return ops[op];
}
