/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops of two and three dimensions, of shapes that are no rectangles, and of many ways to step. */
#include <stdio.h>

#define N 60

static long hits[N][N];
static int numbers[N];

static void report(const char *what)
{
    long sum = 0, count = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            sum += hits[i][j] * (i * 61 + j);
            count += hits[i][j];
            hits[i][j] = 0;
        }
    printf("%s: %ld of %ld\n", what, sum, count);
}

static void triangles(void)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            hits[i][j]++;
    report("below the diagonal");
#pragma omp parallel for collapse(2)
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            hits[i][j]++;
    report("on and above the diagonal");
#pragma omp parallel for collapse(2)
    for (int i = N - 1; i >= 0; i--)
        for (int j = 2 * i; j < 2 * i + 5; j++)
            hits[i][j % N]++;
    report("a band");
}

static void steps(void)
{
#pragma omp parallel for collapse(3) schedule(static, 5)
    for (unsigned char i = 0; i < 4; i++)
        for (long long j = 50; j > 0; j -= 7)
            for (unsigned k = 3; k != 9; k++)
                hits[i * 9 + k][j]++;
    report("three types");
#pragma omp parallel for schedule(dynamic, 3)
    for (int *p = numbers; p != numbers + N; p++)
        *p = (int)(p - numbers) * 3;
    for (int i = 0; i < N; i++)
        hits[i][0] = numbers[i];
    report("a pointer");
#pragma omp parallel for collapse(2)
    for (int i = -10; i <= 10; i += 4)
        for (int j = i; j < 12; j += 2)
            hits[i + 10][j + 10]++;
    report("from below zero");
}

int main(void)
{
    int i, j;

    triangles(), steps();
#pragma omp parallel for collapse(2) lastprivate(i, j)
    for (i = 0; i < 7; i++)
        for (j = 0; j < 9; j += 2)
            hits[i][j]++;
    report("last values");
    printf("%d %d\n", i, j);
    return 0;
}
