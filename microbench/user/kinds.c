// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kinds - seven kinds of sharing that programs of OpenMP have: kinds NAME [SCALE]. It knows nothing
 * of HLRC. scripts/programs measures it. Each result is known in advance, and is verified after the
 * time was taken.
 *
 *   temps     arrays that are allocated, written, read and freed in each step (hydrodynamics)
 *   scatter   atomic counters at scattered addresses, each followed by an ordinary store (graphs)
 *   wave      a pipelined wavefront; threads wait for flags with flush (SSOR)
 *   locks     a lock for each element, taken for an update by each neighbour (unstructured meshes)
 *   turn      a large array that is written by rows and then by columns, in turn (ADI)
 *   fine      many short loops over a small array (coarse levels of multigrid)
 *   stencil   five points over a large array
 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_STRIDE = 5 }; /* every fifth element of a large array is verified */

static struct {
    double begin, seconds;
    double sum; /* of all verified values */
    long wrong;
} kinds_run;

static void *kinds_allocate(long count, size_t size)
{
    void *memory = malloc((size_t)count * size);
    if (!memory) {
        fputs("kinds: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Ends the time that is measured; verification follows. */
static void kinds_stop(void)
{
    kinds_run.seconds = omp_get_wtime() - kinds_run.begin;
}

static void kinds_verify(double got, double expected)
{
    kinds_run.sum += got;
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        kinds_run.wrong++;
}

static void kinds_temps_step(double *x, long n, int step)
{
    double *root = kinds_allocate(n, sizeof *root);
    double *ratio = kinds_allocate(n, sizeof *ratio);
    double *change = kinds_allocate(n, sizeof *change);
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        root[i] = sqrt(x[i] + step);
        ratio[i] = x[i] / (1 + root[i]);
    }
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        change[i] = root[i] * ratio[i] + cbrt(x[i]);
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] = 0.5 * x[i] + 0.25 * change[i];
    free(root);
    free(ratio);
    free(change);
}

/* Elements that begin equal stay equal: a short array takes the same steps. */
static void kinds_temps(long n)
{
    enum { STEPS = 40, PERIOD = 97 };
    double *x = kinds_allocate(n, sizeof *x), expected[PERIOD];
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] = (double)(i % PERIOD);
    for (int step = 0; step < STEPS; step++)
        kinds_temps_step(x, n, step);
    kinds_stop();
    for (int i = 0; i < PERIOD; i++)
        expected[i] = i;
    for (int step = 0; step < STEPS; step++)
        kinds_temps_step(expected, PERIOD, step);
    for (long i = 0; i < n; i += KINDS_STRIDE)
        kinds_verify(x[i], expected[i % PERIOD]);
    free(x);
}

static const uint32_t kinds_multiplier = 2654435761u;

/* The odd factor permutes the residues. So each counter counts EACH items: first, first + counters,
 * and so on. */
static long kinds_scatter_first(long counter, long counters)
{
    uint32_t inverse = kinds_multiplier;
    for (int i = 0; i < 4; i++)
        inverse *= 2 - kinds_multiplier * inverse;
    return (long)((uint32_t)counter * inverse & (uint32_t)(counters - 1));
}

static void kinds_scatter(long n)
{
    enum { ROUNDS = 4, EACH = 4 };
    long counters = 1;
    while (2 * counters <= n)
        counters *= 2;
    int *count = kinds_allocate(counters, sizeof *count);
    long *item = kinds_allocate(counters * EACH, sizeof *item);
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for
        for (long i = 0; i < counters; i++)
            count[i] = 0;
#pragma omp parallel for
        for (long i = 0; i < counters * EACH; i++) {
            long counter = (long)((uint32_t)i * kinds_multiplier & (uint32_t)(counters - 1));
            int slot = __sync_fetch_and_add(&count[counter], 1);
            if (slot < EACH)
                item[counter * EACH + slot] = i + round;
        }
    }
    kinds_stop();
    for (long i = 0; i < counters; i++) {
        long first = kinds_scatter_first(i, counters) + ROUNDS - 1, sum = 0;
        for (long slot = 0; slot < EACH; slot++)
            sum += item[i * EACH + slot];
        kinds_verify(count[i], EACH);
        kinds_verify((double)sum, (double)(EACH * first + counters * EACH * (EACH - 1) / 2));
    }
    free(count);
    free(item);
}

