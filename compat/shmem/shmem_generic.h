/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of shmem.h: C11 generic names, which select the function by the types of their
 * arguments. */
#ifndef HLRC_SHMEM_GENERIC_H
#define HLRC_SHMEM_GENERIC_H

#define HLRC_SHMEM_1_(a, ...)             a
#define HLRC_SHMEM_2_(a, b, ...)          b
#define HLRC_SHMEM_FIRST_(...)            HLRC_SHMEM_1_(__VA_ARGS__, )
#define HLRC_SHMEM_SECOND_(...)           HLRC_SHMEM_2_(__VA_ARGS__, )
#define HLRC_SHMEM_CASE_(T, N, PRE, POST) T * : PRE##N##POST, const T * : PRE##N##POST,

/* Selects by the pointer A, to one of the types in LIST. */
#define HLRC_SHMEM_BY_(LIST, A, PRE, POST) \
    _Generic((A), LIST(HLRC_SHMEM_CASE_, PRE, POST) default : 0)
/* With a context first, or without. */
#define HLRC_SHMEM_CTX_BY_(LIST, POST, ...)                                                     \
    _Generic((HLRC_SHMEM_FIRST_(__VA_ARGS__)), LIST(HLRC_SHMEM_CASE_, shmem_, POST) shmem_ctx_t \
             : HLRC_SHMEM_BY_(LIST, HLRC_SHMEM_SECOND_(__VA_ARGS__), shmem_ctx_, POST))(        \
        __VA_ARGS__)
#define HLRC_SHMEM_FIRST_BY_(LIST, POST, ...) \
    HLRC_SHMEM_BY_(LIST, HLRC_SHMEM_FIRST_(__VA_ARGS__), shmem_, POST)(__VA_ARGS__)
#define HLRC_SHMEM_SECOND_BY_(LIST, POST, ...) \
    HLRC_SHMEM_BY_(LIST, HLRC_SHMEM_SECOND_(__VA_ARGS__), shmem_, POST)(__VA_ARGS__)

#define HLRC_SHMEM_EXTENDED_(X, ...)      \
    HLRC_SHMEM_AMO_PLAIN_(X, __VA_ARGS__) \
    HLRC_SHMEM_REAL_(X, __VA_ARGS__)
#define HLRC_SHMEM_ALL_SUMS_(X, ...)               \
    HLRC_SHMEM_PLAIN_(X, __VA_ARGS__)              \
    X(hlrc_shmem_complexf_, complexf, __VA_ARGS__) \
    X(hlrc_shmem_complexd_, complexd, __VA_ARGS__)

#define shmem_put(...)        HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _put, __VA_ARGS__)
#define shmem_get(...)        HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _get, __VA_ARGS__)
#define shmem_put_nbi(...)    HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...)    HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _get_nbi, __VA_ARGS__)
#define shmem_iput(...)       HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _iput, __VA_ARGS__)
#define shmem_iget(...)       HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _iget, __VA_ARGS__)
#define shmem_ibput(...)      HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _ibput, __VA_ARGS__)
#define shmem_ibget(...)      HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _ibget, __VA_ARGS__)
#define shmem_p(...)          HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _p, __VA_ARGS__)
#define shmem_g(...)          HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _g, __VA_ARGS__)
#define shmem_put_signal(...) HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) \
    HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_PLAIN_, _put_signal_nbi, __VA_ARGS__)

#define HLRC_SHMEM_REALS_(POST, ...) HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_EXTENDED_, POST, __VA_ARGS__)
#define HLRC_SHMEM_INTS_(POST, ...)  HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_AMO_PLAIN_, POST, __VA_ARGS__)
#define HLRC_SHMEM_FLAGS_(POST, ...) HLRC_SHMEM_CTX_BY_(HLRC_SHMEM_BITS_GENERIC_, POST, __VA_ARGS__)
/* int32_t and int64_t are int and long. */
#define HLRC_SHMEM_BITS_GENERIC_(X, ...)   \
    HLRC_SHMEM_BITS_PLAIN_(X, __VA_ARGS__) \
    X(int32_t, int32, __VA_ARGS__)         \
    X(int64_t, int64, __VA_ARGS__)

#define shmem_atomic_fetch(...)            HLRC_SHMEM_REALS_(_atomic_fetch, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...)        HLRC_SHMEM_REALS_(_atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_set(...)              HLRC_SHMEM_REALS_(_atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...)             HLRC_SHMEM_REALS_(_atomic_swap, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...)         HLRC_SHMEM_REALS_(_atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...)     HLRC_SHMEM_INTS_(_atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) HLRC_SHMEM_INTS_(_atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_inc(...)              HLRC_SHMEM_INTS_(_atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...)        HLRC_SHMEM_INTS_(_atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...)    HLRC_SHMEM_INTS_(_atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_add(...)              HLRC_SHMEM_INTS_(_atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_add(...)        HLRC_SHMEM_INTS_(_atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...)    HLRC_SHMEM_INTS_(_atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_and(...)              HLRC_SHMEM_FLAGS_(_atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_and(...)        HLRC_SHMEM_FLAGS_(_atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...)    HLRC_SHMEM_FLAGS_(_atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_or(...)               HLRC_SHMEM_FLAGS_(_atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_or(...)         HLRC_SHMEM_FLAGS_(_atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...)     HLRC_SHMEM_FLAGS_(_atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_xor(...)              HLRC_SHMEM_FLAGS_(_atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...)        HLRC_SHMEM_FLAGS_(_atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...)    HLRC_SHMEM_FLAGS_(_atomic_fetch_xor_nbi, __VA_ARGS__)

