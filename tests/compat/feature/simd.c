/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* simd loops, alone and shared out, and functions that are called from them. */
#include <stdio.h>

#define N 1003

static float a[N], b[N];
static double c[N];
static int at[N];

#pragma omp declare simd uniform(factor) linear(i : 1)
static float scaled(float factor, int i)
{
    return factor * (float)i;
}

#pragma omp declare simd notinbranch
static double squared(double x)
{
    return x * x;
}

int main(void)
{
    double sum = 0, most = 0;
    int k = 5, last = 0;

#pragma omp simd
    for (int i = 0; i < N; i++)
        a[i] = scaled(0.5f, i);
#pragma omp parallel for simd simdlen(8) schedule(simd : static, 5) aligned(b : 4)
    for (int i = 0; i < N; i++)
        b[i] = 2 * a[i];
#pragma omp parallel
#pragma omp for simd reduction(+ : sum) lastprivate(last) schedule(dynamic, 16)
    for (int i = 0; i < N; i++) {
        c[i] = squared(b[i]);
        sum += c[i];
        last = i;
    }
#pragma omp simd linear(k : 2) safelen(4) reduction(max : most)
    for (int i = 0; i < N; i++) {
        at[i] = k;
        k += 2;
        most = c[i] > most ? c[i] : most;
    }
#pragma omp parallel for simd collapse(2) if (simd : 0)
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 100; j++)
            at[100 * i + j] += i;
    printf("%.0f %.0f %d %d %d %d\n", sum, most, k, last, at[7], at[999]);
    return 0;
}
