/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* combine.c - see combine.h. */
#include "hlrc/sync/combine.h"

#include <stdint.h>

static const struct {
    const char *name;
    size_t bytes;
    bool bits; /* it has bitwise operations */
} types[] = {
    [HLRC_INT32] = { "HLRC_INT32", 4, true },  [HLRC_UINT32] = { "HLRC_UINT32", 4, true },
    [HLRC_INT64] = { "HLRC_INT64", 8, true },  [HLRC_UINT64] = { "HLRC_UINT64", 8, true },
    [HLRC_FLOAT] = { "HLRC_FLOAT", 4, false }, [HLRC_DOUBLE] = { "HLRC_DOUBLE", 8, false },
};
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

#define COMBINE(name, T, U, bits)                                      \
    static void combine_##name(T *a, const T *b, size_t n, hlrc_op op) \
    {                                                                  \
        switch (op) {                                                  \
            ARITHMETIC(T, U);                                          \
            bits;                                                      \
        default:                                                       \
            return;                                                    \
        }                                                              \
    }
COMBINE(int32, int32_t, uint32_t, BITS)
COMBINE(uint32, uint32_t, uint32_t, BITS)
COMBINE(int64, int64_t, uint64_t, BITS)
COMBINE(uint64, uint64_t, uint64_t, BITS)
COMBINE(float, float, float, )
COMBINE(double, double, double, )

void combine(hlrc_type type, hlrc_op op, void *a, const void *b, size_t n)
{
    switch (type) {
    case HLRC_INT32:
        combine_int32(a, b, n, op);
        return;
    case HLRC_UINT32:
        combine_uint32(a, b, n, op);
        return;
    case HLRC_INT64:
        combine_int64(a, b, n, op);
        return;
    case HLRC_UINT64:
        combine_uint64(a, b, n, op);
        return;
    case HLRC_FLOAT:
        combine_float(a, b, n, op);
        return;
    case HLRC_DOUBLE:
        combine_double(a, b, n, op);
        return;
    default:
        return;
    }
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
