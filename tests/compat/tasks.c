/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks of OpenMP. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int fib(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 5)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void recursive(void)
{
    int result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(14);
    printf("fib: %d\n", result);
}

static void dependences(void)
{
    int x = 1, y = 2, z = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 10;
#pragma omp task depend(in : x) depend(out : y)
        y = x + 5;
#pragma omp task depend(in : x, y) depend(out : z)
        z = x * y;
#pragma omp taskwait depend(in : z)
        z++;
    }
    printf("depend: %d %d %d\n", x, y, z);
}

static void loops(void)
{
    static int done[100];
    int sum = 0, made = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(7)
        for (int i = 0; i < 100; i++)
            done[i] += i;
#pragma omp taskloop num_tasks(9) shared(made)
        for (int i = 99; i >= 0; i -= 1)
            done[i] += 1;
#pragma omp taskgroup
        {
            for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i) shared(made)
                {
#pragma omp atomic
                    made += i;
                }
            }
        }
        sum = made;
    }
    long total = 0;
    for (int i = 0; i < 100; i++)
        total += done[i] * (i + 1L);
    printf("taskloop, taskgroup: %ld %d\n", total, sum);
}

static void final(void)
{
    int inside = -1, outside = -1;
#pragma omp parallel
#pragma omp single
    {
        int n = 10;
#pragma omp task final(n > 5) shared(inside)
        {
#pragma omp task shared(inside)
            inside = omp_in_final();
#pragma omp taskwait
        }
#pragma omp taskwait
        outside = omp_in_final();
    }
    printf("final: %d %d\n", inside, outside);
}

/* Each thread makes tasks; a barrier waits for them. */
static void by_all(void)
{
    int count = 0, threads = 0;
    double large[600];
    for (int i = 0; i < 600; i++)
        large[i] = i;
#pragma omp parallel shared(count) firstprivate(large)
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < 5; i++) {
#pragma omp task untied firstprivate(large)
            {
                large[0] = 7;
#pragma omp atomic
                count += (int)large[3];
            }
        }
#pragma omp barrier
    }
    printf("tasks of all: %d %g\n", count / threads, large[0]);
}

int main(void)
{
    recursive(), dependences(), loops(), final(), by_all();
    return 0;
}
