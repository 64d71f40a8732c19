/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places (OMP_PLACES and OMP_PROC_BIND are set): each thread is on the processors of its place, and
 * says so; what is shown of it; what else there is to ask. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static int wrong;
static __thread cpu_set_t mine; /* not in shared memory: the system fills it */
static char texts[64][80];

static void expect(int holds)
{
    if (!holds) {
#pragma omp atomic
        wrong++;
    }
}

static void at_its_place(void)
{
    int ids[64], nums[64], in_partition = 0, place = omp_get_place_num();
    int n = omp_get_place_num_procs(place), partition = omp_get_partition_num_places();
    expect(place >= 0 && place < omp_get_num_places() && n == 1 && partition >= 1);
    omp_get_place_proc_ids(place, ids);
    expect(sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) == 1);
    expect(CPU_ISSET(ids[0], &mine));
    omp_get_partition_place_nums(nums);
    for (int k = 0; k < partition; k++)
        in_partition += nums[k] == place;
    expect(in_partition == 1);
}

static void shown(void)
{
    char text[80], wanted[80];
    int me = omp_get_thread_num();
    size_t len = omp_capture_affinity(text, sizeof text, "%0.3n|%5N|%.4{thread_num}|%L %a %t %T%%");
    int n =
        snprintf(wanted, sizeof wanted, "%03d|%-5d|%4d|1 0 0 1%%", me, omp_get_num_threads(), me);
    expect((int)len == n && strcmp(text, wanted) == 0);
    expect(omp_capture_affinity(text, 4, "abcdef") == 6 && strcmp(text, "abc") == 0);
    omp_capture_affinity(texts[me % 64], 80, ""); /* the format that is set */
}

int main(void)
{
    char text[40];
    int ids[64], threads = 0;
    omp_capture_affinity(text, sizeof text, "%0.7a|%.5{nesting_level}|%0.3N");
    puts(text);
    expect(omp_capture_affinity(text, sizeof text, "%0.20i") == 20);
    expect(text[0] == '0' && text[1] == 'x' && text[2] == '0');
    omp_set_affinity_format("thread %n");
    expect(omp_get_affinity_format(text, sizeof text) == 9 && strcmp(text, "thread %n") == 0);
    expect(omp_get_proc_bind() == omp_proc_bind_close);
    expect(omp_get_place_num_procs(-1) == 0 && omp_get_place_num_procs(10000) == 0);
    omp_get_place_proc_ids(10000, ids);
    expect(omp_get_supported_active_levels() >= 1 && omp_get_max_task_priority() >= 0);
#pragma omp parallel shared(threads)
    {
        at_its_place();
        shown();
#pragma omp single
        threads = omp_get_num_threads();
    }
    for (int k = 0; k < threads && k < 64; k++) {
        snprintf(text, sizeof text, "thread %d", k);
        expect(strcmp(texts[k], text) == 0);
    }
    expect(omp_pause_resource_all(omp_pause_soft) == 0);
    printf("%d wrong\n", wrong);
    return 0;
}
