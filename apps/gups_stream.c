/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gups_stream.c - see gups_stream.h. */
#include "apps/gups_stream.h"

/* In GF(2) the square of a sum is the sum of the squares, as twice anything is 0. */
static uint64_t square(const uint64_t squares[64], uint64_t a)
{
    uint64_t sum = 0;

    for (int i = 0; i < 64; i++)
        sum ^= squares[i] & -(a >> i & 1);
    return sum;
}

/* By the bits of n, highest first: square for each bit, and one more step for a set bit. */
uint64_t gups_start(uint64_t n)
{
    uint64_t squares[64], x = 1;

    squares[0] = 1;
    for (int i = 1; i < 64; i++)
        squares[i] = gups_next(gups_next(squares[i - 1]));
    for (int i = 63; i >= 0; i--) {
        x = square(squares, x);
        if (n >> i & 1)
            x = gups_next(x);
    }
    return x;
}
