/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * npb.h - what the five kernels share: random numbers, the class that the user names, the end.
 *
 * The kernels are written from the description of the NAS Parallel Benchmarks (Bailey and others,
 * RNR-94-007, and NPB 2.3 for classes S and W) as programs of OpenMP. They know nothing of HLRC.
 *
 *   KERNEL CLASS     results and "verified" on standard output, "time_s X" on standard error;
 *                    status 1 where the published values are not met, 2 for wrong arguments
 */
#ifndef NPB_H
#define NPB_H

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x(k+1) = 5^13 x(k) mod 2^46 */
#define NPB_FACTOR UINT64_C(1220703125)
#define NPB_MASK   ((UINT64_C(1) << 46) - 1)
#define NPB_SEED   UINT64_C(314159265)

/* The next of the sequence, in (0, 1). */
static inline double npb_random(uint64_t *x)
{
    *x = *x * NPB_FACTOR & NPB_MASK;
    return 0x1p-46 * (double)*x;
}

/* `x` after `count` numbers more. */
static inline uint64_t npb_skip(uint64_t x, uint64_t count)
{
    for (uint64_t factor = NPB_FACTOR; count > 0; count >>= 1) {
        if (count & 1)
            x = x * factor & NPB_MASK;
        factor = factor * factor & NPB_MASK;
    }
    return x;
}

/* Relative: NaN is far from everything. */
static inline bool npb_near(double value, double published, double bound)
{
    return fabs(value - published) <= bound * fabs(published);
}

static inline void *npb_alloc(size_t bytes)
{
    void *p = malloc(bytes);

    if (p == NULL) {
        fprintf(stderr, "malloc(%zu): out of memory\n", bytes);
        exit(2);
    }
    return p;
}

static inline void *npb_zeros(size_t bytes)
{
    return memset(npb_alloc(bytes), 0, bytes);
}

/* Index of the class in `names`. */
static inline int npb_class(int argc, char **argv, const char *names)
{
    const char *found;

    if (argc < 2 || strlen(argv[1]) != 1 || (found = strchr(names, argv[1][0])) == NULL) {
        fprintf(stderr, "usage: %s CLASS, one of %s\n", argv[0], names);
        exit(2);
    }
    return (int)(found - names);
}

/* Status of the program. */
static inline int npb_end(bool verified, double seconds)
{
    fprintf(stderr, "time_s %.4f\n", seconds);
    printf("%s\n", verified ? "verified" : "NOT VERIFIED");
    return verified ? 0 : 1;
}

#endif
