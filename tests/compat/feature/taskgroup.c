/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of tasks: those that tasks make are waited for, too. */
#include <omp.h>
#include <stdio.h>

static int made, seen[4];

static void spawn(int levels)
{
#pragma omp atomic
    made++;
    for (int i = 0; i < levels; i++) {
#pragma omp task firstprivate(levels)
        spawn(levels - 1);
    }
}

int main(void)
{
#pragma omp parallel
    {
#pragma omp single
        for (int k = 0; k < 4; k++) {
#pragma omp taskgroup
            {
#pragma omp task
                spawn(k);
#pragma omp taskgroup
                spawn(1);
            }
            seen[k] = made;
        }
    }
    printf("%d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);
    return 0;
}
