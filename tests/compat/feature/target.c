/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Target regions, which the host runs: data, dependences, teams, limits; memory of devices. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 4000

#pragma omp declare target
static int scale = 3;
static int scaled(int x)
{
    return scale * x;
}
#pragma omp end declare target

static int wrong;

static void expect(int holds, int line)
{
    if (holds)
        return;
    printf("line %d\n", line);
#pragma omp atomic
    wrong++;
}
#define EXPECT(holds) expect(holds, __LINE__)

static void regions(int *a)
{
    int x = 5, sum = 0, fixed[20] = { 7 };
#pragma omp target firstprivate(x, fixed) map(tofrom : sum) map(a [0:N])
    {
        x++;
        fixed[0]++;
        sum = x + fixed[0];
        a[1] = scaled(sum);
    }
    EXPECT(x == 5 && fixed[0] == 7 && sum == 14 && a[1] == 42);
#pragma omp target parallel for reduction(+ : sum) map(a [0:N])
    for (int i = 0; i < N; i++) {
        a[i] = i;
        sum += i;
    }
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : a [0:N])
    for (int i = 0; i < N; i++)
        a[i] += scaled(omp_get_team_num() < 3 && omp_get_num_teams() == 3);
    EXPECT(sum == 14 + N * (N - 1) / 2 && a[0] == 3 && a[N - 1] == N + 2);
#pragma omp target teams thread_limit(1) num_teams(2) map(sum)
    {
#pragma omp parallel
        EXPECT(omp_get_num_threads() == 1 && omp_get_level() == 1);
        sum += omp_get_team_num() + 1;
    }
    EXPECT(sum == 17 + N * (N - 1) / 2);
}

/* A target region begins as the program does, wherever it is. */
static void within(int *a)
{
    int threads = 0, regions_run = 0;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp master
        threads = omp_get_num_threads();
#pragma omp target map(regions_run, a [0:N])
        {
            EXPECT(omp_get_level() == 0 && omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
#pragma omp parallel num_threads(1)
            EXPECT(omp_get_level() == 1);
#pragma omp atomic
            regions_run++;
            a[me * 100] = me;
        }
        EXPECT(omp_get_level() == 1 && omp_get_thread_num() == me);
#pragma omp barrier
    }
    EXPECT(regions_run == threads && a[100 * (threads - 1)] == threads - 1);
}

static void tasks(int *a)
{
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : a[0]) shared(a)
        a[0] = 1;
#pragma omp target nowait depend(inout : a[0]) map(a [0:N])
        a[0] = a[0] * 10 + 2;
#pragma omp target update to(a[0]) depend(inout : a[0]) nowait
#pragma omp task depend(inout : a[0]) shared(a)
        a[0] = a[0] * 10 + 3;
#pragma omp target depend(in : a[0]) map(a [0:N])
        a[1] = a[0];
#pragma omp taskwait
    }
    EXPECT(a[0] == 123 && a[1] == 123);
}

static void data(int *a)
{
    int *seen = NULL;
#pragma omp target data map(to : a [0:N]) use_device_ptr(a)
    seen = a;
    EXPECT(seen == a);
#pragma omp target enter data map(to : a [0:N])
#pragma omp target map(alloc : a [0:N]) if (0)
    a[2] = 6;
#pragma omp target exit data map(from : a [0:N])
    EXPECT(a[2] == 6 && omp_target_is_present(a, omp_get_initial_device()));
}

static void memory(void)
{
    int host = omp_get_initial_device();
    size_t volume[2] = { 2, 3 }, to_at[2] = { 0, 1 }, from_at[2] = { 1, 2 };
    size_t to_dims[2] = { 4, 4 }, from_dims[2] = { 4, 8 };
    int from[32], to[16] = { 0 }, *p = omp_target_alloc(100 * sizeof *p, host);
    for (int i = 0; i < 32; i++)
        from[i] = i;
#pragma omp target is_device_ptr(p) device(host)
    for (int i = 0; i < 100; i++)
        p[i] = i;
    EXPECT(omp_target_memcpy(to, p, 8, 4, 40, host, host) == 0 && to[1] == 10 && to[2] == 11);
    EXPECT(omp_target_memcpy_rect(to, from, sizeof(int), 2, volume, to_at, from_at, to_dims,
                                  from_dims, host, host) == 0);
    EXPECT(to[1] == 10 && to[3] == 12 && to[5] == 18 && to[7] == 20 && to[8] == 0);
    EXPECT(omp_target_memcpy(to, p, 8, 0, 0, host + 1, host) != 0);
    EXPECT(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) > 2);
    EXPECT(!omp_target_alloc(8, host + 1) && !omp_target_is_present(p, host + 1));
    EXPECT(omp_target_associate_ptr(p, p, 4, 0, host) != 0);
    omp_target_free(p, host);
}

int main(void)
{
    int *a = calloc(N, sizeof *a);
    EXPECT(omp_get_num_devices() == 0 && omp_get_device_num() == omp_get_initial_device());
    omp_set_default_device(2);
    EXPECT(omp_get_default_device() == 2);
    regions(a);
    within(a);
    tasks(a);
    omp_set_default_device(0);
    data(a);
    memory();
    free(a);
    printf("%d wrong\n", wrong);
    return 0;
}
