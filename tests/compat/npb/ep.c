/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ep.c - NPB EP: pairs of normal deviates out of 2^m pairs of uniform numbers, by Marsaglia's polar
 * method; their sums, and how many have a larger coordinate in [l, l + 1).
 */
#include "npb.h"

#define BATCH_BITS 16
#define BATCH      (1 << BATCH_BITS) /* pairs */
#define RINGS      10
#define EP_SEED    UINT64_C(271828183)

static const struct {
    int bits;
    double sx, sy;
    long counts[RINGS]; /* published for A and B only */
} classes[] = {
    { 24, -3.247834652034740e+3, -6.958407078382297e+3, { 0 } },
    { 25, -2.863319731645753e+3, -6.320053679109499e+3, { 0 } },
    { 28,
      -4.295875165629892e+3,
      -1.580732573678431e+4,
      { 98257395, 93827014, 17611549, 1110028, 26536, 245 } },
    { 30,
      4.033815542441498e+4,
      -2.660669192809235e+4,
      { 393058470, 375280898, 70460742, 4438852, 105691, 948, 5 } },
};

static double numbers[2 * BATCH];
static long mine[RINGS];
#pragma omp threadprivate(numbers, mine)

static long counts[RINGS];

static void batch(uint64_t index, double *sx, double *sy)
{
    uint64_t seed = npb_skip(EP_SEED, index * 2 * BATCH);

    for (int i = 0; i < 2 * BATCH; i++)
        numbers[i] = npb_random(&seed);
    for (int i = 0; i < BATCH; i++) {
        double x = 2 * numbers[2 * i] - 1, y = 2 * numbers[2 * i + 1] - 1;
        double t = x * x + y * y;

        if (t > 1)
            continue;
        t = sqrt(-2 * log(t) / t);
        x *= t;
        y *= t;
        mine[(int)fmax(fabs(x), fabs(y))]++;
        *sx += x;
        *sy += y;
    }
}

int main(int argc, char **argv)
{
    int class = npb_class(argc, argv, "SWAB");
    long batches = 1L << (classes[class].bits - BATCH_BITS), pairs = 0;
    double sx = 0, sy = 0, seconds = omp_get_wtime();
    bool verified;

#pragma omp parallel
    {
        for (int l = 0; l < RINGS; l++)
            mine[l] = 0;
#pragma omp for reduction(+ : sx, sy) nowait
        for (long k = 0; k < batches; k++)
            batch((uint64_t)k, &sx, &sy);
        for (int l = 0; l < RINGS; l++) {
#pragma omp atomic
            counts[l] += mine[l];
        }
    }
    seconds = omp_get_wtime() - seconds;

    printf("EP class %s: 2^%d pairs\nsums %.9e %.9e\n", argv[1], classes[class].bits, sx, sy);
    verified = npb_near(sx, classes[class].sx, 1e-8) && npb_near(sy, classes[class].sy, 1e-8);
    for (int l = 0; l < RINGS; l++) {
        printf("%d: %ld\n", l, counts[l]);
        pairs += counts[l];
        if (classes[class].counts[0] > 0 && counts[l] != classes[class].counts[l])
            verified = false;
    }
    printf("pairs %ld\n", pairs);
    return npb_end(verified, seconds);
}
