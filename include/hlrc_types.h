/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by its other headers: types of values, operations,
 * handles of operations. */
#ifndef HLRC_TYPES_H
#define HLRC_TYPES_H

#include <stdint.h>

/* Marks a name of before 1.0, which the next release removes. */
#if defined(__GNUC__)
#    define HLRC_DEPRECATED(instead) __attribute__((deprecated(instead)))
#else
#    define HLRC_DEPRECATED(instead)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Types of values: int32_t to uint64_t, float, double. The last two, two floats and two doubles,
 * are only for hlrc_acc(). */
typedef enum {
    HLRC_INT32,
    HLRC_UINT32,
    HLRC_INT64,
    HLRC_UINT64,
    HLRC_FLOAT,
    HLRC_DOUBLE,
    HLRC_COMPLEX_FLOAT,
    HLRC_COMPLEX_DOUBLE
} hlrc_type;

/* Operations. Integers wrap around; HLRC_AND, HLRC_OR and HLRC_XOR are bitwise, of integers. The
 * last two, for operations on a word, store the new value or only read the old one. */
typedef enum {
    HLRC_SUM,
    HLRC_PRODUCT,
    HLRC_MIN,
    HLRC_MAX,
    HLRC_AND,
    HLRC_OR,
    HLRC_XOR,
    HLRC_REPLACE,
    HLRC_NO_OP
} hlrc_op;

/* How an operation on a word orders the other memory of its thread: not at all; by an
 * hlrc_acquire() after it; by an hlrc_release() before it; by both. */
typedef enum { HLRC_RELAXED, HLRC_ACQUIRE, HLRC_RELEASE, HLRC_ACQ_REL } hlrc_order;

/* Comparisons: equal, not equal, greater, less or equal, less, greater or equal. */
typedef enum { HLRC_EQ, HLRC_NE, HLRC_GT, HLRC_LE, HLRC_LT, HLRC_GE } hlrc_cmp;

/* Identifies an operation in progress, on the node that started it. */
typedef struct {
    uint64_t id;
} hlrc_handle_t;

#ifdef __cplusplus
}
#endif

#endif
