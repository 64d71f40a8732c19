/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * comm.c - communicators of groups, where the program uses Open MPI. This library is not linked
 * with MPI: it finds the functions by name, in the program's own libraries.
 *
 * Handles of Open MPI are pointers, and MPI_COMM_WORLD is the address of an object. With another
 * MPI, without one, or where its ranks are not the processes of ARMCI, groups have no communicator.
 */
#include <dlfcn.h>
#include <string.h>

#include "compat/armci/inner.h"

typedef int comm_query(void *comm, int *value);

/* False: there is no such function. */
static bool comm_find(const char *name, void *function)
{
    void *at = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

/* NULL: MPI is not in use, or has other ranks. */
static void *comm_world(void)
{
    void *world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    int (*initialized)(int *), (*finalized)(int *), yes = 0, over = 1, rank = -1, size = 0;
    comm_query *rank_of, *size_of;
    if (!world || !comm_find("MPI_Initialized", &initialized) ||
        !comm_find("MPI_Finalized", &finalized) || !comm_find("MPI_Comm_rank", &rank_of) ||
        !comm_find("MPI_Comm_size", &size_of))
        return NULL;
    if (initialized(&yes) != 0 || !yes || finalized(&over) != 0 || over ||
        rank_of(world, &rank) != 0 || size_of(world, &size) != 0)
        return NULL;
    return rank == armci_job.me && size == armci_job.n ? world : NULL;
}

void *inner_armci_comm_create(const struct armci_group *g)
{
    int (*group_of)(void *, void **), (*include)(void *, int, const int *, void **),
        (*create)(void *, void *, int, void **), (*end)(void **);
    void *world = comm_world(), *all, *some, *comm = NULL;
    if (!world || g->context == 0)
        return world;
    if (!comm_find("MPI_Comm_group", &group_of) || !comm_find("MPI_Group_incl", &include) ||
        !comm_find("MPI_Comm_create_group", &create) || !comm_find("MPI_Group_free", &end))
        return NULL;
    if (group_of(world, &all) != 0)
        return NULL;
    if (include(all, g->size, g->member, &some) == 0) {
        if (create(world, some, (int)(g->context & 0x3fff), &comm) != 0)
            comm = NULL;
        (void)end(&some);
    }
    (void)end(&all);
    return comm;
}

void inner_armci_comm_free(const struct armci_group *g)
{
    int (*end)(void **);
    void *comm = g->comm;
    if (g->context != 0 && comm && comm_world() && comm_find("MPI_Comm_free", &end))
        (void)end(&comm);
}
