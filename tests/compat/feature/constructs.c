/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* More constructs without a barrier between them than a set of words has, in a team that is smaller
 * than the job. */
#include <omp.h>
#include <stdio.h>

static int singles, parts, iterations;

static void round_of(int k)
{
#pragma omp single nowait
    {
#pragma omp atomic
        singles += k;
    }
#pragma omp sections nowait
    {
#pragma omp section
        {
#pragma omp atomic
            parts += k;
        }
#pragma omp section
        {
#pragma omp atomic
            parts += 2 * k;
        }
    }
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 7; i++) {
#pragma omp atomic
        iterations += i;
    }
}

int main(void)
{
    for (int threads = 1; threads < 5; threads++) {
        singles = parts = iterations = 0;
#pragma omp parallel num_threads(threads)
        for (int k = 0; k < 45; k++)
            round_of(k);
        printf("%d: %d %d %d\n", threads, singles, parts, iterations);
    }
    return 0;
}
