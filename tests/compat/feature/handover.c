/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One thread passes data to another through many flags, several times through each. A flag becomes
 * contended during its rounds, first for the spinning reader: the writer's next store, the first
 * that finds it contended, must order memory, too. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { FLAGS = 24, ROUNDS = 6, APART = 64, LENGTH = 64 };

static int flag[FLAGS * APART];
static int data[FLAGS][ROUNDS + 1][LENGTH];

static void give(int k)
{
    for (int round = 1; round <= ROUNDS; round++) {
        usleep(200); /* the reader reads the flag meanwhile */
        for (int i = 0; i < LENGTH; i++)
            data[k][round][i] = round + i;
#pragma omp atomic write release
        flag[k * APART] = round;
    }
}

/* Returns the number of wrong values. */
static int receive(int k)
{
    int seen = 0, wrong = 0;

    for (int round = 1; round <= ROUNDS; round++) {
        while (seen < round) {
#pragma omp atomic read acquire
            seen = flag[k * APART];
        }
        for (int i = 0; i < LENGTH; i++)
            wrong += data[k][round][i] != round + i;
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;

#pragma omp parallel num_threads(2) reduction(+ : wrong)
    for (int k = 0; omp_get_num_threads() == 2 && k < FLAGS; k++) {
        if (k % 2 == omp_get_thread_num())
            give(k);
        else
            wrong += receive(k);
    }
    printf("%d\n", wrong);
    return 0;
}