static void kinds_wave_wait(const volatile long *flag, long until)
{
    for (;;) {
#pragma omp flush
        if (*flag >= until)
            break;
    }
#pragma omp flush
}

/* Row j of the columns from begin to end. Equal diagonals have equal values in each sweep. */
static void kinds_wave_row(double *a, long n, long j, long begin, long end, int sweep)
{
    for (long i = begin; i < end; i++) {
        double up = j > 0 ? a[(j - 1) * n + i] : a[i - 1];
        double left = i > 0 ? a[j * n + i - 1] : up;
        a[j * n + i] = 0.5 * (up + left) + sqrt((double)(i + j + sweep));
    }
}

static void kinds_wave(long n)
{
    enum { SWEEPS = 4, APART = 32 }; /* flags are in cache lines of their own */
    long threads = omp_get_max_threads();
    double *a = kinds_allocate(n * n, sizeof *a),
           *expected = kinds_allocate(2 * n, sizeof *expected);
    volatile long *flag = kinds_allocate(threads * APART, sizeof *flag);
    for (long i = 0; i < threads * APART; i++)
        flag[i] = 0;
#pragma omp parallel num_threads((int)threads)
    {
        long me = omp_get_thread_num(), team = omp_get_num_threads();
        long begin = n * me / team, end = n * (me + 1) / team;
        for (int sweep = 1; sweep <= SWEEPS; sweep++) {
            for (long j = 0; j < n; j++) {
                if (me > 0)
                    kinds_wave_wait(&flag[(me - 1) * APART], sweep * n + j);
                if (me == 0 && j == 0)
                    a[0] = sweep;
                kinds_wave_row(a, n, j, begin + (me == 0 && j == 0), end, sweep);
#pragma omp flush
                flag[me * APART] = sweep * n + j;
#pragma omp flush
            }
#pragma omp barrier
        }
    }
    kinds_stop();
    for (long i = 0; i < 2 * n; i++)
        expected[i] = i == 0 ? SWEEPS : expected[i - 1] + sqrt((double)(i + SWEEPS));
    for (long i = 0; i < n * n; i += KINDS_STRIDE)
        kinds_verify(a[i], expected[i / n + i % n]);
    free(expected);
    free(a);
    free((void *)flag);
}

/* Each element is the sum of small integers, in whatever order. */
static void kinds_locks(long n)
{
    enum { STEPS = 5 };
    omp_lock_t *lock = kinds_allocate(n, sizeof *lock);
    double *x = kinds_allocate(n, sizeof *x);
    for (long i = 0; i < n; i++) {
        omp_init_lock(&lock[i]);
        x[i] = 0;
    }
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
        for (long i = 0; i < n; i++) {
            for (long away = -1; away <= 1; away++) {
                long other = (i + away + n) % n;
                omp_set_lock(&lock[other]);
                x[other] += (double)(i % 100 + 1);
                omp_unset_lock(&lock[other]);
            }
        }
    }
    kinds_stop();
    for (long i = 0; i < n; i++) {
        long sum = (i + n - 1) % n % 100 + i % 100 + (i + 1) % n % 100 + 3;
        kinds_verify(x[i], (double)(STEPS * sum));
        omp_destroy_lock(&lock[i]);
    }
    free(lock);
    free(x);
}

