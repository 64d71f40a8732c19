/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clauses num_threads and if, and the routine: a team is never larger than was asked for. */
#include <omp.h>
#include <stdio.h>

static int work(int n, int asked, int parallel)
{
    int sum = 0, threads = 0;

#pragma omp parallel num_threads(asked) if (parallel)
    {
#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < n; i++)
            sum += i;
    }
    return threads >= 1 && threads <= (parallel ? asked : 1) ? sum : -1;
}

int main(void)
{
    int several = omp_get_max_threads(), inside = 0, later = 0;

    for (int asked = 1; asked < 7; asked++)
        printf("%d ", work(10 * asked, asked, asked != 4));
    omp_set_num_threads(1);
    printf("%d ", omp_get_max_threads());
#pragma omp parallel
    inside += omp_get_num_threads();
    omp_set_num_threads(several);
#pragma omp parallel
#pragma omp single
    {
        omp_set_num_threads(1);
        later = omp_get_max_threads();
    }
    printf("%d %d %d\n", inside, later, omp_get_max_threads() == several);
    /* a region of one thread around a region: its threads are those of any other */
    int threads = 0, within = 0;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp parallel if (0)
#pragma omp parallel
#pragma omp single
    within = omp_get_num_threads();
    printf("%d\n", threads == within);
    return 0;
}
