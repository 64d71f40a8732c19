/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of OpenSHMEM 1.6 on HLRC, for programs in C and C++: shmem(7) describes the
 * supported parts. Written from the specification (OpenSHMEM Application Programming Interface,
 * version 1.6, 2024). Most calls exist once for each type: the lists below declare them,
 * shmem_int_put and so on.
 */
#ifndef HLRC_SHMEM_H
#define HLRC_SHMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#    include <complex>
#endif

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN  64
#define SHMEM_VENDOR_STRING "HLRC"

#define SHMEM_THREAD_SINGLE     0
#define SHMEM_THREAD_FUNNELED   1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE   3

#define SHMEM_CMP_EQ 0
#define SHMEM_CMP_NE 1
#define SHMEM_CMP_GT 2
#define SHMEM_CMP_LE 3
#define SHMEM_CMP_LT 4
#define SHMEM_CMP_GE 5

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE    2L
#define SHMEM_CTX_NOSTORE    4L

#define SHMEM_CTX_SESSION_BATCH     1L
#define SHMEM_CTX_SESSION_TOTAL_OPS 1L

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE  2L

/* Length of a pSync array, in longs, and its values between calls; of a pWrk array, in
 * elements. */
#define SHMEM_SYNC_VALUE              0L
#define SHMEM_SYNC_SIZE               32
#define SHMEM_BARRIER_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE         SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE        SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE      SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE     SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 128

#define _SHMEM_MAJOR_VERSION           SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION           SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN            SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING           SHMEM_VENDOR_STRING
#define _SHMEM_SYNC_VALUE              SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE       SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE         SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE        SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE       SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_CMP_EQ                  SHMEM_CMP_EQ
#define _SHMEM_CMP_NE                  SHMEM_CMP_NE
#define _SHMEM_CMP_GT                  SHMEM_CMP_GT
#define _SHMEM_CMP_LE                  SHMEM_CMP_LE
#define _SHMEM_CMP_LT                  SHMEM_CMP_LT
#define _SHMEM_CMP_GE                  SHMEM_CMP_GE

/* Handles: numbers cast to pointers, never dereferenced. */
typedef struct hlrc_shmem_ctx_ {
    int none;
} * shmem_ctx_t;
typedef struct hlrc_shmem_team_ {
    int none;
} * shmem_team_t;

#define SHMEM_CTX_INVALID  ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT  ((shmem_ctx_t)1)
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_TEAM_WORLD   ((shmem_team_t)1)
#define SHMEM_TEAM_SHARED  ((shmem_team_t)2)

typedef struct {
    int num_contexts;
} shmem_team_config_t;
#define SHMEM_TEAM_NUM_CONTEXTS 1L
typedef struct {
    size_t total_ops;
} shmem_ctx_session_config_t;

/* ---- the types: of put and get, of atomic operations and waits, of reductions ---- */

#define HLRC_SHMEM_REAL_(X, ...) \
    X(float, float, __VA_ARGS__) \
    X(double, double, __VA_ARGS__)
#define HLRC_SHMEM_INTEGERS_PLAIN_(X, ...) \
    X(char, char, __VA_ARGS__)             \
    X(signed char, schar, __VA_ARGS__)     \
    X(short, short, __VA_ARGS__)           \
    HLRC_SHMEM_OLD_(X, __VA_ARGS__)        \
    X(unsigned char, uchar, __VA_ARGS__)   \
    X(unsigned short, ushort, __VA_ARGS__) \
    HLRC_SHMEM_BITS_PLAIN_(X, __VA_ARGS__)
#define HLRC_SHMEM_PLAIN_(X, ...)           \
    HLRC_SHMEM_REAL_(X, __VA_ARGS__)        \
    X(long double, longdouble, __VA_ARGS__) \
    HLRC_SHMEM_INTEGERS_PLAIN_(X, __VA_ARGS__)
#define HLRC_SHMEM_INTEGERS_SIZED_(X, ...) \
    X(int8_t, int8, __VA_ARGS__)           \
    X(int16_t, int16, __VA_ARGS__)         \
    X(uint8_t, uint8, __VA_ARGS__)         \
    X(uint16_t, uint16, __VA_ARGS__)       \
    HLRC_SHMEM_SIZED_(X, __VA_ARGS__)      \
    X(size_t, size, __VA_ARGS__)
