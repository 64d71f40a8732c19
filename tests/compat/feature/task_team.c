/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that the threads of all nodes run: searches and sorts that divide themselves, one producer,
 * groups within tasks, locks, what a barrier finds left over. OMP_CANCELLATION is set. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- recursion: how many ways to place n queens; quicksort ---- */

static int is_free(const char *rows, int n, int row)
{
    for (int i = 0; i < n; i++)
        if (rows[i] == row || rows[i] - row == n - i || row - rows[i] == n - i)
            return 0;
    return 1;
}

static int queens(const char *rows, int done, int n)
{
    int ways[16] = { 0 }, sum = done == n;
    for (int row = 0; row < n && done < n; row++) {
        if (!is_free(rows, done, row))
            continue;
        char with[16];
        memcpy(with, rows, sizeof with);
        with[done] = (char)row;
#pragma omp task shared(ways) firstprivate(with, row) final(done > 3)
        ways[row] = queens(with, done + 1, n);
    }
#pragma omp taskwait
    for (int row = 0; row < n; row++)
        sum += ways[row];
    return sum;
}

static int keys[20000];

static void sort(int low, int high)
{
    int i = low, j = high, pivot = keys[(low + high) / 2];
    while (i <= j) {
        while (keys[i] < pivot)
            i++;
        while (keys[j] > pivot)
            j--;
        if (i <= j) {
            int k = keys[i];
            keys[i++] = keys[j];
            keys[j--] = k;
        }
    }
    if (low < j) {
#pragma omp task if (j - low > 100)
        sort(low, j);
    }
    if (i < high) {
#pragma omp task if (high - i > 100) mergeable
        sort(i, high);
    }
}

static void recursion(void)
{
    enum { COUNT = sizeof keys / sizeof keys[0] };
    char none[16] = { 0 };
    int found = 0, sorted = 1;
    unsigned x = 1;
    for (int i = 0; i < COUNT; i++)
        keys[i] = (int)((x = x * 1664525 + 1013904223) >> 8);
#pragma omp parallel
    {
#pragma omp single nowait
        found = queens(none, 0, 8);
#pragma omp single
        sort(0, COUNT - 1); /* nobody waits for these but the barrier */
#pragma omp for reduction(&& : sorted)
        for (int i = 1; i < COUNT; i++)
            sorted = sorted && keys[i - 1] <= keys[i];
    }
    printf("queens: %d, sorted: %d\n", found, sorted);
}

/* ---- one producer, and who runs what it makes ---- */

static long results[2000];

static void producer(void)
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
    {
        int large[300];
        for (int i = 0; i < 300; i++)
            large[i] = i;
        for (int i = 0; i < 2000; i++) {
            if (i % 100 == 50) { /* more variables than travel with a task */
#pragma omp task firstprivate(i, large)
                results[i] = i + large[299];
            } else {
#pragma omp task firstprivate(i)
                results[i] = i;
            }
        }
    }
    for (int i = 0; i < 2000; i++)
        sum += results[i] * (i % 10 + 1);
    printf("producer: %ld\n", sum);
}

/* One thread creates them all; sooner or later all threads have run one. */
static void by_all(void)
{
    static int ran[512];
    int threads = omp_get_max_threads(), seen = 0;
    for (int round = 0; round < 20000 && seen < threads; round++) {
#pragma omp parallel
#pragma omp master
        for (int i = 0; i < 40; i++) {
#pragma omp task
            {
                volatile unsigned x = 0;
                for (int k = 0; k < 20000; k++)
                    x = x * 3 + 1;
                ran[omp_get_thread_num()] = 1;
            }
        }
        seen = 0;
        for (int k = 0; k < threads; k++)
            seen += ran[k];
    }
    printf("run by all: %d\n", seen == threads);
}

/* ---- groups, and what is left over ---- */

static int made;

static void spawn(int depth)
{
#pragma omp atomic
    made++;
    for (int i = 0; i < depth; i++) {
#pragma omp task
        spawn(depth - 1);
    }
}

static void groups(void)
{
    int before[3], after[3], sum = 0, all = 0;
    long total = 0;
#pragma omp parallel
    {
#pragma omp master
        for (int k = 0; k < 3; k++) {
#pragma omp task firstprivate(k) shared(before, after)
            {
                int mine = 0;
#pragma omp taskgroup task_reduction(+ : mine)
                for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : mine)
                    {
                        mine += i;
#pragma omp task in_reduction(+ : mine)
                        mine += 1000;
                    }
                }
                before[k] = mine;
#pragma omp taskgroup
                spawn(4); /* which waits for none of its children */
#pragma omp atomic read
                after[k] = made;
            }
        }
        spawn(2);
#pragma omp barrier
#pragma omp single
        all = made - 5 * omp_get_num_threads();
#pragma omp single
        {
#pragma omp taskloop reduction(+ : total) grainsize(5)
            for (int i = 0; i < 500; i++)
                total += i;
        }
    }
    for (int k = 0; k < 3; k++)
        sum += before[k] + (after[k] >= 65);
    printf("groups: %d %d %ld\n", sum, all, total);
}

/* A task that holds a lock waits for its children, while others want the lock. */
static void locked(void)
{
    static omp_lock_t lock;
    int sum = 0;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 60; i++) {
#pragma omp task shared(sum)
        {
            int parts[5] = { 0 };
            omp_set_lock(&lock);
            for (int k = 0; k < 5; k++) {
#pragma omp task shared(parts)
                parts[k] = i + k;
            }
#pragma omp taskwait
            for (int k = 0; k < 5; k++)
                sum += parts[k];
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    printf("locked: %d\n", sum);
}

/* What a task sets is its own, wherever it runs. */
static void settings(void)
{
    int wrong = 0, was = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
    {
        omp_set_num_threads(1);
        for (int i = 0; i < 50; i++) {
#pragma omp task shared(wrong)
            {
                if (omp_get_max_threads() != 1 || omp_get_num_threads() < 1) {
#pragma omp atomic
                    wrong++;
                }
                omp_set_num_threads(2);
            }
        }
    }
    printf("settings: %d\n", wrong + (omp_get_max_threads() != was));
}

/* Regions of all threads and of fewer, some with tasks. */
static void fewer(void)
{
    static int counts[64];
    int sum = 0;
    for (int k = 0; k < 400; k++) {
        int threads = k % omp_get_max_threads() + 1;
#pragma omp parallel num_threads(threads)
        {
#pragma omp for
            for (int i = 0; i < 64; i++)
                counts[i]++;
            if (k < 10 || k % 50 == 49) {
#pragma omp single
                for (int i = 0; i < 20; i++) {
#pragma omp task
                    {
#pragma omp atomic
                        sum += i;
                    }
                }
            }
#pragma omp barrier
        }
    }
    printf("fewer: %d %d\n", sum, counts[0] + counts[63]);
}

/* Those that have not begun need not; the others end, and so does the group. */
static void cancelled(void)
{
    int begun = 0, beyond = 0, next = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < 400; i++) {
#pragma omp task shared(begun, beyond)
            {
#pragma omp atomic
                begun++;
#pragma omp cancel taskgroup if (i == 20)
#pragma omp task shared(beyond)
                {
#pragma omp atomic
                    beyond += i == 20;
                }
            }
        }
#pragma omp task shared(next)
        next = 1;
    }
    printf("cancelled: %d %d %d\n", begun >= 1 && begun <= 400, beyond, next);
}

int main(void)
{
    recursion(), producer(), by_all(), groups(), locked(), settings(), fewer(), cancelled();
    return 0;
}
