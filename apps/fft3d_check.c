/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fft3d_check.c - see fft3d_check.h. The published values: NAS Parallel Benchmarks, FT.
 */
#include "apps/fft3d_check.h"

#include <math.h>
#include <stdlib.h>

#include "apps/common.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

static const struct complex_value checksums_s[] = {
    { 5.546087004964e+02, 4.845363331978e+02 }, { 5.546385409189e+02, 4.865304269511e+02 },
    { 5.546148406171e+02, 4.883910722336e+02 }, { 5.545423607415e+02, 4.901273169046e+02 },
    { 5.544255039624e+02, 4.917475857993e+02 }, { 5.542683411902e+02, 4.932597244941e+02 },
};

static const struct complex_value checksums_w[] = {
    { 5.673612178944e+02, 5.293246849175e+02 }, { 5.631436885271e+02, 5.282149986629e+02 },
    { 5.594024089970e+02, 5.270996558037e+02 }, { 5.560698047020e+02, 5.260027904925e+02 },
    { 5.530898991250e+02, 5.249400845633e+02 }, { 5.504159734538e+02, 5.239212247086e+02 },
};

static const struct complex_value checksums_a[] = {
    { 5.046735008193e+02, 5.114047905510e+02 }, { 5.059412319734e+02, 5.098809666433e+02 },
    { 5.069376896287e+02, 5.098144042213e+02 }, { 5.077892868474e+02, 5.101336130759e+02 },
    { 5.085233095391e+02, 5.104914655194e+02 }, { 5.091487099959e+02, 5.107917842803e+02 },
};

static const struct complex_value checksums_b[] = {
    { 5.177643571579e+02, 5.077803458597e+02 }, { 5.154521291263e+02, 5.088249431599e+02 },
    { 5.146409228649e+02, 5.096208912659e+02 }, { 5.142378756213e+02, 5.101023387619e+02 },
    { 5.139626667737e+02, 5.103976610617e+02 }, { 5.137423460082e+02, 5.105948019802e+02 },
    { 5.135547056878e+02, 5.107404165783e+02 }, { 5.133910925466e+02, 5.108576573661e+02 },
    { 5.132470705390e+02, 5.109577278523e+02 }, { 5.131197729984e+02, 5.110460304483e+02 },
    { 5.130070319283e+02, 5.111252433800e+02 }, { 5.129070537032e+02, 5.111968077718e+02 },
    { 5.128182883502e+02, 5.112616233064e+02 }, { 5.127393733383e+02, 5.113203605551e+02 },
    { 5.126691062020e+02, 5.113735928093e+02 }, { 5.126064276004e+02, 5.114218460548e+02 },
    { 5.125504076570e+02, 5.114656139760e+02 }, { 5.125002331720e+02, 5.115053595966e+02 },
    { 5.124551951846e+02, 5.115415130407e+02 }, { 5.124146770029e+02, 5.115744692211e+02 },
};

const struct ft_class ft_classes[] = {
    { 'S', { 64, 64, 64 }, LENGTH(checksums_s), checksums_s },
    { 'W', { 128, 128, 32 }, LENGTH(checksums_w), checksums_w },
    { 'A', { 256, 256, 128 }, LENGTH(checksums_a), checksums_a },
    { 'B', { 512, 256, 256 }, LENGTH(checksums_b), checksums_b },
    { 0 },
};

const size_t ft_direction[FT_AXES] = { 1, 3, 5 };

void ft_decay(double *factor, size_t n, int t)
{
    const double pi = acos(-1.0);

    for (size_t i = 0; i < n; i++) {
        double k = i < n / 2 ? (double)i : (double)i - (double)n;

        factor[i] = exp(-4 * FT_ALPHA * pi * pi * t * k * k);
    }
}

/* The closed lines in the grid: the longest axis, and how a point is moved along its line to 0 on
 * that axis. */
struct lines {
    const size_t *n;
    size_t longest;  /* axis */
    size_t m;        /* its length, the number of points of a line */
    size_t inverse;  /* of the direction along it, modulo m */
    size_t other[2]; /* axes */
    /* of the starting values along each line: n[other[0]] x n[other[1]] */
    struct complex_value *sum;
};

