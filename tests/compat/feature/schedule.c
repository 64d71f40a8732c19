/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iterations of loops of the same static schedule are those of the same thread, so that the second
 * loop needs no barrier; of others each is somebody's, once. */
#include <omp.h>
#include <stdio.h>

#define N 500

static int who[N], count[N];

static int others = 0;

#define PAIR(clause)                                                                               \
    _Pragma("omp parallel")                                                                        \
    {                                                                                              \
        _Pragma(clause) for (int i = 0; i < N; i++) who[i] = omp_get_thread_num() * 1000 + i;      \
        _Pragma(clause) for (int i = 0; i < N; i++) if (who[i] != omp_get_thread_num() * 1000 + i) \
        {                                                                                          \
            _Pragma("omp atomic") others++;                                                        \
        }                                                                                          \
        _Pragma("omp barrier")                                                                     \
    }

#define ONCE(clause) _Pragma(clause) for (int i = 0; i < N; i++) count[i]++

int main(void)
{
    int wrong = 0;

    PAIR("omp for schedule(static) nowait")
    PAIR("omp for schedule(static, 7) nowait")
    PAIR("omp for schedule(monotonic : static, 1) nowait")
    ONCE("omp parallel for schedule(nonmonotonic : dynamic, 3)");
    ONCE("omp parallel for schedule(nonmonotonic : guided)");
    ONCE("omp parallel for schedule(monotonic : guided, 4)");
    omp_set_schedule(omp_sched_monotonic | omp_sched_static, 6);
    ONCE("omp parallel for schedule(monotonic : runtime)");
    omp_set_schedule(omp_sched_guided, 2);
    ONCE("omp parallel for schedule(runtime)");
    ONCE("omp parallel for schedule(static, 1000)");
    ONCE("omp parallel for schedule(dynamic, 1000)");
    for (int i = 0; i < N; i++)
        wrong += count[i] != 7;
    printf("%d by others, %d wrong\n", others, wrong);
    return 0;
}
