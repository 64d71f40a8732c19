/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads exchange data through many flags, several rounds through each. Each flag becomes
 * contended during its rounds, and the operation that finds it contended must order memory, too. */
#include <omp.h>
#include <stdio.h>

enum { FLAGS = 48, ROUNDS = 5, APART = 64, LENGTH = 128 };

static int flag[FLAGS * APART];
static int data[2][FLAGS][LENGTH];

static void give(int me, int k, int value)
{
    for (int i = 0; i < LENGTH; i++)
        data[me][k][i] = value + i;
#pragma omp atomic write release
    flag[k * APART] = value;
}

/* Returns the number of wrong values. */
static int receive(int me, int k, int value)
{
    int seen, wrong = 0;

    do {
#pragma omp atomic read acquire
        seen = flag[k * APART];
    } while (seen != value);
    for (int i = 0; i < LENGTH; i++)
        wrong += data[1 - me][k][i] != value + i;
    return wrong;
}

int main(void)
{
    int wrong = 0;

#pragma omp parallel num_threads(2) reduction(+ : wrong)
    for (int k = 0; omp_get_num_threads() == 2 && k < FLAGS; k++)
        for (int r = 0; r < 2 * ROUNDS; r++) {
            if (r % 2 == omp_get_thread_num())
                give(omp_get_thread_num(), k, r + 1);
            else
                wrong += receive(omp_get_thread_num(), k, r + 1);
        }
    printf("%d\n", wrong);
    return 0;
}
