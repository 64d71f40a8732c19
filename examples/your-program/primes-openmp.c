/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * primes-openmp: a plain OpenMP program without any HLRC calls. Its table is on the heap. The
 * threads of all nodes strike out the numbers that are not prime, and count the rest.
 *
 *     hlrcc -fopenmp -O2 primes-openmp.c -o primes-openmp
 *     hlrcrun -n 3 ./primes-openmp
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELOW 200000
#define BLOCK 16384

/* Strikes out the multiples of primes below `root` that lie in one block of the table. */
static void strike(char *prime, const char *small, int root, int from, int to)
{
    for (int p = 2; p < root; p++) {
        if (!small[p])
            continue;
        int first = (from + p - 1) / p * p;
        for (int i = first > p * p ? first : p * p; i < to; i += p)
            prime[i] = 0;
    }
}

int main(void)
{
    int root = 1;
    long found = 0;
    while (root * root < BELOW)
        root++;
    char *prime = malloc(BELOW), *small = malloc((size_t)root);
    if (!prime || !small)
        return 1;
    memset(small, 1, (size_t)root);
    for (int p = 2; p * p < root; p++)
        for (int i = p * p; i < root; i += p)
            small[i] = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : found)
    for (int from = 0; from < BELOW; from += BLOCK) {
        int to = from + BLOCK < BELOW ? from + BLOCK : BELOW;
        memset(prime + from, 1, (size_t)(to - from));
        strike(prime, small, root, from, to);
        for (int i = from > 2 ? from : 2; i < to; i++)
            found += prime[i];
    }
    printf("%ld primes below %d\n", found, BELOW);
    free(small);
    free(prime);
    return 0;
}
