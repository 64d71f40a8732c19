/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* coll.c - collectives except reductions, of teams and active sets: finds the arrays and calls the
 * parts of group.c that move them. */
#include <string.h>

#include "compat/shmem/inner.h"

static size_t coll_times(size_t a, size_t b)
{
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* ---- of any group ---- */

static void coll_meet(struct shmem_group *g)
{
    if (inner_sh_is_world(g))
        hlrc_barrier();
    else
        inner_sh_meet(g);
}

/* `at_root`: the root's own array gets the data, too. */
static void coll_broadcast(const char *call, struct shmem_group *g, void *dest, const void *source,
                           size_t bytes, int root, bool at_root)
{
    if (root < 0 || root >= g->size)
        inner_sh_refuse_pe(call, root, g->size);
    char *to = bytes ? inner_sh_remote(call, dest, bytes) : NULL;
    inner_sh_broadcast(g, to, inner_sh_local(source), bytes, root);
    if (at_root && g->me == root && bytes && to != inner_sh_local(source))
        memcpy(to, source, bytes);
}

static void coll_fcollect(const char *call, struct shmem_group *g, void *dest, const void *source,
                          size_t bytes)
{
    size_t all = coll_times(bytes, (size_t)g->size);
    inner_sh_fcollect(g, bytes ? inner_sh_remote(call, dest, all) : NULL, inner_sh_local(source),
                      bytes);
}

/* No PE knows the total size here: at least this PE's part must fit. */
static void coll_collect(const char *call, struct shmem_group *g, void *dest, const void *source,
                         size_t bytes)
{
    inner_sh_collect(g, bytes ? inner_sh_remote(call, dest, bytes) : NULL, inner_sh_local(source),
                     bytes);
}

static void coll_alltoalls(const char *call, struct shmem_group *g, void *dest, const void *source,
                           ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t bytes)
{
    size_t all = coll_times(nelems, (size_t)g->size);
    if (dst < 1 || sst < 1)
        fail_job("%s: strides of %td and %td elements; pass 1 or more", call, dst, sst);
    char *to = NULL;
    if (all)
        to = inner_sh_remote(call, dest,
                             coll_times(coll_times(all - 1, (size_t)dst) < SIZE_MAX
                                            ? coll_times(all - 1, (size_t)dst) + 1
                                            : SIZE_MAX,
                                        bytes));
    inner_sh_alltoall(g, to, inner_sh_local(source), (size_t)dst, (size_t)sst, nelems, bytes);
}

/* ---- of a team ---- */

int shmem_team_sync(shmem_team_t team)
{
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    coll_meet(inner_sh_group("shmem_team_sync", team));
    return 0;
}

int shmem_broadcastmem(shmem_team_t team, void *dest, const void *source, size_t nelems, int root)
{
    const char *call = "shmem_broadcast";
    coll_broadcast(call, inner_sh_group(call, team), dest, source, nelems, root, true);
    return 0;
}

int shmem_collectmem(shmem_team_t team, void *dest, const void *source, size_t nelems)
{
    const char *call = "shmem_collect";
    coll_collect(call, inner_sh_group(call, team), dest, source, nelems);
    return 0;
}

int shmem_fcollectmem(shmem_team_t team, void *dest, const void *source, size_t nelems)
{
    const char *call = "shmem_fcollect";
    coll_fcollect(call, inner_sh_group(call, team), dest, source, nelems);
    return 0;
}

/* Strides of 1 element of the block's size: one piece. */
int shmem_alltoallmem(shmem_team_t team, void *dest, const void *source, size_t nelems)
{
    const char *call = "shmem_alltoall";
    coll_alltoalls(call, inner_sh_group(call, team), dest, source, 1, 1, nelems ? 1 : 0, nelems);
    return 0;
}

int shmem_alltoallsmem(shmem_team_t team, void *dest, const void *source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t nelems)
{
    const char *call = "shmem_alltoalls";
    coll_alltoalls(call, inner_sh_group(call, team), dest, source, dst, sst, nelems, 1);
    return 0;
}

#define TYPED(T, N, ...)                                                                    \
    int shmem_##N##_broadcast(shmem_team_t team, T *dest, const T *source, size_t nelems,   \
                              int root)                                                     \
    {                                                                                       \
        return shmem_broadcastmem(team, dest, source, coll_times(nelems, sizeof(T)), root); \
    }                                                                                       \
    int shmem_##N##_collect(shmem_team_t team, T *dest, const T *source, size_t nelems)     \
    {                                                                                       \
        return shmem_collectmem(team, dest, source, coll_times(nelems, sizeof(T)));         \
    }                                                                                       \
    int shmem_##N##_fcollect(shmem_team_t team, T *dest, const T *source, size_t nelems)    \
    {                                                                                       \
        return shmem_fcollectmem(team, dest, source, coll_times(nelems, sizeof(T)));        \
    }                                                                                       \
    int shmem_##N##_alltoall(shmem_team_t team, T *dest, const T *source, size_t nelems)    \
    {                                                                                       \
        return shmem_alltoallmem(team, dest, source, coll_times(nelems, sizeof(T)));        \
    }                                                                                       \
    int shmem_##N##_alltoalls(shmem_team_t team, T *dest, const T *source, ptrdiff_t dst,   \
                              ptrdiff_t sst, size_t nelems)                                 \
    {                                                                                       \
        const char *call = "shmem_alltoalls";                                               \
        coll_alltoalls(call, inner_sh_group(call, team), dest, source, dst, sst, nelems,    \
                       sizeof(T));                                                          \
        return 0;                                                                           \
    }
