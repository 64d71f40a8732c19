/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region.c - one `parallel for` of OpenMP between two SIGUSR1 (step.c), after others of its
 * kind. */
#include <signal.h>
#include <stdio.h>

#define COUNT 1000

static double values[COUNT];

static void region_run(void)
{
#pragma omp parallel for
    for (int i = 0; i < COUNT; i++)
        values[i] += i;
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        region_run();
    raise(SIGUSR1);
    region_run();
    raise(SIGUSR1);
    if (values[COUNT - 1] == 6.0 * (COUNT - 1))
        return 0;
    printf("FAILED: %g, not %g\n", values[COUNT - 1], 6.0 * (COUNT - 1));
    return 1;
}
