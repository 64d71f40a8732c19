/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The transforms of apps/fft.c against those of FFTW, for every length and both directions; and NAS
 * FT done with FFTW.
 *
 *   fftw lines           compares; exits 1 when one differs
 *   fftw grid NX NY NZ   prints the checksum after 6 iterations of NAS FT (Bailey and others, "The
 *                        NAS Parallel Benchmarks", RNR-94-007, section 2.4) on that grid, all of
 *                        it in one process's private memory
 */
#include <complex.h> /* before fftw3.h, which then takes the language's complex numbers */

#include <fftw3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/common.h"
#include "apps/fft.h"

#define ITERATIONS 6
#define TOLERANCE  1e-14 /* of the largest value of a line, times the logarithm of its length */

/* All that fft.c wants of the applications' common part. */
void *app_private(const char *what, size_t size)
{
    void *p = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (!p) {
        fprintf(stderr, "fftw: no memory for %s\n", what);
        exit(1);
    }
    return p;
}

/* The benchmark's numbers: x' = 5^13 x mod 2^46, as fractions of 2^46. */
static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(1220703125) & ((UINT64_C(1) << 46) - 1);
    return (double)*state * 0x1p-46;
}

/* ---- lines ---- */

/* FFT_LANES lines of so many elements, one behind the other. */
static void fill(double complex *line, size_t count)
{
    uint64_t state = 271828183;
    for (size_t i = 0; i < count; i++) {
        double re = next_random(&state) - 0.5;
        line[i] = re + I * (next_random(&state) - 0.5);
    }
}

static double largest_difference(const double complex *a, const double complex *b, size_t count)
{
    double most = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, cabs(a[i] - b[i]));
        largest = fmax(largest, cabs(b[i]));
    }
    return most / largest;
}

static double difference(size_t length, enum fft_direction direction)
{
    size_t count = length * FFT_LANES;
    double complex *given = fftw_malloc(count * sizeof *given),
                   *ours = fftw_malloc(count * sizeof *ours);
    double complex *theirs = fftw_malloc(count * sizeof *theirs);
    struct fft_lines lines = { .step = 1, .pitch = length, .count = FFT_LANES };
    struct fft fft;
    int n = (int)length;
    fftw_plan plan =
        fftw_plan_many_dft(1, &n, FFT_LANES, given, NULL, 1, n, theirs, NULL, 1, n,
                           direction == FFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
    fill(given, count);
    fftw_execute(plan);
    fft_init(&fft, length);
    fft_load(&fft, direction, (const struct complex_value *)(void *)given, lines);
    fft_run(&fft);
    fft_store(&fft, direction, (struct complex_value *)(void *)ours, lines);
    fft_free(&fft);
    double d = largest_difference(ours, theirs, count);
    fftw_destroy_plan(plan);
    fftw_free(given);
    fftw_free(ours);
    fftw_free(theirs);
    return d;
}

static int compare_lines(void)
{
    int wrong = 0;
    for (size_t length = 2; length <= FFT_MAX_LENGTH; length *= 2)
        for (enum fft_direction direction = FFT_FORWARD; direction <= FFT_INVERSE; direction++) {
            double d = difference(length, direction), most = TOLERANCE * log2((double)length);
            printf("%5zu %s: %.1e\n", length, direction == FFT_FORWARD ? "forward" : "inverse", d);
            if (!(d <= most)) {
                printf("FAILED: more than %.1e\n", most);
                wrong++;
            }
        }
    return wrong;
}

/* ---- NAS FT ---- */

static double wave_number(int i, int n)
{
    return i < n / 2 ? i : i - n;
}

/* Multiplies the spectrum by exp(-4 alpha pi^2 t |k|^2), alpha = 10^-6. */
static void evolve(const double complex *spectrum, double complex *out, const int n[3], int t)
{
    size_t at = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++, at++) {
                double kx = wave_number(x, n[0]), ky = wave_number(y, n[1]),
                       kz = wave_number(z, n[2]);
                out[at] =
                    spectrum[at] * exp(-4e-6 * M_PI * M_PI * t * (kx * kx + ky * ky + kz * kz));
            }
}

static double complex checksum(const double complex *grid, const int n[3])
{
    double complex sum = 0;
    for (int j = 1; j <= 1024; j++)
        sum +=
            grid[((size_t)(5 * j % n[2]) * (size_t)n[1] + (size_t)(3 * j % n[1])) * (size_t)n[0] +
                 (size_t)(j % n[0])];
    return sum / ((double)n[0] * n[1] * n[2]);
}

static int print_checksum(const int n[3])
{
    size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    double complex *grid = fftw_malloc(points * sizeof *grid),
                   *spectrum = fftw_malloc(points * sizeof *spectrum);
    if (!grid || !spectrum)
        return 1;
    /* z, y, x: FFTW has the last dimension innermost */
    fftw_plan there =
        fftw_plan_dft_3d(n[2], n[1], n[0], grid, spectrum, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_3d(n[2], n[1], n[0], grid, grid, FFTW_BACKWARD, FFTW_ESTIMATE);
    uint64_t state = 314159265;
    for (size_t i = 0; i < points; i++) {
        double re = next_random(&state);
        grid[i] = re + I * next_random(&state);
    }
    fftw_execute(there);
    evolve(spectrum, grid, n, ITERATIONS);
    fftw_execute(back);
    double complex sum = checksum(grid, n);
    printf("%.17g %.17g\n", creal(sum), cimag(sum));
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(grid);
    fftw_free(spectrum);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "lines") == 0)
        return compare_lines() ? 1 : 0;
    if (argc == 5 && strcmp(argv[1], "grid") == 0)
        return print_checksum((int[]){ atoi(argv[2]), atoi(argv[3]), atoi(argv[4]) });
    fprintf(stderr, "usage: fftw lines | fftw grid NX NY NZ\n");
    return 2;
}
