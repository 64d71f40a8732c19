// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * heat-openmp - a plate whose upper edge is hot, in steps of time. doc/tutorial.md makes it fast on
 * several nodes. A program of OpenMP:
 *
 *     hlrcc -g -fopenmp -O2 heat-openmp.c -o heat-openmp -lm
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 40, THREADS = 1024 };

static double worst[THREADS]; /* the largest change that each thread has seen */

static double heat_point(const double *p)
{
    double flow = p[-N] + p[N] + p[-1] + p[1] - 4 * p[0];
    return p[0] + 0.2 * flow * exp(-p[0] / 500); /* hot points conduct less */
}

int main(void)
{
    double *now = malloc(sizeof(double) * N * N), *next = malloc(sizeof(double) * N * N);
    double begin = omp_get_wtime(), change = 0;
    for (int i = 0; i < N * N; i++)
        now[i] = next[i] = i < N ? 100 : 0;
    for (int step = 0; step < STEPS; step++) {
        change = 0;
#pragma omp parallel
        {
            int me = omp_get_thread_num();
            worst[me] = 0;
#pragma omp for schedule(static, 1)
            for (int i = 1; i < N - 1; i++)
                for (int j = 1; j < N - 1; j++) {
                    next[i * N + j] = heat_point(&now[i * N + j]);
                    worst[me] = fmax(worst[me], fabs(next[i * N + j] - now[i * N + j]));
                }
        }
        for (int i = 0; i < omp_get_max_threads(); i++)
            change = fmax(change, worst[i]);
        double *other = now;
        now = next;
        next = other;
    }
    printf("last change %.6f, ten rows down %.6f\n", change, now[10 * N + N / 2]);
    fprintf(stderr, "%.2f seconds\n", omp_get_wtime() - begin);
    free(now);
    free(next);
    return 0;
}
