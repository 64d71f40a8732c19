/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that compute for long, in registers of all kinds, and never wait. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3 };
static double results[THREADS];
static long rounds;
static __thread unsigned state;

__attribute__((noinline)) static unsigned next(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void *body(void *arg)
{
    long thread = (long)arg;
    double sum = 0, part[8] = { 0 };
    long double exact = 0;
    unsigned x = 12345 + (unsigned)thread, bits = 0;

    state = x;
    for (long i = 0; i < rounds; i++) {
        x = x * 1664525 + 1013904223;
        double u = x / 4294967296.0;
        for (int k = 0; k < 8; k++)
            part[k] += u * k;
        if (i % 64 == 0) {
            sum += sqrt(u) * (next() % 3);
            exact += u;
        }
        bits ^= x << i % 7;
    }
    for (int k = 0; k < 8; k++)
        sum += part[k];
    results[thread] = sum + (double)exact + bits;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = argc > 1 ? (long)atof(argv[1]) : 1000000;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        printf("%.17g\n", results[i]);
    }
}
