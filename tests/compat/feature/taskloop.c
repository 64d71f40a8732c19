/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops of tasks: collapsed, down, of unsigned, with what is left of the last iteration. */
#include <omp.h>
#include <stdio.h>

static int done[400];

int main(void)
{
    int last = 0, sum = 0, first = 3, threads = 0;
    unsigned long long base = 0xffffffffffffff00ull;

#pragma omp parallel
#pragma omp single
    {
        threads = omp_get_num_threads() > 0;
#pragma omp taskloop collapse(2) grainsize(9)
        for (int i = 0; i < 20; i++)
            for (int j = 0; j < 20; j++)
                done[20 * i + j] += i;
#pragma omp taskloop lastprivate(last) firstprivate(first) num_tasks(7)
        for (int i = 399; i >= 0; i -= 3)
            done[i] += first, last = i;
#pragma omp taskloop nogroup grainsize(strict : 50) shared(sum)
        for (unsigned long long i = base; i < base + 200; i += 2) {
#pragma omp atomic
            sum += (int)(i - base);
        }
#pragma omp taskloop simd num_tasks(3) if (first > 2)
        for (int i = 0; i < 400; i++)
            done[i] *= 2;
#pragma omp taskwait
    }
#pragma omp parallel masked taskloop
    for (int i = 0; i < 400; i++)
        done[i] += 1;
    long total = 0;
    for (int i = 0; i < 400; i++)
        total += done[i] * (i + 1L);
    printf("%ld %d %d %d\n", total, last, sum, threads);
    return 0;
}
