/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that depend on each other: a wavefront, iterators, objects, sets. */
#include <omp.h>
#include <stdio.h>

#define N 12

static long grid[N + 1][N + 1];

static void wavefront(void)
{
    for (int i = 0; i <= N; i++)
        grid[i][0] = grid[0][i] = 1;
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
            grid[i][j] = grid[i - 1][j] + grid[i][j - 1];
        }
    printf("%ld %ld\n", grid[N][N], grid[3][N]);
}

static void others(void)
{
    int values[N] = { 0 }, sum = 0, exclusive = 0, x = 1;
    omp_depend_t object;

#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < N; i++) {
#pragma omp task depend(out : values[i])
            values[i] = i;
        }
#pragma omp task depend(iterator(int i = 0 : N), in : values[i]) depend(out : sum)
        for (int i = 0; i < N; i++)
            sum += values[i];
        for (int i = 0; i < 5; i++) {
#pragma omp task depend(mutexinoutset : exclusive)
            exclusive += i;
        }
#pragma omp depobj(object) depend(inout : x)
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(depobj : object)
            x = 3 * x + i;
        }
#pragma omp depobj(object) destroy
#pragma omp taskwait depend(in : sum, x)
        sum *= 10;
    }
    printf("%d %d %d\n", sum, exclusive, x);
}

int main(void)
{
    wavefront(), others();
    return 0;
}
