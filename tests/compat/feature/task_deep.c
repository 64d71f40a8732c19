/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks nested 4,000 deep, each of which awaits its child: 2 KiB of a stack of 8 MiB for each. */
#include <stdio.h>

static long descend(int depth)
{
    long below = 0;
    if (depth == 0)
        return 1;
#pragma omp task shared(below)
    below = descend(depth - 1);
#pragma omp taskwait
    return below + 1;
}

int main(void)
{
    long depth = 0;
#pragma omp parallel
#pragma omp single
    depth = descend(4000);
    printf("%ld tasks\n", depth - 1);
    return 0;
}
