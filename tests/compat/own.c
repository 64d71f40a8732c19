/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables that each thread has for itself, whose addresses the compiler passes to others: copyin
 * and copyprivate. With an argument a thread stores to those of another one, which must not go
 * unnoticed. */
#include <fenv.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 3000 /* several pages */

static int own = 5;
static double large[N];
#pragma omp threadprivate(own, large)

static void copied_in(void)
{
    int wrong = 0;
    for (int k = 0; k < 3; k++) {
        own = 42 + k;
        for (int i = 0; i < N; i++)
            large[i] = i + k;
#pragma omp parallel copyin(own, large) reduction(+ : wrong)
        {
            wrong += own != 42 + k;
            for (int i = 0; i < N; i++)
                wrong += large[i] != i + k;
            own = -omp_get_thread_num();
        }
    }
    printf("copyin: %d wrong\n", wrong);
}

static void copied_by_one(void)
{
    int wrong = 0;
    for (int region = 0; region < 100; region++)
#pragma omp parallel reduction(+ : wrong)
        for (int k = 0; k < 6; k++) {
#pragma omp single copyprivate(own, large)
            {
                own = 1000 + k;
                large[5] = k;
                large[N - 1] = -k;
            }
            wrong += own != 1000 + k || large[5] != k || large[N - 1] != -k;
            large[5] = -1;
        }
    printf("copyprivate: %d wrong\n", wrong);
}

static void store_to_another(void)
{
    volatile int *first = &own;
#pragma omp parallel shared(first)
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
        *first = 77;
    printf("%d\n", own);
}

/* The first region's threads have thread 0's rounding, and later what they have set themselves. */
static void modes(void)
{
    static const int way[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };
    int wrong = 0;
    for (int k = 0; k < 6; k++) {
        fesetround(k == 0 ? FE_UPWARD : FE_DOWNWARD);
#pragma omp parallel reduction(+ : wrong)
        {
            int me = omp_get_thread_num();
            wrong += fegetround() != (k == 0    ? FE_UPWARD
                                      : me == 0 ? FE_DOWNWARD
                                                : way[(me + k) % 4]);
            fesetround(way[(me + k + 1) % 4]);
        }
    }
    fesetround(FE_TONEAREST);
    printf("modes: %d wrong\n", wrong);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        store_to_another();
        return 0;
    }
    modes(), copied_in(), copied_by_one();
    return 0;
}