#define HLRC_SHMEM_WAIT_PLAIN_(X, ...)    \
    HLRC_SHMEM_AMO_PLAIN_(X, __VA_ARGS__) \
    HLRC_SHMEM_SHORTS_(X, __VA_ARGS__)
#define HLRC_SHMEM_WORDS_(POST, ...) HLRC_SHMEM_FIRST_BY_(HLRC_SHMEM_WAIT_PLAIN_, POST, __VA_ARGS__)

#define shmem_wait_until(...)             HLRC_SHMEM_WORDS_(_wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...)         HLRC_SHMEM_WORDS_(_wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...)         HLRC_SHMEM_WORDS_(_wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...)        HLRC_SHMEM_WORDS_(_wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...)  HLRC_SHMEM_WORDS_(_wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...)  HLRC_SHMEM_WORDS_(_wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) HLRC_SHMEM_WORDS_(_wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...)                   HLRC_SHMEM_WORDS_(_test, __VA_ARGS__)
#define shmem_test_all(...)               HLRC_SHMEM_WORDS_(_test_all, __VA_ARGS__)
#define shmem_test_any(...)               HLRC_SHMEM_WORDS_(_test_any, __VA_ARGS__)
#define shmem_test_some(...)              HLRC_SHMEM_WORDS_(_test_some, __VA_ARGS__)
#define shmem_test_all_vector(...)        HLRC_SHMEM_WORDS_(_test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...)        HLRC_SHMEM_WORDS_(_test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...)       HLRC_SHMEM_WORDS_(_test_some_vector, __VA_ARGS__)

#define shmem_broadcast(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _broadcast, __VA_ARGS__)
#define shmem_collect(...)   HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _collect, __VA_ARGS__)
#define shmem_fcollect(...)  HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _fcollect, __VA_ARGS__)
#define shmem_alltoall(...)  HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _alltoalls, __VA_ARGS__)

/* As above; int8_t and int16_t are signed char and short. */
#define HLRC_SHMEM_REDUCE_BITS_GENERIC_(X, ...)   \
    HLRC_SHMEM_REDUCE_BITS_PLAIN_(X, __VA_ARGS__) \
    X(int8_t, int8, __VA_ARGS__)                  \
    X(int16_t, int16, __VA_ARGS__)                \
    X(int32_t, int32, __VA_ARGS__)                \
    X(int64_t, int64, __VA_ARGS__)
#define HLRC_SHMEM_MASKS_(POST, ...) \
    HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_REDUCE_BITS_GENERIC_, POST, __VA_ARGS__)
#define shmem_and_reduce(...) HLRC_SHMEM_MASKS_(_and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...)  HLRC_SHMEM_MASKS_(_or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) HLRC_SHMEM_MASKS_(_xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_PLAIN_, _min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_ALL_SUMS_, _sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) \
    HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_ALL_SUMS_, _prod_reduce, __VA_ARGS__)

#define shmem_sum_inscan(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_ALL_SUMS_, _sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...) HLRC_SHMEM_SECOND_BY_(HLRC_SHMEM_ALL_SUMS_, _sum_exscan, __VA_ARGS__)

/* With a context, or without. */
#define shmem_signal_set(...)                              \
    _Generic((HLRC_SHMEM_FIRST_(__VA_ARGS__)), shmem_ctx_t \
             : shmem_ctx_signal_set, default               \
             : shmem_signal_set)(__VA_ARGS__)
#define shmem_signal_add(...)                              \
    _Generic((HLRC_SHMEM_FIRST_(__VA_ARGS__)), shmem_ctx_t \
             : shmem_ctx_signal_add, default               \
             : shmem_signal_add)(__VA_ARGS__)

/* Deprecated; without a context. */
#define HLRC_SHMEM_OLD_INTS_(POST, ...) \
    HLRC_SHMEM_FIRST_BY_(HLRC_SHMEM_AMO_PLAIN_, POST, __VA_ARGS__)
#define HLRC_SHMEM_OLD_REALS_(POST, ...) \
    HLRC_SHMEM_FIRST_BY_(HLRC_SHMEM_EXTENDED_, POST, __VA_ARGS__)
#define shmem_add(...)   HLRC_SHMEM_OLD_INTS_(_add, __VA_ARGS__)
#define shmem_inc(...)   HLRC_SHMEM_OLD_INTS_(_inc, __VA_ARGS__)
#define shmem_fadd(...)  HLRC_SHMEM_OLD_INTS_(_fadd, __VA_ARGS__)
#define shmem_finc(...)  HLRC_SHMEM_OLD_INTS_(_finc, __VA_ARGS__)
#define shmem_cswap(...) HLRC_SHMEM_OLD_INTS_(_cswap, __VA_ARGS__)
#define shmem_fetch(...) HLRC_SHMEM_OLD_REALS_(_fetch, __VA_ARGS__)
#define shmem_set(...)   HLRC_SHMEM_OLD_REALS_(_set, __VA_ARGS__)
#define shmem_swap(...)  HLRC_SHMEM_OLD_REALS_(_swap, __VA_ARGS__)
#define shmem_wait(...)  HLRC_SHMEM_WORDS_(_wait, __VA_ARGS__)

/* With a team, or with an active set. */
#define shmem_sync(...)                                     \
    _Generic((HLRC_SHMEM_FIRST_(__VA_ARGS__)), shmem_team_t \
             : shmem_team_sync, default                     \
             : shmem_sync)(__VA_ARGS__)

#endif