#define HLRC_SHMEM_INTEGERS_(X, ...)           \
    HLRC_SHMEM_INTEGERS_PLAIN_(X, __VA_ARGS__) \
    HLRC_SHMEM_INTEGERS_SIZED_(X, __VA_ARGS__) \
    X(ptrdiff_t, ptrdiff, __VA_ARGS__)
#define HLRC_SHMEM_RMA_(X, ...)             \
    HLRC_SHMEM_REAL_(X, __VA_ARGS__)        \
    X(long double, longdouble, __VA_ARGS__) \
    HLRC_SHMEM_INTEGERS_(X, __VA_ARGS__)
/* Types that differ from each other; float and double have only fetch, set and swap. */
#define HLRC_SHMEM_BITS_PLAIN_(X, ...)   \
    X(unsigned int, uint, __VA_ARGS__)   \
    X(unsigned long, ulong, __VA_ARGS__) \
    X(unsigned long long, ulonglong, __VA_ARGS__)
#define HLRC_SHMEM_OLD_(X, ...) \
    X(int, int, __VA_ARGS__)    \
    X(long, long, __VA_ARGS__)  \
    X(long long, longlong, __VA_ARGS__)
#define HLRC_SHMEM_SIZED_(X, ...)    \
    X(int32_t, int32, __VA_ARGS__)   \
    X(int64_t, int64, __VA_ARGS__)   \
    X(uint32_t, uint32, __VA_ARGS__) \
    X(uint64_t, uint64, __VA_ARGS__)
#define HLRC_SHMEM_BITS_(X, ...)           \
    HLRC_SHMEM_BITS_PLAIN_(X, __VA_ARGS__) \
    HLRC_SHMEM_SIZED_(X, __VA_ARGS__)
#define HLRC_SHMEM_AMO_PLAIN_(X, ...) \
    HLRC_SHMEM_OLD_(X, __VA_ARGS__)   \
    HLRC_SHMEM_BITS_PLAIN_(X, __VA_ARGS__)
#define HLRC_SHMEM_AMO_(X, ...)           \
    HLRC_SHMEM_AMO_PLAIN_(X, __VA_ARGS__) \
    HLRC_SHMEM_SIZED_(X, __VA_ARGS__)     \
    X(size_t, size, __VA_ARGS__)          \
    X(ptrdiff_t, ptrdiff, __VA_ARGS__)
/* Of waits and tests. */
#define HLRC_SHMEM_SHORTS_(X, ...) \
    X(short, short, __VA_ARGS__)   \
    X(unsigned short, ushort, __VA_ARGS__)
#define HLRC_SHMEM_WAIT_(X, ...)    \
    HLRC_SHMEM_AMO_(X, __VA_ARGS__) \
    HLRC_SHMEM_SHORTS_(X, __VA_ARGS__)
#define HLRC_SHMEM_REDUCE_BITS_PLAIN_(X, ...) \
    X(unsigned char, uchar, __VA_ARGS__)      \
    X(unsigned short, ushort, __VA_ARGS__)    \
    HLRC_SHMEM_BITS_PLAIN_(X, __VA_ARGS__)
#define HLRC_SHMEM_REDUCE_BITS_(X, ...)           \
    HLRC_SHMEM_REDUCE_BITS_PLAIN_(X, __VA_ARGS__) \
    HLRC_SHMEM_INTEGERS_SIZED_(X, __VA_ARGS__)
#define HLRC_SHMEM_BYTES_(X, ...) \
    X(8, 1, __VA_ARGS__)          \
    X(16, 2, __VA_ARGS__)         \
    X(32, 4, __VA_ARGS__)         \
    X(64, 8, __VA_ARGS__)         \
    X(128, 16, __VA_ARGS__)

