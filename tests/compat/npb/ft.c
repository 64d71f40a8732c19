/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ft.c - NPB FT: a diffusion equation on a periodic box, solved by a fast Fourier transform in 3
 * dimensions, a factor for each point and step, and a transform back after each step.
 *
 * Arrays are [nz][ny][nx + 1], x fastest; the last column is padding against conflicts in caches.
 */
#include "npb.h"

#define ALPHA     1e-6
#define BLOCK     16 /* lines transformed together */
#define MAX_SIDE  512
#define MAX_STEPS 20
#define CHECKED   1024 /* points of a checksum */

typedef struct {
    double re, im;
} complex;

static const struct class
{
    int nx, ny, nz, steps;
    double sums[MAX_STEPS][2];
} classes[] = {
    { 64,
      64,
      64,
      6,
      { { 5.546087004964e+02, 4.845363331978e+02 },
        { 5.546385409189e+02, 4.865304269511e+02 },
        { 5.546148406171e+02, 4.883910722336e+02 },
        { 5.545423607415e+02, 4.901273169046e+02 },
        { 5.544255039624e+02, 4.917475857993e+02 },
        { 5.542683411902e+02, 4.932597244941e+02 } } },
    { 128,
      128,
      32,
      6,
      { { 5.673612178944e+02, 5.293246849175e+02 },
        { 5.631436885271e+02, 5.282149986629e+02 },
        { 5.594024089970e+02, 5.270996558037e+02 },
        { 5.560698047020e+02, 5.260027904925e+02 },
        { 5.530898991250e+02, 5.249400845633e+02 },
        { 5.504159734538e+02, 5.239212247086e+02 } } },
    { 256,
      256,
      128,
      6,
      { { 5.046735008193e+02, 5.114047905510e+02 },
        { 5.059412319734e+02, 5.098809666433e+02 },
        { 5.069376896287e+02, 5.098144042213e+02 },
        { 5.077892868474e+02, 5.101336130759e+02 },
        { 5.085233095391e+02, 5.104914655194e+02 },
        { 5.091487099959e+02, 5.107917842803e+02 } } },
    { 512,
      256,
      256,
      20,
      { { 5.177643571579e+02, 5.077803458597e+02 }, { 5.154521291263e+02, 5.088249431599e+02 },
        { 5.146409228649e+02, 5.096208912659e+02 }, { 5.142378756213e+02, 5.101023387619e+02 },
        { 5.139626667737e+02, 5.103976610617e+02 }, { 5.137423460082e+02, 5.105948019802e+02 },
        { 5.135547056878e+02, 5.107404165783e+02 }, { 5.133910925466e+02, 5.108576573661e+02 },
        { 5.132470705390e+02, 5.109577278523e+02 }, { 5.131197729984e+02, 5.110460304483e+02 },
        { 5.130070319283e+02, 5.111252433800e+02 }, { 5.129070537032e+02, 5.111968077718e+02 },
        { 5.128182883502e+02, 5.112616233064e+02 }, { 5.127393733383e+02, 5.113203605551e+02 },
        { 5.126691062020e+02, 5.113735928093e+02 }, { 5.126064276004e+02, 5.114218460548e+02 },
        { 5.125504076570e+02, 5.114656139760e+02 }, { 5.125002331720e+02, 5.115053595966e+02 },
        { 5.124551951846e+02, 5.115415130407e+02 }, { 5.124146770029e+02, 5.115744692211e+02 } } },
};

static const struct class *class;
static int nx, ny, nz;
static size_t row, plane; /* elements */
static complex *u0, *u1;
static double *twiddle;
static complex roots[MAX_SIDE]; /* exp(2 pi i k / MAX_SIDE) */

static size_t at(int x, int y, int z)
{
    return (size_t)z * plane + (size_t)y * row + (size_t)x;
}

static void allocate(void)
{
    row = (size_t)nx + 1;
    plane = row * (size_t)ny;
    u0 = npb_alloc(plane * (size_t)nz * sizeof *u0);
    u1 = npb_alloc(plane * (size_t)nz * sizeof *u1);
    twiddle = npb_alloc(plane * (size_t)nz * sizeof *twiddle);
#pragma omp parallel for
    for (int z = 0; z < nz; z++)
        for (size_t i = at(0, 0, z); i < at(0, 0, z + 1); i++) {
            u0[i] = u1[i] = (complex){ 0, 0 };
            twiddle[i] = 0;
        }
}

static void make_roots(void)
{
    for (int k = 0; k < MAX_SIDE; k++)
        roots[k] = (complex){ cos(2 * M_PI * k / MAX_SIDE), sin(2 * M_PI * k / MAX_SIDE) };
}

static double squared(int k, int side)
{
    double wave = k < side / 2 ? k : k - side;

    return wave * wave;
}

static void make_twiddle(void)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                double sum = squared(x, nx) + squared(y, ny) + squared(z, nz);

                twiddle[at(x, y, z)] = exp(-4 * ALPHA * M_PI * M_PI * sum);
            }
}

