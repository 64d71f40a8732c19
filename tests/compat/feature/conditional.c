/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constructs whose threads share memory of the runtime: lastprivate(conditional:), scans. */
#include <omp.h>
#include <stdio.h>

#define N 500

static int in[N], sums[N], before[N];

static void conditional(void)
{
    int a = -1, b = -1, c = -1, d = -1, e = -1;
    unsigned long long f = 0;
#pragma omp parallel for lastprivate(conditional : a)
    for (int i = 0; i < N; i++)
        if (i % 7 == 3)
            a = i;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3) lastprivate(conditional : b) nowait
        for (int i = 0; i <= N; i++)
            if (i % 11 == 5)
                b = i;
#pragma omp for schedule(guided) lastprivate(conditional : c)
        for (int i = 0; i < N; i++)
            if (i < 37)
                c = i;
#pragma omp for schedule(runtime) lastprivate(conditional : d)
        for (int i = 0; i < N; i++)
            if (i > N)
                d = i;
#pragma omp sections lastprivate(conditional : e)
        {
#pragma omp section
            e = 1;
#pragma omp section
            e = 2;
#pragma omp section
            (void)0;
        }
#pragma omp for schedule(dynamic) lastprivate(conditional : f)
        for (unsigned long long i = 1ull << 63; i < (1ull << 63) + N; i++)
            if (i % 13 == 0)
                f = i;
    }
    printf("conditional: %d %d %d %d %d %llu\n", a, b, c, d, e, f);
}

static void scans(void)
{
    int s = 0, t = 5;
    long all = 0;
    for (int i = 0; i < N; i++)
        in[i] = i * i % 17;
#pragma omp parallel for reduction(inscan, + : s)
    for (int i = 0; i < N; i++) {
        s += in[i];
#pragma omp scan inclusive(s)
        sums[i] = s;
    }
#pragma omp parallel
    for (int k = 0; k < 3; k++) {
#pragma omp for reduction(inscan, max : t)
        for (int i = 0; i < N; i++) {
            before[i] = t;
#pragma omp scan exclusive(t)
            t = t > in[i] * (k + 1) ? t : in[i] * (k + 1);
        }
    }
    for (int i = 0; i < N; i++)
        all += sums[i] * (i % 5L) + before[i];
    printf("scans: %d %d %ld\n", s, t, all);
}

static void allocated(void)
{
    int n = 3, last = 0;
    long sum = 0;
#pragma omp parallel for firstprivate(n) lastprivate(last) reduction(+ : sum) \
    allocate(omp_high_bw_mem_alloc : n, last)
    for (int i = 0; i < N; i++) {
        last = i + n;
        sum += last;
    }
    printf("allocate: %d %ld\n", last, sum);
}

int main(void)
{
    conditional();
    scans();
    allocated();
    return 0;
}
