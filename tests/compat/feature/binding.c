/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where threads are to run is accepted, and asked for; answers are consistent. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int sum = 0, places = omp_get_num_places(), wrong = 0;

#pragma omp parallel proc_bind(close) reduction(+ : wrong)
    wrong += omp_get_place_num() >= places;
#pragma omp parallel for proc_bind(spread) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
#pragma omp parallel proc_bind(primary) num_threads(2)
#pragma omp single
    sum += omp_get_thread_num() >= 0;
    wrong += omp_get_partition_num_places() > places || omp_get_proc_bind() > omp_proc_bind_spread;
    printf("%d, %d wrong\n", sum, wrong);
    return 0;
}
