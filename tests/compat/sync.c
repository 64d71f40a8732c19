/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What orders the threads of OpenMP, and what only one of them does: each part prints what does not
 * depend on how many there are. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40

static int counter, other_counter, flags[64];
static omp_lock_t lock;
static omp_nest_lock_t nest;

static void critical(void)
{
    int threads = 0;
    counter = other_counter = 0;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < N; i++) {
#pragma omp critical
            counter++;
#pragma omp critical(name)
            {
                other_counter++;
#pragma omp critical(other)
                counter += 0;
            }
        }
    }
    printf("critical: %d %d\n", counter / threads, other_counter / threads);
}

static void atomics(void)
{
    int i32 = 0, captured = 0, highest = 0;
    long i64 = 0;
    unsigned char byte = 0;
    short half = 1;
    float f = 0;
    double d = 0;
    unsigned bits = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int mine;
#pragma omp atomic
        i32 += i;
#pragma omp atomic
        i64 -= 3 * i;
#pragma omp atomic
        byte++;
#pragma omp atomic
        half ^= (short)(1 << i % 8);
#pragma omp atomic
        f += 0.5f;
#pragma omp atomic
        d += 0.25;
#pragma omp atomic
        bits |= 1u << i % 32;
#pragma omp atomic capture
        mine = captured++;
#pragma omp critical
        highest = mine > highest ? mine : highest;
    }
    int seen;
#pragma omp atomic write
    counter = 77;
#pragma omp atomic read
    seen = counter;
    printf("atomic: %d %ld %d %d %g %g %#x %d %d %d\n", i32, i64, byte, half, f, d, bits, captured,
           highest, seen);
}

static void barriers(void)
{
    int wrong = 0, rounds = 30;
#pragma omp parallel
    {
        int me = omp_get_thread_num(), threads = omp_get_num_threads();
        for (int k = 1; k <= rounds; k++) {
            flags[me] = k;
#pragma omp barrier
            if (flags[(me + 1) % threads] != k) {
#pragma omp atomic
                wrong++;
            }
#pragma omp barrier
        }
    }
    printf("barrier: %d wrong\n", wrong);
}

static void only_one(void)
{
    int singles = 0, masters = 0, masked = 0;
    int value = 0, sum = 0, threads = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int own = omp_get_thread_num();
        for (int k = 0; k < 100; k++) {
#pragma omp single nowait
            {
#pragma omp atomic
                singles++;
            }
        }
#pragma omp master
        masters++;
#pragma omp masked
        masked++;
#pragma omp single
        {
            value = 42;
            threads = omp_get_num_threads();
        }
        sum += value;
#pragma omp single copyprivate(own)
        own = 1000;
        sum += own;
    }
    printf("single, master, masked: %d %d %d %d\n", singles, masters, masked, sum / threads);
}

static void sections(void)
{
    int a = 0, b = 0, c = 0, last = 0;
#pragma omp parallel sections lastprivate(last)
    {
#pragma omp section
        a = 1, last = 10;
#pragma omp section
        b = 2, last = 20;
#pragma omp section
        c = 3, last = 30;
    }
#pragma omp parallel
    {
#pragma omp sections nowait
        {
#pragma omp section
            a += 10;
#pragma omp section
            b += 20;
        }
#pragma omp sections
        {
#pragma omp section
            c += 30;
        }
    }
    printf("sections: %d %d %d %d\n", a, b, c, last);
}

static void locks(void)
{
    int tries = 0, deep = 0, threads = 0;
    counter = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < N; i++) {
            omp_set_lock(&lock);
            counter++;
            omp_unset_lock(&lock);
        }
        while (!omp_test_lock(&lock))
            ;
        tries++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        deep += omp_test_nest_lock(&nest);
        for (int i = 0; i < 3; i++)
            omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("locks: %d %d %d\n", counter / threads, tries / threads, deep / threads);
}

/* One thread tells another by a flag. */
static void flushes(void)
{
    int data = 0, ready = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 99;
#pragma omp flush
#pragma omp atomic write
            ready = 1;
#pragma omp flush
        }
        if (omp_get_thread_num() == omp_get_num_threads() - 1) {
            int is;
            do {
#pragma omp flush
#pragma omp atomic read
                is = ready;
            } while (!is);
#pragma omp flush
            seen = data;
        }
    }
    printf("flush: %d\n", seen);
}

int main(void)
{
    critical(), atomics(), barriers(), only_one(), sections(), locks(), flushes();
    return 0;
}
