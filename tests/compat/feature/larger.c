/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions that ask for more threads than there are: loops, tasks, ordered dependences, thread-local
 * variables that stay. In a job of one process the program has a thread of its own besides. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#define MOST 20

static int mine;
#pragma omp threadprivate(mine)
static int seen[MOST], line[30];

static void region(int threads)
{
    int wrong = 0, sum = 0, tasks = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong, sum)
    {
        int me = omp_get_thread_num();
        seen[me] = omp_get_num_threads();
        mine = me + 100;
#pragma omp barrier
        wrong += seen[(me + 1) % threads] != threads;
#pragma omp for schedule(static, 1)
        for (int i = 0; i < MOST; i++)
            wrong += i % threads != me;
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 1; i < 30; i++) {
#pragma omp ordered depend(sink : i - 1)
            line[i] = line[i - 1] + 1;
#pragma omp ordered depend(source)
        }
#pragma omp for
        for (int i = 0; i < 50; i++) {
#pragma omp task shared(tasks)
            {
#pragma omp atomic
                tasks++;
            }
        }
    }
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    wrong += mine != omp_get_thread_num() + 100;
    printf("%d threads: %d wrong, %d %d %d\n", threads, wrong, sum, line[29], tasks);
}

#ifdef THREADS
static void *count(void *arg)
{
    ++*(int *)arg;
    return NULL;
}
#endif

int main(void)
{
    int counted = 0;
#ifdef THREADS
    pthread_t thread;
    pthread_create(&thread, NULL, count, &counted);
    pthread_join(thread, NULL);
#endif
    int procs = omp_get_num_procs(), some[] = { 2, 9, 5, MOST, 3, 1, 16 };
    for (unsigned k = 0; k < sizeof some / sizeof *some; k++)
        region(some[k]);
    int many = 0;
#pragma omp parallel num_threads(100) reduction(+ : many)
    many++;
    printf("%d\n", many);
    omp_set_num_threads(12);
#pragma omp parallel
#pragma omp single
    printf("%d\n", omp_get_num_threads());
    printf("%d, %d %d\n", omp_get_max_threads(), omp_get_num_procs() == procs, counted);
    return 0;
}
