/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gups_stream.h - the numbers of RandomAccess, of the HPC Challenge: polynomials over GF(2), each
 * of which is the previous one times x, modulo x^64 + x^2 + x + 1.
 *
 * The first one is 1. Bit i of a number is the coefficient of x^i. None is 0, and the sequence has
 * period GUPS_PERIOD.
 */
#ifndef APPS_GUPS_STREAM_H
#define APPS_GUPS_STREAM_H

#include <stdint.h>

#define GUPS_PERIOD UINT64_C(1317624576693539401) /* (2^63 - 1) / 7 */

static inline uint64_t gups_next(uint64_t x)
{
    return x << 1 ^ (x >> 63) * 7;
}

/* Number `n` of the stream, from 0 on: x^n. */
uint64_t gups_start(uint64_t n);

#endif
