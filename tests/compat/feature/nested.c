/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions within regions: every part of the work once, whatever the number of threads. */
#include <omp.h>
#include <stdio.h>

static int grid[20][20];

static int inner(int i)
{
    int sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum)
    for (int j = 0; j < 20; j++) {
        grid[i][j]++;
        sum += i * j;
    }
    return sum;
}

/* Numbers of a thread and its team, on every level. */
static int inconsistent(void)
{
    int wrong = 0, level = omp_get_level();

    wrong += omp_get_ancestor_thread_num(0) != 0 || omp_get_team_size(0) != 1;
    wrong += omp_get_ancestor_thread_num(level) != omp_get_thread_num();
    wrong += omp_get_team_size(level) != omp_get_num_threads();
    wrong += omp_get_ancestor_thread_num(level + 1) != -1 || omp_get_team_size(-1) != -1;
    wrong += omp_get_active_level() > level || omp_in_parallel() != (omp_get_active_level() > 0);
    return wrong;
}

int main(void)
{
    int wrong = inconsistent(), total = 0, levels = 0;

    omp_set_max_active_levels(2);
#pragma omp parallel for reduction(+ : total, wrong) schedule(dynamic)
    for (int i = 0; i < 20; i++) {
        total += inner(i);
        wrong += inconsistent();
    }
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            wrong += grid[i][j] != 1;
#pragma omp parallel reduction(+ : wrong) num_threads(2)
#pragma omp parallel reduction(+ : wrong) num_threads(2)
    {
        wrong += inconsistent();
#pragma omp parallel reduction(+ : wrong) num_threads(2)
        {
            wrong += inconsistent();
#pragma omp single
            {
#pragma omp critical
                levels = omp_get_level();
            }
        }
    }
#pragma omp parallel num_threads(1) reduction(+ : wrong)
#pragma omp parallel if (0) reduction(+ : wrong)
#pragma omp parallel reduction(+ : wrong)
    wrong += inconsistent() + (omp_get_level() != 3);
    printf("%d wrong, %d %d %d\n", wrong, total, levels, omp_get_max_active_levels());
    return 0;
}
