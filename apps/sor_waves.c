/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sor_waves.c - see sor_waves.h. */
#include "apps/sor_waves.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "apps/common.h"

/* Half waves along either axis; different numbers, so that the grid is not its own mirror
 * image. */
static const struct mode {
    int p, q;
} modes[WAVES_MODES] = { { 1, 1 }, { 3, 2 } };

#define PI        3.14159265358979323846
#define AMPLITUDE 0.5 /* of each wave, at the start */

/* Maximum error of a relaxation, in epsilons: 14 for values up to 2 and the worst omega. The rest
 * is for the sines, and for short waves, which SOR amplifies at first. */
#define ROUNDING 32

/* Exactly zero where the wave is zero. */
static void fill_sines(struct waves *w, int half_waves)
{
    double *sine = app_private("sines", (w->size + 2) * sizeof *sine);

    for (size_t i = 0; i < w->size + 2; i++) {
        size_t phase = (size_t)half_waves * i % (2 * (w->size + 1));

        sine[i] = phase % (w->size + 1) == 0 ? 0 : sin(PI * (double)phase / (double)(w->size + 1));
    }
    w->sine[half_waves - 1] = sine;
}

void waves_init(struct waves *w, size_t size, double omega)
{
    w->size = size;
    w->omega = omega;
    for (int n = 1; n <= WAVES_LONGEST; n++)
        fill_sines(w, n);
    for (int m = 0; m < WAVES_MODES; m++)
        w->amplitude[m][0] = w->amplitude[m][1] = AMPLITUDE;
}

void waves_free(struct waves *w)
{
    for (int n = 0; n < WAVES_LONGEST; n++)
        free(w->sine[n]);
}

/* The mean of a point's neighbours, for a wave that is 1 there. */
static long double mean_of_neighbours(const struct waves *w, struct mode mode)
{
    long double angle = acosl(-1) / (long double)(w->size + 1);

    return (cosl((long double)mode.p * angle) + cosl((long double)mode.q * angle)) / 2;
}

/* With more digits than the grid has: near the best omega, errors of the two numbers grow at
 * first. */
static void relax_mode(struct waves *w, int m, uint64_t sweeps)
{
    long double mean = mean_of_neighbours(w, modes[m]), omega = w->omega;
    long double red = w->amplitude[m][0], black = w->amplitude[m][1];

    for (uint64_t k = 0; k < sweeps; k++) {
        long double before = red;

        if (w->omega == 0) {
            red = mean * black;
            black = mean * before;
        } else {
            red += omega * (mean * black - red);
            black += omega * (mean * red - black);
        }
    }
    w->amplitude[m][0] = (double)red;
    w->amplitude[m][1] = (double)black;
}

void waves_relax(struct waves *w, uint64_t sweeps)
{
    for (int m = 0; m < WAVES_MODES; m++)
        relax_mode(w, m, sweeps);
}

double waves_solution(const struct waves *w, size_t i, size_t j)
{
    double side = (double)(w->size + 1), x = (double)i, y = (double)j;

    return (x * x - y * y) / (side * side);
}

double waves_error(const struct waves *w, size_t i, size_t j)
{
    double error = 0;

    for (int m = 0; m < WAVES_MODES; m++)
        error +=
            w->amplitude[m][(i + j) % 2] * w->sine[modes[m].p - 1][i] * w->sine[modes[m].q - 1][j];
    return error;
}

/*
 * SOR: on the points of one colour, which are never adjacent, the energy of an error is 4 times
 * the sum of its squares. The two phases of a sweep and the start each contribute the square root
 * of 8 size^2 ROUNDING^2 epsilons; the size cancels out. sin(pi h / 2) is not below h.
 */
double waves_bound(const struct waves *w, uint64_t sweeps)
{
    double once = ROUNDING * DBL_EPSILON * (double)(sweeps + 1);

    return w->omega == 0 ? once : once * (double)(w->size + 1);
}