#ifdef __cplusplus
extern "C" {
__extension__ typedef float _Complex hlrc_shmem_complexf_;
__extension__ typedef double _Complex hlrc_shmem_complexd_;
#else
typedef float _Complex hlrc_shmem_complexf_;
typedef double _Complex hlrc_shmem_complexd_;
#endif

/* ---- the library, and this process ---- */

void shmem_init(void);
int shmem_init_thread(int requested, int *provided);
void shmem_query_thread(int *provided);
void shmem_query_initialized(int *initialized);
void shmem_finalize(void);
void shmem_global_exit(int status);
int shmem_my_pe(void);
int shmem_n_pes(void);
int shmem_pe_accessible(int pe);
int shmem_addr_accessible(const void *addr, int pe);
void *shmem_ptr(const void *dest, int pe);
void *shmem_team_ptr(shmem_team_t team, const void *dest, int pe);
void shmem_info_get_version(int *major, int *minor);
void shmem_info_get_name(char *name);
void shmem_pcontrol(int level, ...);

void *shmem_malloc(size_t size);
void *shmem_malloc_with_hints(size_t size, long hints);
void *shmem_calloc(size_t count, size_t size);
void *shmem_align(size_t alignment, size_t size);
void *shmem_realloc(void *ptr, size_t size);
void shmem_free(void *ptr);

int shmem_ctx_create(long options, shmem_ctx_t *ctx);
int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx);
void shmem_ctx_destroy(shmem_ctx_t ctx);
int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team);
void shmem_ctx_session_start(shmem_ctx_t ctx, long options,
                             const shmem_ctx_session_config_t *config, long config_mask);
void shmem_ctx_session_stop(shmem_ctx_t ctx);

int shmem_team_my_pe(shmem_team_t team);
int shmem_team_n_pes(shmem_team_t team);
int shmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config);
int shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team);
int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                             const shmem_team_config_t *config, long config_mask,
                             shmem_team_t *new_team);
int shmem_team_split_2d(shmem_team_t parent, int xrange, const shmem_team_config_t *xaxis_config,
                        long xaxis_mask, shmem_team_t *xaxis_team,
                        const shmem_team_config_t *yaxis_config, long yaxis_mask,
                        shmem_team_t *yaxis_team);
void shmem_team_destroy(shmem_team_t team);

/* ---- ordering, and locks ---- */

void shmem_fence(void);
void shmem_quiet(void);
void shmem_ctx_fence(shmem_ctx_t ctx);
void shmem_ctx_quiet(shmem_ctx_t ctx);
void shmem_barrier_all(void);
void shmem_sync_all(void);
int shmem_team_sync(shmem_team_t team);
void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync);
void shmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync);
void shmem_set_lock(long *lock);
void shmem_clear_lock(long *lock);
int shmem_test_lock(long *lock);

/* ---- put and get ---- */

/* With the default context, and with one. */
#define HLRC_SHMEM_CALLS_(TYPE, NAME, ...) \
    TYPE shmem_##NAME(__VA_ARGS__);        \
    TYPE shmem_ctx_##NAME(shmem_ctx_t, __VA_ARGS__);

