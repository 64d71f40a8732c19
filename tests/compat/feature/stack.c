/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OMP_STACKSIZE is set: threads other than the first have variables of 20 MiB. The stack of the
 * first has the code by which others call a nested function. */
#include <omp.h>
#include <stdio.h>

#define WORDS (20 << 18)

__attribute__((noinline)) static int fill(int seed)
{
    volatile int many[WORDS];
    int wrong = 0;
    for (int i = 0; i < WORDS; i += 512)
        many[i] = seed + i;
    for (int i = 0; i < WORDS; i += 512)
        wrong += many[i] != seed + i;
    return wrong;
}

static int apply(int (*fn)(int), int value)
{
    return fn(value);
}

int main(void)
{
    int kept[5000], wrong = 0, added = 40;
    int add(int value)
    {
        return added + value;
    }
#pragma omp parallel for reduction(+ : wrong)
    for (int i = 0; i < 100; i++)
        wrong += apply(add, i) != 40 + i;
    for (int i = 0; i < 5000; i++)
        kept[i] = i;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    if (omp_get_thread_num() > 0)
        wrong += fill(omp_get_thread_num());
    for (int i = 0; i < 5000; i++)
        wrong += kept[i] != i;
    printf("%d wrong\n", wrong);
    return 0;
}
