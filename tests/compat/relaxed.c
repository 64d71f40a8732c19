/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Relaxed atomic operations of each form beside ordinary stores; with an argument they are left
 * out. The locks that both runs take are counted. */
#include <omp.h>
#include <stdio.h>

enum { TIMES = 300 };

static int sum, drawn, last, highest;
static long by_c;
static int mine[8][4096];

static void operations(int i, int *own)
{
    int before, seen;
#pragma omp atomic
    sum += 2;
#pragma omp atomic capture
    before = drawn++;
#pragma omp atomic write
    last = i;
#pragma omp atomic read
    seen = last;
#pragma omp atomic compare
    highest = highest < before ? before : highest;
    __atomic_fetch_add(&by_c, 3, __ATOMIC_RELAXED);
    if (before % 2 == 0 || seen < 0)
        own[before] = i;
}

int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel num_threads(2)
    {
        int *own = mine[omp_get_thread_num()];
        for (int i = 0; i < TIMES; i++) {
            if (argc == 1)
                operations(i, own);
            own[i] = i;
        }
    }
    int threads = sum / TIMES / 2;
    printf("%d\n", argc > 1 || (sum == 2 * threads * TIMES && drawn == threads * TIMES &&
                                highest == drawn - 1 && by_c == 3L * threads * TIMES));
    return 0;
}
