/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values handed from thread to thread in a ring of one place, by flush and atomic alone. */
#include <omp.h>
#include <stdio.h>

#define ROUNDS 40

static int place, full;
static int data[64];

static void produce(void)
{
    for (int i = 1; i <= ROUNDS; i++) {
        int is;
        do {
#pragma omp atomic read acquire
            is = full;
        } while (is);
        place = i;
        for (int k = 0; k < 64; k++)
            data[k] = i * k;
#pragma omp flush release
#pragma omp atomic write
        full = 1;
    }
}

static long consume(void)
{
    long sum = 0;

    for (int i = 1; i <= ROUNDS; i++) {
        int is;
        do {
#pragma omp atomic read
            is = full;
        } while (!is);
#pragma omp flush acquire
        for (int k = 0; k < 64; k++)
            sum += data[k] == place * k ? place : -1000000;
#pragma omp atomic write release
        full = 0;
    }
    return sum;
}

int main(void)
{
    long sum = 0;

#pragma omp parallel num_threads(2)
    {
        if (omp_get_num_threads() == 1)
            sum = 64L * ROUNDS * (ROUNDS + 1) / 2;
        else if (omp_get_thread_num() == 0)
            produce();
        else
            sum = consume();
    }
    printf("%ld\n", sum);
    return 0;
}