static void kinds_turn(long n)
{
    enum { STEPS = 8 };
    double *a = kinds_allocate(n * n, sizeof *a);
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                a[i * n + j] = sqrt((double)(i + 2 * j + step));
#pragma omp parallel for
        for (long j = 0; j < n; j++)
            for (long i = 0; i < n; i++)
                a[i * n + j] = 0.5 * a[i * n + j] + (double)j;
    }
    kinds_stop();
    for (long i = 0; i < n * n; i += KINDS_STRIDE)
        kinds_verify(a[i], 0.5 * sqrt((double)(i / n + 2 * (i % n) + STEPS - 1)) + (double)(i % n));
    free(a);
}

/* The mean of both neighbours on a line that rises by one in each step: exact in doubles. */
static void kinds_fine(long n)
{
    enum { LENGTH = 2000 };
    double *a = kinds_allocate(LENGTH, sizeof *a), *b = kinds_allocate(LENGTH, sizeof *b);
    for (long i = 0; i < LENGTH; i++)
        a[i] = b[i] = (double)(3 * i);
    for (long step = 1; step <= n; step++) {
#pragma omp parallel for
        for (long i = 0; i < LENGTH; i++) {
            double left = i > 0 ? a[i - 1] : a[i + 1] - 6,
                   right = i < LENGTH - 1 ? a[i + 1] : a[i - 1] + 6;
            double sum = left + right;
            b[i] = 0.5 * sqrt(sum * sum) + 1;
        }
#pragma omp parallel for
        for (long i = 0; i < LENGTH; i++)
            a[i] = b[i];
    }
    kinds_stop();
    for (long i = 0; i < LENGTH; i++)
        kinds_verify(a[i], (double)(3 * i + n));
    free(a);
    free(b);
}

/* A plane that rises by one in each step: exact in doubles. */
static void kinds_stencil(long n)
{
    enum { STEPS = 30 };
    double *a = kinds_allocate(n * n, sizeof *a), *b = kinds_allocate(n * n, sizeof *b);
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[i * n + j] = (double)(i + 2 * j);
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
        for (long i = 0; i < n; i++) {
            double *row = &a[i * n], *to = &b[i * n];
            if (i == 0 || i == n - 1) {
                for (long j = 0; j < n; j++)
                    to[j] = row[j] + 1;
                continue;
            }
            to[0] = row[0] + 1;
            for (long j = 1; j < n - 1; j++) {
                double sum = row[j - n] + row[j + n] + row[j - 1] + row[j + 1];
                to[j] = 0.25 * sqrt(sum * sum) + 1;
            }
            to[n - 1] = row[n - 1] + 1;
        }
        double *next = b;
        b = a;
        a = next;
    }
    kinds_stop();
    for (long i = 0; i < n * n; i += KINDS_STRIDE)
        kinds_verify(a[i], (double)(i / n + 2 * (i % n) + STEPS));
    free(a);
    free(b);
}

static const struct kinds_kind {
    const char *name;
    void (*run)(long n);
    double size; /* at SCALE 1 */
    int least;
} kinds_all[] = {
    { "temps", kinds_temps, 1000000, 100 }, { "scatter", kinds_scatter, 1 << 18, 64 },
    { "wave", kinds_wave, 3000, 16 },       { "locks", kinds_locks, 400000, 16 },
    { "turn", kinds_turn, 2500, 16 },       { "fine", kinds_fine, 30000, 1 },
    { "stencil", kinds_stencil, 2500, 16 },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof kinds_all / sizeof *kinds_all; i++) {
        const struct kinds_kind *kind = &kinds_all[i];
        if (strcmp(argv[1], kind->name) != 0)
            continue;
        long n = (long)(kind->size * (argc > 2 ? atof(argv[2]) : 1));
        kinds_run.begin = omp_get_wtime();
        kind->run(n < kind->least ? kind->least : n);
        printf("%s seconds %.4f sum %.17g wrong %ld\n", kind->name, kinds_run.seconds,
               kinds_run.sum, kinds_run.wrong);
        return kinds_run.wrong > 0;
    }
    fputs("usage: kinds temps|scatter|wave|locks|turn|fine|stencil [SCALE]\n", stderr);
    return 2;
}
