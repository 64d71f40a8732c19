/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Teams of the host: leagues, distribute with and without parallel loops, limits, reductions. */
#include <omp.h>
#include <stdio.h>

#define N 300

static int seen[N], teams_seen[8], wrong;

static void expect(int holds)
{
    if (!holds) {
#pragma omp atomic
        wrong++;
    }
}

int main(void)
{
    int sum = 0, league = 0, order = 1;

#pragma omp teams num_teams(4) thread_limit(2)
    {
        expect(omp_get_num_teams() == 4 && omp_get_team_num() < 4);
#pragma omp parallel
        {
            expect(omp_get_num_threads() <= 2 && omp_get_thread_limit() <= 2);
            expect(omp_get_num_teams() == 4 && omp_get_level() == 1);
#pragma omp atomic
            teams_seen[omp_get_team_num()] += omp_get_thread_num() == 0;
        }
    }
    expect(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
#pragma omp teams distribute num_teams(3)
    for (int i = 0; i < N; i++)
        seen[i] += omp_get_team_num() + 1;
#pragma omp teams distribute parallel for num_teams(3) reduction(+ : sum) schedule(dynamic, 7)
    for (int i = 0; i < N; i++) {
        sum += i * seen[i];
#pragma omp atomic
        seen[i] += 10;
    }
#pragma omp teams distribute parallel for simd collapse(2) num_teams(2) dist_schedule(static, 5)
    for (int i = 0; i < N / 10; i++)
        for (int j = 0; j < 10; j++)
            seen[i * 10 + j] += 100;
    omp_set_num_teams(5);
    expect(omp_get_max_teams() == 5);
    omp_set_teams_thread_limit(1);
    expect(omp_get_teams_thread_limit() == 1);
#pragma omp teams reduction(+ : league) reduction(* : order)
    {
        league += omp_get_num_teams();
        order *= omp_get_team_num() + 1;
#pragma omp parallel
        expect(omp_get_num_threads() == 1);
    }
    printf("%d %d %d %d, %d, %d %d %d\n", teams_seen[0], teams_seen[1], teams_seen[2],
           teams_seen[3], sum, seen[0], seen[N / 2], seen[N - 1]);
    printf("%d %d, %d wrong\n", league, order, wrong);
    return 0;
}
