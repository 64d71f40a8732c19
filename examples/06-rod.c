/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 06-rod: a grid updated in many steps. Heat spreads along a rod that is divided among the nodes.
 * From each neighbour a node needs only the point beside the border, which costs one page fetch.
 * Two arrays alternate, so one barrier per step is enough.
 */
#include <hlrc.h>
#include <stdio.h>

#define POINTS 65536
#define STEPS  200

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    int me = hlrc_node_id(), nodes = hlrc_node_count();
    double *rod[2] = { hlrc_malloc_all(POINTS * sizeof(double)),
                       hlrc_malloc_all(POINTS * sizeof(double)) };
    if (!rod[0] || !rod[1])
        return 1;
    /* whole pages of 512 points, so that no page has two writers */
    int begin = (int)((long)(POINTS / 512) * me / nodes) * 512;
    int end = (int)((long)(POINTS / 512) * (me + 1) / nodes) * 512;
    for (int i = begin; i < end; i++)
        rod[0][i] = rod[1][i] = i < POINTS / 2 ? 100 : 0; /* the ends keep their temperature */
    hlrc_barrier();
    for (int step = 0; step < STEPS; step++) {
        const double *from = rod[step % 2];
        double *to = rod[1 - step % 2];
        for (int i = begin > 0 ? begin : 1; i < end && i < POINTS - 1; i++)
            to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
        hlrc_barrier();
    }
    if (me == 0) {
        double heat = 0;
        for (int i = 0; i < POINTS; i++)
            heat += rod[STEPS % 2][i];
        printf("in the middle %.6f, all together %.3f\n", rod[STEPS % 2][POINTS / 2], heat);
    }
    hlrc_finalize();
    return 0;
}