static void lines_init(struct lines *lines, const size_t n[FT_AXES])
{
    size_t axis = 0;

    lines->n = n;
    lines->longest = 0;
    for (size_t i = 1; i < FT_AXES; i++)
        if (n[i] > n[lines->longest])
            lines->longest = i;
    for (size_t i = 0; i < FT_AXES; i++)
        if (i != lines->longest)
            lines->other[axis++] = i;
    lines->m = n[lines->longest];
    lines->inverse = 1;
    while (lines->inverse * ft_direction[lines->longest] % lines->m != 1 % lines->m)
        lines->inverse++;
    lines->sum =
        app_zeros("sums along lines", n[lines->other[0]] * n[lines->other[1]] * sizeof *lines->sum);
}

/* Lengths are powers of two, so unsigned wrap-around is correct modulo each of them. */
static struct complex_value *line_of(const struct lines *lines, const size_t at[FT_AXES])
{
    size_t j = at[lines->longest] * lines->inverse;
    size_t a = lines->other[0], b = lines->other[1];
    size_t i = (at[a] - j * ft_direction[a]) & (lines->n[a] - 1);
    size_t k = (at[b] - j * ft_direction[b]) & (lines->n[b] - 1);

    return &lines->sum[k * lines->n[a] + i];
}

static void lines_add_up(struct lines *lines, uint64_t seed)
{
    const size_t *n = lines->n;
    size_t at[FT_AXES];

    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++) {
                struct complex_value *sum = line_of(lines, at);

                sum->re += 0x1p-46 * (double)app_random(&seed);
                sum->im += 0x1p-46 * (double)app_random(&seed);
            }
}

/* The function to convolve with along an axis: the transform of its decay factors, scaled. */
static void make_kernel(double *kernel, size_t n, int t)
{
    const double pi = acos(-1.0);
    double decay[FFT_MAX_LENGTH];

    ft_decay(decay, n, t);
    for (size_t r = 0; r < n; r++) {
        kernel[r] = 0;
        for (size_t k = 0; k < n; k++)
            kernel[r] += decay[k] * cos(2 * pi * (double)(k * r % n) / (double)n) / (double)n;
    }
}

/* Weight of the line through `at` in one round of the checksum's points. */
static double line_weight(const struct lines *lines, const size_t at[FT_AXES],
                          double kernel[FT_AXES][FFT_MAX_LENGTH])
{
    const size_t *n = lines->n;
    double weight = 0;

    for (size_t j = 0; j < lines->m; j++)
        weight += kernel[0][(j * ft_direction[0] - at[0]) & (n[0] - 1)] *
                  kernel[1][(j * ft_direction[1] - at[1]) & (n[1] - 1)] *
                  kernel[2][(j * ft_direction[2] - at[2]) & (n[2] - 1)];
    return weight;
}

static struct complex_value reference_at(const struct lines *lines, int t)
{
    static double kernel[FT_AXES][FFT_MAX_LENGTH];
    double rounds = (double)FT_POINTS / (double)lines->m;
    struct complex_value total = { 0, 0 };
    size_t at[FT_AXES] = { 0, 0, 0 };
    size_t *i = &at[lines->other[0]], *k = &at[lines->other[1]];

    for (size_t axis = 0; axis < FT_AXES; axis++)
        make_kernel(kernel[axis], lines->n[axis], t);
    for (*k = 0; *k < lines->n[lines->other[1]]; ++*k)
        for (*i = 0; *i < lines->n[lines->other[0]]; ++*i) {
            const struct complex_value *sum = line_of(lines, at);
            double weight = rounds * line_weight(lines, at, kernel);

            total.re += weight * sum->re;
            total.im += weight * sum->im;
        }
    return total;
}

void ft_reference(const size_t n[FT_AXES], uint64_t seed, int iterations,
                  struct complex_value *expected)
{
    struct lines lines;

    lines_init(&lines, n);
    lines_add_up(&lines, seed);
    for (int t = 1; t <= iterations; t++)
        expected[t - 1] = reference_at(&lines, t);
    free(lines.sum);
}