HLRC_SHMEM_RMA_(TYPED, )

/* ---- of an active set ---- */

/* In parentheses: shmem_generic.h has a macro by this name. */
void(shmem_sync)(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    struct shmem_group g = inner_sh_active("shmem_sync", PE_start, logPE_stride, PE_size, pSync);
    inner_sh_meet(&g);
}

void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    struct shmem_group g = inner_sh_active("shmem_barrier", PE_start, logPE_stride, PE_size, pSync);
    hlrc_fence_all();
    inner_sh_meet(&g);
}

#define ACTIVE_CALL(NAME, PARAMETERS, ...)                                                    \
    void shmem_##NAME(INNER_PLAIN PARAMETERS, int PE_start, int logPE_stride, int PE_size,    \
                      long *pSync)                                                            \
    {                                                                                         \
        const char *call = "shmem_" #NAME;                                                    \
        struct shmem_group g = inner_sh_active(call, PE_start, logPE_stride, PE_size, pSync); \
        __VA_ARGS__;                                                                          \
    }
#define ACTIVE(S)                                                                                  \
    ACTIVE_CALL(broadcast##S, (void *dest, const void *source, size_t nelems, int PE_root),        \
                coll_broadcast(call, &g, dest, source, coll_times(nelems, S / 8), PE_root, false)) \
    ACTIVE_CALL(collect##S, (void *dest, const void *source, size_t nelems),                       \
                coll_collect(call, &g, dest, source, coll_times(nelems, S / 8)))                   \
    ACTIVE_CALL(fcollect##S, (void *dest, const void *source, size_t nelems),                      \
                coll_fcollect(call, &g, dest, source, coll_times(nelems, S / 8)))                  \
    ACTIVE_CALL(alltoall##S, (void *dest, const void *source, size_t nelems),                      \
                coll_alltoalls(call, &g, dest, source, 1, 1, nelems ? 1 : 0,                       \
                               coll_times(nelems, S / 8)))                                         \
    ACTIVE_CALL(alltoalls##S,                                                                      \
                (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems),     \
                coll_alltoalls(call, &g, dest, source, dst, sst, nelems, S / 8))
ACTIVE(32)
ACTIVE(64)
