/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rma.c - put and get, for all types and sizes: each finds the symmetric object and makes one call
 * of hlrc_put or similar. Calls not ending in _nbi are complete on return. */
#include "compat/shmem/inner.h"

static size_t bytes_of(size_t nelems, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(nelems, size, &bytes) ? SIZE_MAX : bytes;
}

static void put(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = sh_remote("shmem_put", dest, bytes);
    hlrc_put(there, sh_local(source), bytes, sh_pe("shmem_put", ctx, pe));
}

static void get(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = sh_remote("shmem_get", source, bytes);
    hlrc_get(sh_local(dest), there, bytes, sh_pe("shmem_get", ctx, pe));
}

static void put_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = sh_remote("shmem_put_nbi", dest, bytes);
    hlrc_put_nb(there, sh_local(source), bytes, sh_pe("shmem_put_nbi", ctx, pe), NULL);
}

static void get_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe)
{
    if (bytes == 0)
        return;
    void *there = sh_remote("shmem_get_nbi", source, bytes);
    hlrc_get_nb(sh_local(dest), there, bytes, sh_pe("shmem_get_nbi", ctx, pe), NULL);
}

/* Bytes from the first to the last; strides are in elements. */
static size_t extent(const char *call, size_t nelems, size_t size, ptrdiff_t here, ptrdiff_t there)
{
    size_t far;
    if (here < 1 || there < 1)
        compat_fail("%s: strides of %td and %td elements; pass 1 or more", call, there, here);
    if (__builtin_mul_overflow(nelems - 1, (size_t)there, &far) ||
        __builtin_mul_overflow(far, size, &far) || __builtin_add_overflow(far, size, &far))
        return SIZE_MAX;
    return far;
}

static void iput(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                 size_t nelems, size_t size, int pe)
{
    sh_check("shmem_iput");
    if (nelems == 0)
        return;
    void *there = sh_remote("shmem_iput", dest, extent("shmem_iput", nelems, size, sst, dst));
    size_t to = (size_t)dst * size, from = (size_t)sst * size, counts[] = { size, nelems };
    hlrc_put_strided(there, &to, sh_local(source), &from, counts, 1, sh_pe("shmem_iput", ctx, pe));
}

static void iget(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                 size_t nelems, size_t size, int pe)
{
    sh_check("shmem_iget");
    if (nelems == 0)
        return;
    void *there = sh_remote("shmem_iget", source, extent("shmem_iget", nelems, size, dst, sst));
    size_t to = (size_t)dst * size, from = (size_t)sst * size, counts[] = { size, nelems };
    hlrc_get_strided(sh_local(dest), &to, there, &from, counts, 1, sh_pe("shmem_iget", ctx, pe));
}

/* The data arrives before the signal. */
static void put_signal(shmem_ctx_t ctx, void *dest, const void *source, size_t bytes,
                       uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    uint64_t *word = sh_remote("shmem_put_signal", sig_addr, sizeof *word);
    if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
        compat_fail(
            "shmem_put_signal: unknown operation %d; pass SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
            sig_op);
    put(ctx, dest, source, bytes, pe);
    int rc = hlrc_rmw(word, &signal, NULL, HLRC_UINT64,
                      sig_op == SHMEM_SIGNAL_SET ? HLRC_REPLACE : HLRC_SUM,
                      sh_pe("shmem_put_signal", ctx, pe));
    if (rc)
        compat_fail("shmem_put_signal: the signal at %p is not aligned to 8 bytes",
                    (void *)sig_addr);
}

#define D SHMEM_CTX_DEFAULT

/* CALL with a context, and with the default one; SIZE of an element. */
#define MOVES(T, SIZE, CALL, CTX_CALL, HOW)                                         \
    void CALL(T *dest, const T *source, size_t nelems, int pe)                      \
    {                                                                               \
        HOW(D, dest, source, bytes_of(nelems, SIZE), pe);                           \
    }                                                                               \
    void CTX_CALL(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe) \
    {                                                                               \
        HOW(ctx, dest, source, bytes_of(nelems, SIZE), pe);                         \
    }
