/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions within regions: inner teams have several threads, with barriers, words and thread-local
 * variables of their own. With an argument: what OMP_NUM_THREADS and the limits say of them. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#define WRONG(condition) (wrong += !!(condition))

static int wrong_foreign, path[3][9][9];
static int mine = 7;
#pragma omp threadprivate(mine)

static int numbers(int outer)
{
    int wrong = 0, me = omp_get_thread_num();
    WRONG(omp_get_level() != 2 || omp_get_active_level() != 2 || omp_get_num_threads() != 4);
    WRONG(omp_get_team_size(1) != 3 || omp_get_team_size(2) != 4);
    WRONG(omp_get_ancestor_thread_num(0) != 0);
    WRONG(omp_get_ancestor_thread_num(1) != outer || omp_get_ancestor_thread_num(2) != me);
    WRONG(mine != (me == 0 ? 100 + outer : 7)); /* of a new thread */
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
        WRONG(omp_get_num_threads() != 2 || omp_get_ancestor_thread_num(2) != me);
        WRONG(omp_get_ancestor_thread_num(1) != outer);
#pragma omp parallel num_threads(2) reduction(+ : wrong)
        WRONG(omp_get_level() != 4 || omp_get_active_level() != 3 || omp_get_num_threads() != 1);
    }
    return wrong;
}

static int sharing(int outer)
{
    int wrong = 0, sum = 0, singles = 0, turn = 0, parts = 0, tasks = 0, taken = 0;
    double copied;
#pragma omp parallel num_threads(4) reduction(+ : wrong, sum) private(copied)
    {
        WRONG(numbers(outer));
        for (int k = 0; k < 50; k++) {
#pragma omp for schedule(dynamic, 3) nowait
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp for schedule(guided)
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp single nowait
#pragma omp atomic
            singles++;
        }
#pragma omp barrier
        WRONG(singles != 50);
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 40; i++) {
#pragma omp ordered
            WRONG(turn++ != i);
        }
#pragma omp for ordered(2) schedule(static, 1)
        for (int i = 1; i < 9; i++)
            for (int j = 1; j < 9; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                path[outer][i][j] = path[outer][i - 1][j] + path[outer][i][j - 1] + 1;
#pragma omp ordered depend(source)
            }
        WRONG(path[outer][8][8] != 12869);
#pragma omp single copyprivate(copied)
        copied = 3.5 + outer;
        WRONG(copied != 3.5 + outer);
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
            parts += 1;
#pragma omp section
#pragma omp atomic
            parts += 2;
        }
        WRONG(parts != 3);
#pragma omp single
        for (int i = 0; i < 30; i++) {
#pragma omp task depend(inout : taken)
            taken += i;
        }
        WRONG(taken != 435);
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(tasks)
            tasks = 1;
            omp_fulfill_event(event);
        }
        WRONG(tasks != 1);
    }
    WRONG(sum != 50 * 2 * 4950);
#pragma omp parallel num_threads(3) reduction(task, + : tasks)
#pragma omp single
    for (int i = 1; i <= 10; i++) {
#pragma omp task in_reduction(+ : tasks)
        tasks += i;
    }
    WRONG(tasks != 56);
    return wrong;
}

/* The limit is on the threads of the target region, not on those around it. */
static int limited_in_target(void)
{
    int threads = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp target if (0) map(tofrom : threads)
        {
#pragma omp teams thread_limit(2)
#pragma omp parallel num_threads(2) reduction(+ : threads)
            threads++;
        }
    }
    return threads;
}

static int cancelling(void)
{
    int wrong = 0, done = 0, after = 0;
#pragma omp parallel num_threads(3)
    {
        for (int k = 0; k < 20; k++) {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 100000; i++) {
                if (i == 20) {
#pragma omp cancel for
                }
#pragma omp atomic
                done++;
#pragma omp cancellation point for
            }
        }
#pragma omp cancel parallel if (omp_get_thread_num() == 1)
#pragma omp barrier
#pragma omp atomic
        after++;
    }
    WRONG(after || done < 20 || done >= 2000000);
    return wrong;
}

#ifdef THREADS
/* A thread that the program creates has a team, too. */
static void *foreign(void *arg)
{
    int threads = 0;
#    pragma omp parallel num_threads(3) reduction(+ : threads)
    {
#    pragma omp barrier
        threads += omp_get_num_threads() == 3 && omp_get_level() == 1;
    }
#    pragma omp atomic
    wrong_foreign += threads != 3;
    return arg;
}
#endif

static void list(void)
{
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    {
        threads += omp_get_num_threads() * 1000 + omp_get_max_threads() * 100;
#pragma omp parallel reduction(+ : threads)
        threads++;
    }
    printf("%d, %d levels\n", threads, omp_get_max_active_levels());
}

int main(int argc, char **argv)
{
    int wrong = 0, loop = 0;
    if (argc > 1 && argv[1][0] == 'l') {
        list();
        return 0;
    }
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(3) reduction(+ : wrong, loop)
    {
        mine = 100 + omp_get_thread_num();
        WRONG(sharing(omp_get_thread_num()) + cancelling());
        WRONG(limited_in_target() != 2);
        WRONG(mine != 100 + omp_get_thread_num());
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; i++) {
#pragma omp parallel num_threads(2) reduction(+ : loop)
            loop++;
        }
    }
#ifdef THREADS
    pthread_t thread[2];
    for (int k = 0; k < 2; k++)
        pthread_create(&thread[k], NULL, foreign, NULL);
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
#endif
    printf("%d %d wrong, %d\n", wrong, wrong_foreign, loop);
    return 0;
}
