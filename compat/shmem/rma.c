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

/* `here` and `there`: the blocks of `bsize` elements in this PE's memory and in the other's, at the
 * distances `near` and `far`, in elements. */
static void rma_blocks(bool puts, const char *call, shmem_ctx_t ctx, const void *there,
                       ptrdiff_t far, const void *here, ptrdiff_t near, size_t bsize,
                       size_t nblocks, size_t size, int pe)
{
    size_t bytes = rma_bytes_of(bsize, size), extent = rma_extent(call, nblocks, size, near, far);
    if (__builtin_add_overflow(extent, bytes - size, &extent))
        extent = SIZE_MAX;
    void *remote = inner_sh_remote(call, there, extent);
    void *local = inner_sh_local(here);
    size_t stride = (size_t)far * size, mine = (size_t)near * size, counts[] = { bytes, nblocks };
    int node = inner_sh_pe(call, ctx, pe);
    if (puts)
        hlrc_put_strided(remote, &stride, local, &mine, counts, 1, node);
    else
        hlrc_get_strided(local, &mine, remote, &stride, counts, 1, node);
}

static void rma_strided(bool puts, shmem_ctx_t ctx, const void *there, ptrdiff_t far,
                        const void *here, ptrdiff_t near, size_t nelems, size_t size, int pe)
{
    const char *call = puts ? "shmem_iput" : "shmem_iget";
    inner_sh_check(call);
    if (nelems > 0)
        rma_blocks(puts, call, ctx, there, far, here, near, 1, nelems, size, pe);
}

/* Blocks do not overlap. */
static void rma_ib(bool puts, shmem_ctx_t ctx, const void *there, ptrdiff_t far, const void *here,
                   ptrdiff_t near, size_t bsize, size_t nblocks, size_t size, int pe)
{
    const char *call = puts ? "shmem_ibput" : "shmem_ibget";
    inner_sh_check(call);
    if (bsize == 0 || nblocks == 0)
        return;
    if (far < 1 || near < 1 || (size_t)far < bsize || (size_t)near < bsize)
        fail_job("%s: strides of %td and %td elements, blocks of %zu; pass strides of a block or "
                 "more",
                 call, far, near, bsize);
    rma_blocks(puts, call, ctx, there, far, here, near, bsize, nblocks, size, pe);
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

static void rma_ibput(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                      size_t bsize, size_t nblocks, size_t size, int pe)
{
    rma_ib(true, ctx, dest, dst, source, sst, bsize, nblocks, size, pe);
}

static void rma_ibget(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                      size_t bsize, size_t nblocks, size_t size, int pe)
{
    rma_ib(false, ctx, source, sst, dest, dst, bsize, nblocks, size, pe);
}

static void rma_signal(const char *call, shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal,
                       hlrc_op op, int pe)
{
    uint64_t *word = inner_sh_remote(call, sig_addr, sizeof *word);
    if (hlrc_word_fetch(hlrc_word_window(word, inner_sh_pe(call, ctx, pe)), HLRC_UINT64, op,
                        &signal, NULL, HLRC_RELAXED) != 0)
        fail_job("%s: the signal at %p is not aligned to 8 bytes", call, (void *)sig_addr);
}

#undef shmem_signal_set /* the generic names */
#undef shmem_signal_add
INNER_CALLS(void, signal_set, (uint64_t * sig_addr, uint64_t signal, int pe),
            rma_signal("shmem_signal_set", ctx, sig_addr, signal, HLRC_REPLACE, pe);)
INNER_CALLS(void, signal_add, (uint64_t * sig_addr, uint64_t signal, int pe),
            rma_signal("shmem_signal_add", ctx, sig_addr, signal, HLRC_SUM, pe);)

/* The data arrives before the signal. */
static void rma_put_signal(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes,
                           uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    (void)inner_sh_remote("shmem_put_signal", sig_addr, sizeof *sig_addr);
    if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
        fail_job(
            "shmem_put_signal: unknown operation %d; pass SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
            sig_op);
    rma_put(ctx, dest, source, bytes, pe);
    rma_signal("shmem_put_signal", ctx, sig_addr, signal,
               sig_op == SHMEM_SIGNAL_SET ? HLRC_REPLACE : HLRC_SUM, pe);
}

#define MOVES(T, SIZE, NAME, HOW)                                               \
    INNER_CALLS(void, NAME, (T * dest, const T *source, size_t nelems, int pe), \
                HOW(ctx, dest, source, rma_bytes_of(nelems, SIZE), pe);)
#define STRIDES(T, SIZE, NAME, HOW)                                                               \
    INNER_CALLS(void, NAME,                                                                       \
                (T * dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
                HOW(ctx, dest, source, dst, sst, nelems, SIZE, pe);)
#define BLOCKS(T, SIZE, NAME, HOW)                                                      \
    INNER_CALLS(void, NAME,                                                             \
                (T * dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
                 size_t nblocks, int pe),                                               \
                HOW(ctx, dest, source, dst, sst, bsize, nblocks, SIZE, pe);)
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
    BLOCKS(T, sizeof(T), N##_ibput, rma_ibput)                 \
    BLOCKS(T, sizeof(T), N##_ibget, rma_ibget)                 \
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

#define UNTYPED_STRIDES(S, SIZE, ...)       \
    STRIDES(void, SIZE, iput##S, rma_iput)  \
    STRIDES(void, SIZE, iget##S, rma_iget)  \
    BLOCKS(void, SIZE, ibput##S, rma_ibput) \
    BLOCKS(void, SIZE, ibget##S, rma_ibget)
HLRC_SHMEM_BYTES_(UNTYPED_STRIDES, )
