/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rma.c - put and get, for all types and sizes: each finds the symmetric object and makes one call
 * of hlrc_put or similar. Calls not ending in _nbi are complete on return. */
#include "compat/shmem/inner.h"

static size_t rma_bytes_of(size_t nelems, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(nelems, size, &bytes) ? SIZE_MAX : bytes;
}

static void rma_put(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = inner_sh_remote("shmem_put", dest, bytes);
    hlrc_put(there, inner_sh_local(source), bytes, inner_sh_pe("shmem_put", ctx, pe));
}

static void rma_get(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = inner_sh_remote("shmem_get", source, bytes);
    hlrc_get(inner_sh_local(dest), there, bytes, inner_sh_pe("shmem_get", ctx, pe));
}

static void rma_put_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = inner_sh_remote("shmem_put_nbi", dest, bytes);
    hlrc_put_nb(there, inner_sh_local(source), bytes, inner_sh_pe("shmem_put_nbi", ctx, pe), NULL);
}

static void rma_get_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = inner_sh_remote("shmem_get_nbi", source, bytes);
    hlrc_get_nb(inner_sh_local(dest), there, bytes, inner_sh_pe("shmem_get_nbi", ctx, pe), NULL);
}

/* Bytes from the first to the last; strides are in elements. */
static size_t rma_extent(const char *call, size_t nelems, size_t size, ptrdiff_t here,
                         ptrdiff_t there)
{
    size_t far;
    if (here < 1 || there < 1)
        fail_job("%s: strides of %td and %td elements; pass 1 or more", call, there, here);
    if (__builtin_mul_overflow(nelems - 1, (size_t)there, &far) ||
        __builtin_mul_overflow(far, size, &far) || __builtin_add_overflow(far, size, &far))
        return SIZE_MAX;
    return far;
}

/* `here` and `there`: the elements in this PE's memory and in the other's, at the distances `near`
 * and `far`, in elements. */
static void rma_strided(bool puts, shmem_ctx_t ctx, const void *there, ptrdiff_t far,
                        const void *here, ptrdiff_t near, size_t nelems, size_t size, int pe)
{
    const char *call = puts ? "shmem_iput" : "shmem_iget";
    inner_sh_check(call);
    if (nelems == 0)
        return;
    void *remote = inner_sh_remote(call, there, rma_extent(call, nelems, size, near, far));
    void *local = inner_sh_local(here);
    size_t stride = (size_t)far * size, mine = (size_t)near * size, counts[] = { size, nelems };
    int node = inner_sh_pe(call, ctx, pe);
    if (puts)
        hlrc_put_strided(remote, &stride, local, &mine, counts, 1, node);
    else
        hlrc_get_strided(local, &mine, remote, &stride, counts, 1, node);
}

static void rma_iput(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                     size_t nelems, size_t size, int pe)
{
    rma_strided(true, ctx, dest, dst, source, sst, nelems, size, pe);
}

static void rma_iget(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                     size_t nelems, size_t size, int pe)
{
    rma_strided(false, ctx, source, sst, dest, dst, nelems, size, pe);
}

/* The data arrives before the signal. */
static void rma_put_signal(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes,
                           uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    uint64_t *word = inner_sh_remote("shmem_put_signal", sig_addr, sizeof *word);
    if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
        fail_job(
            "shmem_put_signal: unknown operation %d; pass SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
            sig_op);
    rma_put(ctx, dest, source, bytes, pe);
    int rc = hlrc_rmw(word, &signal, NULL, HLRC_UINT64,
                      sig_op == SHMEM_SIGNAL_SET ? HLRC_REPLACE : HLRC_SUM,
                      inner_sh_pe("shmem_put_signal", ctx, pe));
    if (rc)
        fail_job("shmem_put_signal: the signal at %p is not aligned to 8 bytes", (void *)sig_addr);
}

#define MOVES(T, SIZE, NAME, HOW)                                               \
    INNER_CALLS(void, NAME, (T * dest, const T *source, size_t nelems, int pe), \
                HOW(ctx, dest, source, rma_bytes_of(nelems, SIZE), pe);)
#define STRIDES(T, SIZE, NAME, HOW)                                                               \
    INNER_CALLS(void, NAME,                                                                       \
                (T * dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
                HOW(ctx, dest, source, dst, sst, nelems, SIZE, pe);)
#define SIGNALS(T, SIZE, NAME)                                                                  \
    INNER_CALLS(void, NAME,                                                                     \
                (T * dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
                 int sig_op, int pe),                                                           \
                rma_put_signal(ctx, dest, source, rma_bytes_of(nelems, SIZE), sig_addr, signal, \
                               sig_op, pe);)

#define TYPED(T, N, ...)                                       \
    MOVES(T, sizeof(T), N##_put, rma_put)                      \
    MOVES(T, sizeof(T), N##_get, rma_get)                      \
    MOVES(T, sizeof(T), N##_put_nbi, rma_put_nbi)              \
    MOVES(T, sizeof(T), N##_get_nbi, rma_get_nbi)              \
    STRIDES(T, sizeof(T), N##_iput, rma_iput)                  \
    STRIDES(T, sizeof(T), N##_iget, rma_iget)                  \
    SIGNALS(T, sizeof(T), N##_put_signal)                      \
    SIGNALS(T, sizeof(T), N##_put_signal_nbi)                  \
    INNER_CALLS(void, N##_p, (T * dest, T value, int pe),      \
                rma_put(ctx, dest, &value, sizeof value, pe);) \
    INNER_CALLS(T, N##_g, (const T *source, int pe), T value;  \
                rma_get(ctx, &value, source, sizeof value, pe); return value;)
HLRC_SHMEM_RMA_(TYPED, )

#define UNTYPED(S, SIZE, ...)                    \
    MOVES(void, SIZE, put##S, rma_put)           \
    MOVES(void, SIZE, get##S, rma_get)           \
    MOVES(void, SIZE, put##S##_nbi, rma_put_nbi) \
    MOVES(void, SIZE, get##S##_nbi, rma_get_nbi) \
    SIGNALS(void, SIZE, put##S##_signal)         \
    SIGNALS(void, SIZE, put##S##_signal_nbi)
HLRC_SHMEM_BYTES_(UNTYPED, )
UNTYPED(mem, 1, )

#define UNTYPED_STRIDES(S, SIZE, ...)      \
    STRIDES(void, SIZE, iput##S, rma_iput) \
    STRIDES(void, SIZE, iget##S, rma_iget)
HLRC_SHMEM_BYTES_(UNTYPED_STRIDES, )
