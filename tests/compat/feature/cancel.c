/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions, loops, sections and groups of tasks that are cancelled (OMP_CANCELLATION is set). */
#include <omp.h>
#include <stdio.h>

#define N 400

static int values[N], wrong;

static void expect(int holds)
{
    if (!holds) {
#pragma omp atomic
        wrong++;
    }
}

/* Whoever does not cancel waits in a barrier to which the one that does never comes. */
static int region(int by, int threads)
{
    int left = 0, passed = 0;
#pragma omp parallel num_threads(threads) shared(left, passed)
    {
        int me = omp_get_thread_num();
#pragma omp for schedule(dynamic, 3) nowait
        for (int i = 0; i < N; i++)
            values[i] = i + by;
        if (me == by % omp_get_num_threads()) {
#pragma omp atomic
            left++;
#pragma omp cancel parallel
        }
#pragma omp barrier
#pragma omp atomic
        passed++;
    }
    return left == 1 && passed == 0;
}

/* One finds it, others are told at their points; what follows the loop is as ever. */
static int loop(int wanted)
{
    int found = -1, after = 0, sum = 0;
#pragma omp parallel shared(found, after, sum)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++) {
            if (values[i] == wanted) {
#pragma omp critical
                found = i;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp atomic
        after++;
#pragma omp for schedule(guided) reduction(+ : sum)
        for (int i = 0; i < N; i++)
            sum += values[i];
        expect(after == omp_get_num_threads());
    }
    return found >= 0 && sum > 0 ? found : -1;
}

static int sections(void)
{
    int done = 0, unreached = 0;
#pragma omp parallel shared(done, unreached)
#pragma omp sections
    {
#pragma omp section
        {
#pragma omp atomic
            done++;
#pragma omp cancel sections
#pragma omp atomic
            unreached++;
        }
#pragma omp section
        {
#pragma omp cancellation point sections
        }
    }
    return done == 1 && unreached == 0;
}

static void search(int low, int high, int wanted, int *found)
{
    if (high - low < 10) {
        for (int i = low; i < high; i++)
            if (values[i] == wanted) {
#pragma omp atomic write
                *found = i;
            }
        return;
    }
    for (int half = 0; half < 2; half++) {
#pragma omp task firstprivate(half)
        {
            int middle = (low + high) / 2, seen;
            search(half ? middle : low, half ? high : middle, wanted, found);
#pragma omp atomic read
            seen = *found;
#pragma omp cancel taskgroup if (seen >= 0)
        }
    }
}

static int tasks(int wanted)
{
    int found = -1, unreached = 0, other = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(found)
            search(0, N, wanted, &found);
#pragma omp task shared(unreached)
            {
#pragma omp cancel taskgroup
                unreached++;
            }
        }
#pragma omp taskgroup
        {
#pragma omp task shared(other)
            other++;
        }
#pragma omp taskloop shared(unreached) num_tasks(4)
        for (int i = 0; i < 8; i++) {
#pragma omp cancel taskgroup
            unreached++;
        }
    }
    return unreached == 0 && other == 1 && (found == -1 || values[found] == wanted);
}

/* A team of one, and one within another. */
static int alone(void)
{
    int n = 0, inner = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp for
        for (int i = 0; i < 10; i++) {
            n++;
#pragma omp cancel for if (i == 2)
        }
#pragma omp for
        for (int i = 0; i < 10; i++)
            n += 10;
#pragma omp cancel parallel if (n == 103)
        n = -1;
    }
#pragma omp parallel
    {
#pragma omp parallel num_threads(1) reduction(+ : inner)
        {
            inner++;
#pragma omp cancel parallel
            inner = 1000;
        }
#pragma omp barrier
        expect(inner == omp_get_num_threads() || inner < 1000);
    }
    return n == 103;
}

int main(void)
{
    int regions = 0, threads = omp_get_max_threads();
    printf("on: %d\n", omp_get_cancellation());
    for (int k = 0; k < 12; k++) {
        regions += region(k, k % threads + 1);
        printf("loop: %d\n", loop(k + 7));
    }
    printf("regions: %d, sections: %d, tasks: %d %d\n", regions, sections(), tasks(50), tasks(-1));
    printf("alone: %d, wrong: %d\n", alone(), wrong);
    return 0;
}