#define STRIDES(T, SIZE, CALL, CTX_CALL, HOW)                                                \
    void CALL(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) \
    {                                                                                        \
        HOW(D, dest, source, dst, sst, nelems, SIZE, pe);                                    \
    }                                                                                        \
    void CTX_CALL(shmem_ctx_t ctx, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst,   \
                  size_t nelems, int pe)                                                     \
    {                                                                                        \
        HOW(ctx, dest, source, dst, sst, nelems, SIZE, pe);                                  \
    }
#define SIGNALS(T, SIZE, CALL, CTX_CALL)                                                        \
    void CALL(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal,     \
              int sig_op, int pe)                                                               \
    {                                                                                           \
        put_signal(D, dest, source, bytes_of(nelems, SIZE), sig_addr, signal, sig_op, pe);      \
    }                                                                                           \
    void CTX_CALL(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, uint64_t *sig_addr, \
                  uint64_t signal, int sig_op, int pe)                                          \
    {                                                                                           \
        put_signal(ctx, dest, source, bytes_of(nelems, SIZE), sig_addr, signal, sig_op, pe);    \
    }

#define TYPED(T, N, ...)                                                              \
    MOVES(T, sizeof(T), shmem_##N##_put, shmem_ctx_##N##_put, put)                    \
    MOVES(T, sizeof(T), shmem_##N##_get, shmem_ctx_##N##_get, get)                    \
    MOVES(T, sizeof(T), shmem_##N##_put_nbi, shmem_ctx_##N##_put_nbi, put_nbi)        \
    MOVES(T, sizeof(T), shmem_##N##_get_nbi, shmem_ctx_##N##_get_nbi, get_nbi)        \
    STRIDES(T, sizeof(T), shmem_##N##_iput, shmem_ctx_##N##_iput, iput)               \
    STRIDES(T, sizeof(T), shmem_##N##_iget, shmem_ctx_##N##_iget, iget)               \
    SIGNALS(T, sizeof(T), shmem_##N##_put_signal, shmem_ctx_##N##_put_signal)         \
    SIGNALS(T, sizeof(T), shmem_##N##_put_signal_nbi, shmem_ctx_##N##_put_signal_nbi) \
    void shmem_ctx_##N##_p(shmem_ctx_t ctx, T *dest, T value, int pe)                 \
    {                                                                                 \
        put(ctx, dest, &value, sizeof value, pe);                                     \
    }                                                                                 \
    void shmem_##N##_p(T *dest, T value, int pe)                                      \
    {                                                                                 \
        put(D, dest, &value, sizeof value, pe);                                       \
    }                                                                                 \
    T shmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe)                     \
    {                                                                                 \
        T value;                                                                      \
        get(ctx, &value, source, sizeof value, pe);                                   \
        return value;                                                                 \
    }                                                                                 \
    T shmem_##N##_g(const T *source, int pe)                                          \
    {                                                                                 \
        T value;                                                                      \
        get(D, &value, source, sizeof value, pe);                                     \
        return value;                                                                 \
    }
HLRC_SHMEM_RMA_(TYPED, )

#define UNTYPED(S, SIZE, ...)                                              \
    MOVES(void, SIZE, shmem_put##S, shmem_ctx_put##S, put)                 \
    MOVES(void, SIZE, shmem_get##S, shmem_ctx_get##S, get)                 \
    MOVES(void, SIZE, shmem_put##S##_nbi, shmem_ctx_put##S##_nbi, put_nbi) \
    MOVES(void, SIZE, shmem_get##S##_nbi, shmem_ctx_get##S##_nbi, get_nbi) \
    SIGNALS(void, SIZE, shmem_put##S##_signal, shmem_ctx_put##S##_signal)  \
    SIGNALS(void, SIZE, shmem_put##S##_signal_nbi, shmem_ctx_put##S##_signal_nbi)
HLRC_SHMEM_BYTES_(UNTYPED, )
UNTYPED(mem, 1, )

#define UNTYPED_STRIDES(S, SIZE, ...)                           \
    STRIDES(void, SIZE, shmem_iput##S, shmem_ctx_iput##S, iput) \
    STRIDES(void, SIZE, shmem_iget##S, shmem_ctx_iget##S, iget)
HLRC_SHMEM_BYTES_(UNTYPED_STRIDES, )
