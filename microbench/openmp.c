/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of OpenMP directives: microseconds of each beyond the time of its body, in a plain
 * OpenMP program that can be compiled by hlrcc or by gcc. After Bull's and O'Neill's
 * synchronisation microbenchmarks (A Microbenchmark Suite for OpenMP 2.0, 2001), with their names.
 *
 *   hlrcc -fopenmp -O2 microbench/openmp.c -o openmp && hlrcrun -n 2 ./openmp [ROUNDS]
 *
 *  parallel    an empty region
 *  for         a static loop of one iteration per thread, with its barrier
 *  barrier, single, critical, lock, ordered
 *  atomic      an addition to a shared double, by all threads
 *  reduction   a region with a sum of doubles
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 9

static double sum;
static omp_lock_t the_lock;

static void parallel(int n)
{
    for (int i = 0; i < n; i++) {
#pragma omp parallel
        __asm__ volatile("");
    }
}

static void loop(int n)
{
#pragma omp parallel
    for (int i = 0; i < n; i++) {
#pragma omp for
        for (int k = 0; k < omp_get_num_threads(); k++)
            __asm__ volatile("");
    }
}

/* A directive COUNT times in each thread of a region. */
#define IN_REGION(name, count, ...)                               \
    static void name(int n)                                       \
    {                                                             \
        _Pragma("omp parallel") for (int i = 0; i < (count); i++) \
        {                                                         \
            __VA_ARGS__;                                          \
        }                                                         \
    }
#define SHARE(n) ((n) / omp_get_num_threads())

IN_REGION(barrier, n, _Pragma("omp barrier"))
IN_REGION(single, n, _Pragma("omp single") __asm__ volatile(""))
IN_REGION(critical, SHARE(n), _Pragma("omp critical") sum += 1)
IN_REGION(lock, SHARE(n), omp_set_lock(&the_lock); sum += 1; omp_unset_lock(&the_lock))
IN_REGION(atomic, SHARE(n), _Pragma("omp atomic") sum += 1)

static void ordered(int n)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < n; i++) {
#pragma omp ordered
        sum += 1;
    }
}

static void reduction(int n)
{
    for (int i = 0; i < n; i++) {
        double mine = 0;
#pragma omp parallel reduction(+ : mine)
        mine += 1;
        sum += mine;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*run)(int), int rounds)
{
    double us[SAMPLES];
    run(rounds / 10 + 1);
    for (int s = 0; s < SAMPLES; s++) {
        double start = omp_get_wtime();
        run(rounds);
        us[s] = (omp_get_wtime() - start) * 1e6 / rounds;
    }
    qsort(us, SAMPLES, sizeof us[0], by_value);
    printf("%-10s %9.3f  (%.3f to %.3f)\n", name, us[SAMPLES / 2], us[0], us[SAMPLES - 1]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int);
    } all[] = { { "parallel", parallel }, { "for", loop },          { "barrier", barrier },
                { "single", single },     { "critical", critical }, { "lock", lock },
                { "ordered", ordered },   { "atomic", atomic },     { "reduction", reduction } };
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    if (rounds < 1) {
        fprintf(stderr, "usage: %s [ROUNDS]; ROUNDS from 1\n", argv[0]);
        return 2;
    }
    omp_init_lock(&the_lock);
    printf("%d threads; microseconds, median of %d\n", omp_get_max_threads(), SAMPLES);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        measure(all[i].name, all[i].run, rounds);
    omp_destroy_lock(&the_lock);
    return 0;
}
