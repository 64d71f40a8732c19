/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions that run on one node, on some and on all by turns, some with fewer threads: what threads
 * keep, share and await is right in each. The output does not depend on the number of threads. */
#include <omp.h>
#include <stdio.h>

#define N       20000
#define REGIONS 40

static int calls; /* of run_region's region, by this thread */
#pragma omp threadprivate(calls)
static double a[N], b[N];
static int wrong;

static void count_wrong(int is)
{
    if (is) {
#pragma omp atomic
        wrong++;
    }
}

static void run_region(int region, int threads)
{
    double sum = 0;
    int arrived = 0;

#pragma omp parallel reduction(+ : sum) num_threads(threads)
    {
        int shown = 0;
        calls++;
#pragma omp for
        for (int i = 0; i < N; i++)
            a[i] = i + region;
#pragma omp for schedule(dynamic, 500)
        for (int i = 0; i < N; i++)
            b[N - 1 - i] = a[i] * 2;
#pragma omp critical
        arrived += omp_get_thread_num() + 1;
#pragma omp single copyprivate(shown)
        shown = 3 * region + 1;
        count_wrong(shown != 3 * region + 1);
        count_wrong(arrived != threads * (threads + 1) / 2 || omp_get_num_threads() != threads);
#pragma omp for schedule(static, 7)
        for (int i = 0; i < N; i++)
            sum += b[i] - 2.0 * (N - 1 - i + region);
    }
    count_wrong(sum != 0);
    for (int i = 0; i < N; i += 97)
        a[i] = -1;
}

int main(void)
{
    for (int region = 0; region < REGIONS; region++)
        run_region(region, omp_get_max_threads());
#pragma omp parallel
    count_wrong(calls != REGIONS);
    for (int region = 0; region < REGIONS; region++)
        run_region(region, region % 3 == 0 ? 2 : omp_get_max_threads());
    calls = 1000;
#pragma omp parallel copyin(calls)
    {
        count_wrong(calls != 1000);
        calls += omp_get_thread_num();
    }
#pragma omp parallel
    count_wrong(calls != 1000 + omp_get_thread_num());
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
