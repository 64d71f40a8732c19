/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* masked with a filter, scope, loop, and other directives of OpenMP 5. */
#include <omp.h>
#include <stdio.h>

#define N 100

static int values[N];

int main(void)
{
    int by_first = 0, by_last = 0, by_none = 0, threads = 0, sum = 0, scoped = 0;

#pragma omp parallel
    {
        int last = omp_get_num_threads() - 1;

#pragma omp masked
        by_first++;
#pragma omp masked filter(last)
        by_last += 10;
#pragma omp masked filter(last + 1)
        by_none++;
#pragma omp barrier
#pragma omp scope reduction(+ : scoped)
        scoped += 2;
#pragma omp single
        threads = last + 1;
#pragma omp loop bind(parallel)
        for (int i = 0; i < N; i++)
            values[i] += i;
#pragma omp nothing
    }
#pragma omp parallel loop reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += values[i];
#pragma omp parallel masked
    by_first += omp_get_thread_num() == 0;
    printf("%d %d %d %d %d\n", by_first, by_last, by_none, sum, scoped / threads);
    return 0;
}
