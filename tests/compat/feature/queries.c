/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program may ask about: in and out of regions, on every thread. */
#include <omp.h>
#include <stdio.h>

static int wrong;

static void expect(int holds)
{
    if (!holds) {
#pragma omp atomic
        wrong++;
    }
}

int main(void)
{
    omp_sched_t kind;
    int chunk, threads = omp_get_max_threads(), seen = 0, end;
    double start = omp_get_wtime();

    printf("%d %d\n", omp_get_max_active_levels(), omp_get_nested());
    expect(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && !omp_in_parallel());
    expect(threads >= 1 && omp_get_num_procs() >= 1 && omp_get_thread_limit() >= threads);
    expect(omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_final());
    expect(omp_get_num_devices() == 0 && omp_is_initial_device() && omp_get_cancellation() == 0);
    expect(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    omp_set_dynamic(1);
    expect(omp_get_dynamic());
    omp_set_dynamic(0);
    expect(!omp_get_dynamic());
    omp_set_schedule(omp_sched_guided, 5);
#pragma omp parallel private(kind, chunk)
    {
        omp_get_schedule(&kind, &chunk);
        expect(kind == omp_sched_guided && chunk == 5);
        omp_set_schedule(omp_sched_dynamic, omp_get_thread_num() + 1);
        omp_get_schedule(&kind, &chunk);
        expect(kind == omp_sched_dynamic && chunk == omp_get_thread_num() + 1);
        expect(omp_get_max_threads() == threads && omp_get_num_threads() <= threads);
        expect(omp_get_level() == 1 && omp_get_thread_num() < omp_get_num_threads());
#pragma omp atomic
        seen += 1;
#pragma omp barrier
        expect(seen == omp_get_num_threads());
    }
    omp_get_schedule(&kind, &chunk);
    expect(kind == omp_sched_guided && chunk == 5);
    expect(omp_get_max_threads() == threads);
    expect(omp_get_wtime() >= start && omp_get_wtick() > 0);
    omp_set_nested(1);
    printf("%d %d\n", omp_get_max_active_levels(), omp_get_supported_active_levels());
    omp_set_nested(0);
    end = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
#pragma omp parallel
    expect(omp_get_num_threads() == 1 && omp_get_active_level() == 0 && omp_get_level() == 1);
    omp_set_max_active_levels(1000);
    omp_set_num_threads(33);
    printf("%d wrong, %d, %d %d %d %d\n", wrong, end, omp_get_max_active_levels(),
           omp_get_max_threads(), omp_get_thread_limit(), omp_get_max_task_priority());
    return 0;
}