static void set_start(complex *u)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++) {
        uint64_t state = npb_skip(NPB_SEED, 2 * (uint64_t)nx * (uint64_t)ny * (uint64_t)z);

        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                u[at(x, y, z)].re = npb_random(&state);
                u[at(x, y, z)].im = npb_random(&state);
            }
    }
}

/* One pass of Stockham's algorithm over lines of n: pairs that are n / 2 apart go side by side. */
static void pass(int n, int width, double sign, complex (*from)[BLOCK], complex (*to)[BLOCK])
{
    for (int j = 0; j < n / 2 / width; j++) {
        complex w = roots[j * width * (MAX_SIDE / n)];

        w.im *= sign;
        for (int k = 0; k < width; k++) {
            complex *a = from[j * width + k], *b = from[j * width + k + n / 2];
            complex *sum = to[2 * j * width + k], *turned = to[(2 * j + 1) * width + k];

            for (int l = 0; l < BLOCK; l++) {
                complex d = { a[l].re - b[l].re, a[l].im - b[l].im };

                sum[l] = (complex){ a[l].re + b[l].re, a[l].im + b[l].im };
                turned[l] = (complex){ w.re * d.re - w.im * d.im, w.re * d.im + w.im * d.re };
            }
        }
    }
}

/* The transforms of BLOCK lines that begin at `first`: elements of a line are `along` apart, lines
 * `across`. */
static void transform(int n, double sign, const complex *first, complex *to, size_t along,
                      size_t across)
{
    complex one[MAX_SIDE][BLOCK], two[MAX_SIDE][BLOCK];
    complex(*result)[BLOCK] = one, (*other)[BLOCK] = two;

    for (int i = 0; i < n; i++)
        for (int l = 0; l < BLOCK; l++)
            one[i][l] = first[(size_t)i * along + (size_t)l * across];
    for (int width = 1; width < n; width *= 2) {
        complex(*from)[BLOCK] = result;

        pass(n, width, sign, from, other);
        result = other;
        other = from;
    }
    for (int i = 0; i < n; i++)
        for (int l = 0; l < BLOCK; l++)
            to[(size_t)i * along + (size_t)l * across] = result[i][l];
}

static void transform_x(double sign, const complex *from, complex *to)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y += BLOCK)
            transform(nx, sign, &from[at(0, y, z)], &to[at(0, y, z)], 1, row);
}

static void transform_y(double sign, const complex *from, complex *to)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++)
        for (int x = 0; x < nx; x += BLOCK)
            transform(ny, sign, &from[at(x, 0, z)], &to[at(x, 0, z)], row, 1);
}

static void transform_z(double sign, const complex *from, complex *to)
{
#pragma omp parallel for
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x += BLOCK)
            transform(nz, sign, &from[at(x, y, 0)], &to[at(x, y, 0)], plane, 1);
}

/* From u1 to u0. */
static void forward(void)
{
    transform_x(1, u1, u1);
    transform_y(1, u1, u1);
    transform_z(1, u1, u0);
}

static void back(void)
{
    transform_z(-1, u1, u1);
    transform_y(-1, u1, u1);
    transform_x(-1, u1, u1);
}

/* One step of u0, of which u1 becomes a copy. */
static void evolve(void)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (size_t i = at(0, y, z); i < at(nx, y, z); i++) {
                u0[i].re *= twiddle[i];
                u0[i].im *= twiddle[i];
                u1[i] = u0[i];
            }
}

static complex checksum(void)
{
    double re = 0, im = 0, points = (double)nx * ny * nz;

#pragma omp parallel for reduction(+ : re, im)
    for (int j = 1; j <= CHECKED; j++) {
        const complex *u = &u1[at(j % nx, 3 * j % ny, 5 * j % nz)];

        re += u->re;
        im += u->im;
    }
    return (complex){ re / points, im / points };
}

static void solve(complex sums[])
{
    make_twiddle();
    set_start(u1);
    make_roots();
    forward();
    for (int step = 0; step < class->steps; step++) {
        evolve();
        back();
        sums[step] = checksum();
    }
}

int main(int argc, char **argv)
{
    complex sums[MAX_STEPS];
    bool verified = true;
    double seconds;

    class = &classes[npb_class(argc, argv, "SWAB")];
    nx = class->nx;
    ny = class->ny;
    nz = class->nz;
    allocate();
    make_twiddle();
    set_start(u1);
    make_roots();
    forward();
    seconds = omp_get_wtime();
    solve(sums);
    seconds = omp_get_wtime() - seconds;
    printf("FT class %s: %d x %d x %d points, %d steps\n", argv[1], nx, ny, nz, class->steps);
    for (int step = 0; step < class->steps; step++) {
        const double *published = class->sums[step];

        printf("%d: %.9e %.9e\n", step + 1, sums[step].re, sums[step].im);
        verified = verified && npb_near(sums[step].re, published[0], 1e-12) &&
                   npb_near(sums[step].im, published[1], 1e-12);
    }
    return npb_end(verified, seconds);
}
