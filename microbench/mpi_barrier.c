/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MPI_Barrier, back to back as the figure "barriers" of barrier.c: one clock reading per 50
 * barriers. Not part of the build: scripts/bench compiles it if mpicc is found. Prints the median
 * of the samples of rank 0, us per barrier.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BARRIERS 50
#define SAMPLES  200
#define WARM_UP  5

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double sample[SAMPLES];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int r = -WARM_UP; r < SAMPLES; r++) {
        double start = MPI_Wtime();
        for (int i = 0; i < BARRIERS; i++)
            MPI_Barrier(MPI_COMM_WORLD);
        if (r >= 0)
            sample[r] = (MPI_Wtime() - start) * 1e6 / BARRIERS;
    }
    qsort(sample, SAMPLES, sizeof(sample[0]), ascending);
    if (rank == 0)
        printf("%.4f\n", sample[SAMPLES / 2]);
    MPI_Finalize();
    return 0;
}