#define HLRC_SHMEM_DECLARE_(T, N, ...)                                                         \
    HLRC_SHMEM_CALLS_(void, N##_put, T *dest, const T *source, size_t nelems, int pe)          \
    HLRC_SHMEM_CALLS_(void, N##_get, T *dest, const T *source, size_t nelems, int pe)          \
    HLRC_SHMEM_CALLS_(void, N##_put_nbi, T *dest, const T *source, size_t nelems, int pe)      \
    HLRC_SHMEM_CALLS_(void, N##_get_nbi, T *dest, const T *source, size_t nelems, int pe)      \
    HLRC_SHMEM_CALLS_(void, N##_iput, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst,  \
                      size_t nelems, int pe)                                                   \
    HLRC_SHMEM_CALLS_(void, N##_iget, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst,  \
                      size_t nelems, int pe)                                                   \
    HLRC_SHMEM_CALLS_(void, N##_ibput, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
                      size_t bsize, size_t nblocks, int pe)                                    \
    HLRC_SHMEM_CALLS_(void, N##_ibget, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
                      size_t bsize, size_t nblocks, int pe)                                    \
    HLRC_SHMEM_CALLS_(void, N##_p, T *dest, T value, int pe)                                   \
    HLRC_SHMEM_CALLS_(T, N##_g, const T *source, int pe)                                       \
    HLRC_SHMEM_CALLS_(void, N##_put_signal, T *dest, const T *source, size_t nelems,           \
                      uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)                 \
    HLRC_SHMEM_CALLS_(void, N##_put_signal_nbi, T *dest, const T *source, size_t nelems,       \
                      uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_

/* S: 8, 16, 32, 64, 128 bits of an element, and mem: bytes. */
#define HLRC_SHMEM_DECLARE_(S, ...)                                                              \
    HLRC_SHMEM_CALLS_(void, put##S, void *dest, const void *source, size_t nelems, int pe)       \
    HLRC_SHMEM_CALLS_(void, get##S, void *dest, const void *source, size_t nelems, int pe)       \
    HLRC_SHMEM_CALLS_(void, put##S##_nbi, void *dest, const void *source, size_t nelems, int pe) \
    HLRC_SHMEM_CALLS_(void, get##S##_nbi, void *dest, const void *source, size_t nelems, int pe) \
    HLRC_SHMEM_CALLS_(void, put##S##_signal, void *dest, const void *source, size_t nelems,      \
                      uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)                   \
    HLRC_SHMEM_CALLS_(void, put##S##_signal_nbi, void *dest, const void *source, size_t nelems,  \
                      uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
HLRC_SHMEM_BYTES_(HLRC_SHMEM_DECLARE_, )
HLRC_SHMEM_DECLARE_(mem, )
#undef HLRC_SHMEM_DECLARE_

#define HLRC_SHMEM_DECLARE_(S, ...)                                                                \
    HLRC_SHMEM_CALLS_(void, iput##S, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                      size_t nelems, int pe)                                                       \
    HLRC_SHMEM_CALLS_(void, iget##S, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                      size_t nelems, int pe)                                                       \
    HLRC_SHMEM_CALLS_(void, ibput##S, void *dest, const void *source, ptrdiff_t dst,               \
                      ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)                         \
    HLRC_SHMEM_CALLS_(void, ibget##S, void *dest, const void *source, ptrdiff_t dst,               \
                      ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)
HLRC_SHMEM_BYTES_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_

/* ---- atomic operations ---- */

#define HLRC_SHMEM_DECLARE_(T, N, ...)                                               \
    HLRC_SHMEM_CALLS_(T, N##_atomic_fetch, const T *source, int pe)                  \
    HLRC_SHMEM_CALLS_(void, N##_atomic_fetch_nbi, T *fetch, const T *source, int pe) \
    HLRC_SHMEM_CALLS_(void, N##_atomic_set, T *dest, T value, int pe)                \
    HLRC_SHMEM_CALLS_(T, N##_atomic_swap, T *dest, T value, int pe)                  \
    HLRC_SHMEM_CALLS_(void, N##_atomic_swap_nbi, T *fetch, T *dest, T value, int pe)
HLRC_SHMEM_AMO_(HLRC_SHMEM_DECLARE_, )
HLRC_SHMEM_REAL_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_

#define HLRC_SHMEM_DECLARE_(T, N, ...)                                                       \
    HLRC_SHMEM_CALLS_(T, N##_atomic_compare_swap, T *dest, T cond, T value, int pe)          \
    HLRC_SHMEM_CALLS_(void, N##_atomic_compare_swap_nbi, T *fetch, T *dest, T cond, T value, \
                      int pe)                                                                \
    HLRC_SHMEM_CALLS_(void, N##_atomic_inc, T *dest, int pe)                                 \
    HLRC_SHMEM_CALLS_(T, N##_atomic_fetch_inc, T *dest, int pe)                              \
    HLRC_SHMEM_CALLS_(void, N##_atomic_fetch_inc_nbi, T *fetch, T *dest, int pe)
HLRC_SHMEM_AMO_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_

#define HLRC_SHMEM_DECLARE_(T, N, OP)                                     \
    HLRC_SHMEM_CALLS_(void, N##_atomic_##OP, T *dest, T value, int pe)    \
    HLRC_SHMEM_CALLS_(T, N##_atomic_fetch_##OP, T *dest, T value, int pe) \
    HLRC_SHMEM_CALLS_(void, N##_atomic_fetch_##OP##_nbi, T *fetch, T *dest, T value, int pe)
HLRC_SHMEM_AMO_(HLRC_SHMEM_DECLARE_, add)
HLRC_SHMEM_BITS_(HLRC_SHMEM_DECLARE_, and)
HLRC_SHMEM_BITS_(HLRC_SHMEM_DECLARE_, or)
HLRC_SHMEM_BITS_(HLRC_SHMEM_DECLARE_, xor)
#undef HLRC_SHMEM_DECLARE_

HLRC_SHMEM_CALLS_(void, signal_set, uint64_t *sig_addr, uint64_t signal, int pe)
HLRC_SHMEM_CALLS_(void, signal_add, uint64_t *sig_addr, uint64_t signal, int pe)
#undef HLRC_SHMEM_CALLS_

/* ---- waits for words of this PE ---- */

uint64_t shmem_signal_fetch(const uint64_t *sig_addr);
uint64_t shmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value);

/* One value for all words, or one for each. */
#define HLRC_SHMEM_EACH_(T, N, POST, VALUE)                                                        \
    void shmem_##N##_wait_until_all##POST(T *ivars, size_t nelems, const int *status, int cmp,     \
                                          VALUE);                                                  \
    size_t shmem_##N##_wait_until_any##POST(T *ivars, size_t nelems, const int *status, int cmp,   \
                                            VALUE);                                                \
    size_t shmem_##N##_wait_until_some##POST(T *ivars, size_t nelems, size_t *indices,             \
                                             const int *status, int cmp, VALUE);                   \
    int shmem_##N##_test_all##POST(T *ivars, size_t nelems, const int *status, int cmp, VALUE);    \
    size_t shmem_##N##_test_any##POST(T *ivars, size_t nelems, const int *status, int cmp, VALUE); \
    size_t shmem_##N##_test_some##POST(T *ivars, size_t nelems, size_t *indices,                   \
                                       const int *status, int cmp, VALUE);
#define HLRC_SHMEM_DECLARE_(T, N, ...)                          \
    void shmem_##N##_wait_until(T *ivar, int cmp, T cmp_value); \
    int shmem_##N##_test(T *ivar, int cmp, T cmp_value);        \
    HLRC_SHMEM_EACH_(T, N, , T cmp_value)                       \
    HLRC_SHMEM_EACH_(T, N, _vector, T *cmp_values)
HLRC_SHMEM_WAIT_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_EACH_
#undef HLRC_SHMEM_DECLARE_

/* ---- collectives of a team ---- */

int shmem_broadcastmem(shmem_team_t team, void *dest, const void *source, size_t nelems, int root);
int shmem_collectmem(shmem_team_t team, void *dest, const void *source, size_t nelems);
int shmem_fcollectmem(shmem_team_t team, void *dest, const void *source, size_t nelems);
int shmem_alltoallmem(shmem_team_t team, void *dest, const void *source, size_t nelems);
int shmem_alltoallsmem(shmem_team_t team, void *dest, const void *source, ptrdiff_t dst,
                       ptrdiff_t sst, size_t nelems);

#define HLRC_SHMEM_DECLARE_(T, N, ...)                                                          \
    int shmem_##N##_broadcast(shmem_team_t, T *dest, const T *source, size_t nelems, int root); \
    int shmem_##N##_collect(shmem_team_t, T *dest, const T *source, size_t nelems);             \
    int shmem_##N##_fcollect(shmem_team_t, T *dest, const T *source, size_t nelems);            \
    int shmem_##N##_alltoall(shmem_team_t, T *dest, const T *source, size_t nelems);            \
    int shmem_##N##_alltoalls(shmem_team_t, T *dest, const T *source, ptrdiff_t dst,            \
                              ptrdiff_t sst, size_t nelems);
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_

#define HLRC_SHMEM_DECLARE_(T, N, OP) \
    int shmem_##N##_##OP##_reduce(shmem_team_t, T *dest, const T *source, size_t nreduce);
HLRC_SHMEM_REDUCE_BITS_(HLRC_SHMEM_DECLARE_, and)
HLRC_SHMEM_REDUCE_BITS_(HLRC_SHMEM_DECLARE_, or)
HLRC_SHMEM_REDUCE_BITS_(HLRC_SHMEM_DECLARE_, xor)
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, max)
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, min)
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, sum)
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, prod)
HLRC_SHMEM_DECLARE_(hlrc_shmem_complexf_, complexf, sum)
HLRC_SHMEM_DECLARE_(hlrc_shmem_complexf_, complexf, prod)
HLRC_SHMEM_DECLARE_(hlrc_shmem_complexd_, complexd, sum)
HLRC_SHMEM_DECLARE_(hlrc_shmem_complexd_, complexd, prod)
#undef HLRC_SHMEM_DECLARE_

#define HLRC_SHMEM_DECLARE_(T, N, ...)                                                 \
    int shmem_##N##_sum_inscan(shmem_team_t, T *dest, const T *source, size_t nelems); \
    int shmem_##N##_sum_exscan(shmem_team_t, T *dest, const T *source, size_t nelems);
HLRC_SHMEM_RMA_(HLRC_SHMEM_DECLARE_, )
HLRC_SHMEM_DECLARE_(hlrc_shmem_complexf_, complexf, )
HLRC_SHMEM_DECLARE_(hlrc_shmem_complexd_, complexd, )
#undef HLRC_SHMEM_DECLARE_

/* ---- of an active set: deprecated since 1.5, as all below except the generic names ---- */

#define HLRC_SHMEM_DECLARE_(S, ...)                                                       \
    void shmem_broadcast##S(void *dest, const void *source, size_t nelems, int PE_root,   \
                            int PE_start, int logPE_stride, int PE_size, long *pSync);    \
    void shmem_collect##S(void *dest, const void *source, size_t nelems, int PE_start,    \
                          int logPE_stride, int PE_size, long *pSync);                    \
    void shmem_fcollect##S(void *dest, const void *source, size_t nelems, int PE_start,   \
                           int logPE_stride, int PE_size, long *pSync);                   \
    void shmem_alltoall##S(void *dest, const void *source, size_t nelems, int PE_start,   \
                           int logPE_stride, int PE_size, long *pSync);                   \
    void shmem_alltoalls##S(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                            size_t nelems, int PE_start, int logPE_stride, int PE_size,   \
                            long *pSync);
HLRC_SHMEM_DECLARE_(32, )
HLRC_SHMEM_DECLARE_(64, )
#undef HLRC_SHMEM_DECLARE_

#define HLRC_SHMEM_TO_ALL_BITS_(X, ...) \
    X(short, short, __VA_ARGS__)        \
    HLRC_SHMEM_OLD_(X, __VA_ARGS__)
#define HLRC_SHMEM_TO_ALL_ORDER_(X, ...)    \
    HLRC_SHMEM_TO_ALL_BITS_(X, __VA_ARGS__) \
    HLRC_SHMEM_REAL_(X, __VA_ARGS__)        \
    X(long double, longdouble, __VA_ARGS__)
#define HLRC_SHMEM_TO_ALL_SUMS_(X, ...)            \
    HLRC_SHMEM_TO_ALL_ORDER_(X, __VA_ARGS__)       \
    X(hlrc_shmem_complexf_, complexf, __VA_ARGS__) \
    X(hlrc_shmem_complexd_, complexd, __VA_ARGS__)

#define HLRC_SHMEM_DECLARE_(T, N, OP)                                                   \
    void shmem_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, int PE_start, \
                                   int logPE_stride, int PE_size, T *pWrk, long *pSync);
HLRC_SHMEM_TO_ALL_BITS_(HLRC_SHMEM_DECLARE_, and)
HLRC_SHMEM_TO_ALL_BITS_(HLRC_SHMEM_DECLARE_, or)
HLRC_SHMEM_TO_ALL_BITS_(HLRC_SHMEM_DECLARE_, xor)
HLRC_SHMEM_TO_ALL_ORDER_(HLRC_SHMEM_DECLARE_, max)
HLRC_SHMEM_TO_ALL_ORDER_(HLRC_SHMEM_DECLARE_, min)
HLRC_SHMEM_TO_ALL_SUMS_(HLRC_SHMEM_DECLARE_, sum)
HLRC_SHMEM_TO_ALL_SUMS_(HLRC_SHMEM_DECLARE_, prod)
#undef HLRC_SHMEM_DECLARE_

void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
void *shmem_shmalloc(size_t size);
void *shmemalign(size_t alignment, size_t size);
void *shmem_shrealloc(void *ptr, size_t size);
void shmem_shfree(void *ptr);

#define HLRC_SHMEM_DECLARE_(T, N, ...)              \
    void shmem_##N##_add(T *dest, T value, int pe); \
    void shmem_##N##_inc(T *dest, int pe);          \
    T shmem_##N##_fadd(T *dest, T value, int pe);   \
    T shmem_##N##_finc(T *dest, int pe);            \
    T shmem_##N##_cswap(T *dest, T cond, T value, int pe);
HLRC_SHMEM_AMO_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_
#define HLRC_SHMEM_DECLARE_(T, N, ...)              \
    T shmem_##N##_fetch(const T *source, int pe);   \
    void shmem_##N##_set(T *dest, T value, int pe); \
    T shmem_##N##_swap(T *dest, T value, int pe);
HLRC_SHMEM_AMO_(HLRC_SHMEM_DECLARE_, )
HLRC_SHMEM_REAL_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_
#define HLRC_SHMEM_DECLARE_(T, N, ...) void shmem_##N##_wait(T *ivar, T cmp_value);
HLRC_SHMEM_WAIT_(HLRC_SHMEM_DECLARE_, )
#undef HLRC_SHMEM_DECLARE_
void shmem_wait(long *ivar, long cmp_value);
void shmem_wait_until(long *ivar, int cmp, long cmp_value);

#ifdef __cplusplus
}
/* Sums and products of std::complex, of the size of R. A template: NULL selects the call of C. */
#    define HLRC_SHMEM_DECLARE_(R, N, OP)                                                         \
        template <class T>                                                                        \
        inline int shmem_##N##_##OP##_reduce(shmem_team_t team, std::complex<T> *dest,            \
                                             const std::complex<T> *source, size_t nreduce)       \
        {                                                                                         \
            std::complex<R> *to = dest;                                                           \
            const std::complex<R> *from = source;                                                 \
            return shmem_##N##_##OP##_reduce(team, reinterpret_cast<hlrc_shmem_##N##_ *>(to),     \
                                             reinterpret_cast<const hlrc_shmem_##N##_ *>(from),   \
                                             nreduce);                                            \
        }                                                                                         \
        template <class T>                                                                        \
        inline void shmem_##N##_##OP##_to_all(std::complex<T> *dest,                              \
                                              const std::complex<T> *source, int nreduce,         \
                                              int PE_start, int logPE_stride, int PE_size,        \
                                              std::complex<T> *pWrk, long *pSync)                 \
        {                                                                                         \
            std::complex<R> *to = dest, *work = pWrk;                                             \
            const std::complex<R> *from = source;                                                 \
            shmem_##N##_##OP##_to_all(reinterpret_cast<hlrc_shmem_##N##_ *>(to),                  \
                                      reinterpret_cast<const hlrc_shmem_##N##_ *>(from), nreduce, \
                                      PE_start, logPE_stride, PE_size,                            \
                                      reinterpret_cast<hlrc_shmem_##N##_ *>(work), pSync);        \
        }
HLRC_SHMEM_DECLARE_(float, complexf, sum)
HLRC_SHMEM_DECLARE_(float, complexf, prod)
HLRC_SHMEM_DECLARE_(double, complexd, sum)
HLRC_SHMEM_DECLARE_(double, complexd, prod)
#    undef HLRC_SHMEM_DECLARE_
#elif __STDC_VERSION__ >= 201112L
#    include "shmem_generic.h"
#endif

#endif
