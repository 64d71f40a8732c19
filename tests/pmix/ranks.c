/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ranks.c - a program of hlrc.h that uses MPI, too: messages from and into shared memory that the
 * sender has not touched since another node wrote it, and sums. Prints "NODES nodes, bad N". */
#include <hlrc.h>
#include <mpi.h>
#include <stdio.h>

#define COUNT  (1 << 18)
#define ROUNDS 4

/* From node `from` to the next one; node `writer` has written it. */
static int round_is_bad(int *sent, int *got, int round)
{
    int node = hlrc_node_id(), nodes = hlrc_node_count(), from = round % nodes,
        to = (round + 1) % nodes, writer = (round + 2) % nodes, bad = 0;

    for (int i = 0; node == writer && i < COUNT; i++)
        sent[i] = i * (round + 1);
    hlrc_barrier();
    if (node == from)
        MPI_Send(sent, COUNT, MPI_INT, to, round, MPI_COMM_WORLD);
    if (node == to)
        MPI_Recv(got, COUNT, MPI_INT, from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hlrc_barrier();
    for (int i = 0; i < COUNT; i++)
        bad += got[i] != i * (round + 1);
    hlrc_barrier();
    return bad;
}

int main(int argc, char **argv)
{
    int rank, bad, all, *sent, *got;

    MPI_Init(&argc, &argv);
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sent = hlrc_malloc_all(COUNT * sizeof *sent);
    got = hlrc_malloc_all(COUNT * sizeof *got);
    bad = rank != hlrc_node_id();
    for (int round = 0; round < ROUNDS; round++)
        bad += round_is_bad(sent, got, round);
    MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d nodes, bad %d\n", hlrc_node_count(), all);
    hlrc_finalize();
    MPI_Finalize();
    return 0;
}
