/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flushes, without anything else that orders, and the atomic operations of before C11 (__sync). */
#include <omp.h>
#include <stdio.h>

static int data, sum, guarded;
static volatile int ready;
static long raised;
static short narrow[8];
static char taken;

/* Registers that a flush must keep: those of the loop, of integers and vectors. */
static void flushes(void)
{
    int got = -1;
    double kept = 0;
    ready = 0;
#pragma omp parallel num_threads(2) reduction(+ : kept)
    {
        double x = 0.5, y = 1, z = omp_get_thread_num() + 1;
        if (omp_get_thread_num() == omp_get_num_threads() - 1) {
            data = 99;
#pragma omp flush
            ready = 1;
#pragma omp flush
        }
        if (omp_get_thread_num() == 0) {
            while (!ready) {
#pragma omp flush
            }
            got = data;
        }
        for (int i = 0; i < 100; i++) {
            x += y;
#pragma omp flush
            z = z * 1.0;
        }
        if (omp_get_thread_num() == 0)
            kept += x * z;
    }
    printf("flush: %d %g\n", got, kept);
}

static void operations(void)
{
    int threads = 0;
#pragma omp parallel
    {
        long seen;
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < 30; i++) {
            short *slots = narrow;
            __sync_fetch_and_add(&sum, i);
            do
                seen = raised;
            while (!__sync_bool_compare_and_swap(&raised, seen, seen + 3));
            __sync_sub_and_fetch(&slots[i % 8], 2);
        }
    }
    printf("__sync: %d %ld %d\n", sum / threads, raised / threads, narrow[7] / threads);
}

/* A lock that is spun on, and let go of by a plain store. */
static void spinning(void)
{
    int threads = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < 5; i++) {
            while (__sync_lock_test_and_set(&taken, 1))
                ;
            guarded++;
            __sync_synchronize();
            __sync_lock_release(&taken);
            __sync_synchronize();
        }
    }
    printf("spin lock: %d\n", guarded / threads);
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        flushes();
    operations(), spinning();
    return 0;
}
