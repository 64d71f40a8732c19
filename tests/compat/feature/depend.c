/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that depend on each other: a wavefront, iterators, objects, sets, many predecessors. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

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

enum { MOST = 40 };
static int cells[MOST], total, seen[MOST];

static void monitor_nap(int wanted)
{
    if (wanted)
        nanosleep(&(struct timespec){ 0, 3000000 }, NULL);
}

/* A task that waits for `count` writers, by one list: number `late` is the last to be done. */
static int join_writers(int count, int late)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
#pragma omp task depend(out : cells[i]) firstprivate(i, late)
        {
            monitor_nap(i == late);
            cells[i] = i + 1;
        }
    }
#pragma omp task depend(iterator(int i = 0 : count), in : cells[i]) shared(found)
    {
        for (int i = 0; i < count; i++)
            found += cells[i];
    }
#pragma omp taskwait
    for (int i = 0; i < count; i++)
        cells[i] = 0;
    return found;
}

/* A task that writes waits for `count` readers; a taskwait waits for it and for a reader more. */
static int join_readers(int count, int late)
{
    int found = 0;
    total = 1;
    for (int i = 0; i < count; i++) {
#pragma omp task depend(in : total) firstprivate(i, late)
        {
            monitor_nap(i == late);
            seen[i] = total;
        }
    }
#pragma omp task depend(mutexinoutset : total)
    total = 1000;
#pragma omp task depend(in : total) depend(inout : cells[0])
    {
        monitor_nap(1);
        cells[0] = total;
    }
#pragma omp taskwait depend(in : total, cells[0])
    for (int i = 0; i < count; i++)
        found += seen[i];
    found += cells[0];
#pragma omp taskwait
    cells[0] = 0;
    return found;
}

static void joins(void)
{
    static const int counts[] = { 1, 2, 3, 4, 5, 8, 9, 17, MOST };
    long sum = 0;
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 9; k++)
        for (int late = 0; late < 3; late++) {
            int count = counts[k], last = late * (count - 1) / 2;
            sum = 31 * sum + join_writers(count, last);
            sum = (31 * sum + join_readers(count, last)) % 1000000007;
        }
    printf("joins: %ld\n", sum);
}

int main(void)
{
    wavefront(), others(), joins();
    return 0;
}
