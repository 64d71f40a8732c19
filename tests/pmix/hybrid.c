/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hybrid.c - a program of MPI and OpenMP. Prints
 *  "rank RANK of SIZE, THREADS threads: bad NUMBER". */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#define COUNT (1 << 18)

static int mine[COUNT], sum[COUNT];

int main(int argc, char **argv)
{
    int rank, size, got, bad = 0, threads = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel for reduction(max : threads)
    for (int i = 0; i < COUNT; i++) {
        mine[i] = (rank + 1) * i;
        threads = omp_get_num_threads();
    }
    MPI_Allreduce(mine, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma omp parallel for reduction(+ : bad)
    for (int i = 0; i < COUNT; i++)
        bad += sum[i] != size * (size + 1) / 2 * i;
    printf("rank %d of %d, %d threads: bad %d\n", rank, size, threads, bad);
    MPI_Finalize();
    return 0;
}
