/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fft3d_check.h - the checksums that NAS FT must give: the published ones, and a computation
 * without a transform.
 *
 * The reference needs no Fourier transform of the grid. Multiplying a spectrum by a factor is
 * convolving the grid with the factor's transform, which here is a product of one function per
 * axis, each a short sum of cosines. The checksum sums the convolution at the points j (1, 3, 5),
 * j = 1 .. 1024. They go a whole number of times around a closed line of m points, m the longest
 * axis. So the starting values matter only through their sums along such lines. One product per
 * grid point and iteration remains, computed in one thread from private memory.
 */
#ifndef APPS_FFT3D_CHECK_H
#define APPS_FFT3D_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "apps/fft.h"

#define FT_ALPHA    1e-6
#define FT_POINTS   1024 /* points in a checksum */
#define FT_AXES     3
#define FT_MAX_TIME 100 /* iterations */

/* Point j of the checksum is (j, 3 j, 5 j), each modulo the length of its axis. */
extern const size_t ft_direction[FT_AXES];

struct ft_class {
    char name;         /* 0 for none */
    size_t n[FT_AXES]; /* x, y, z */
    int iterations;
    const struct complex_value *checksums;
};

extern const struct ft_class ft_classes[];

/* exp(-4 alpha pi^2 t k^2) for the wave number k, in [-n/2, n/2), of each of n elements. */
void ft_decay(double *factor, size_t n, int t);

/* Fills expected[0 .. iterations - 1] from numbers generated again. */
void ft_reference(const size_t n[FT_AXES], uint64_t seed, int iterations,
                  struct complex_value *expected);

#endif
