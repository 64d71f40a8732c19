/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wait.c - waits for and tests of words of this PE's memory that other PEs put or change, by plain
 * loads. Data put before a word is visible after it. */
#include "compat/shmem/inner.h"

/* The words of a call, of 2, 4 or 8 bytes, compared with one value each, or with one for all. */
struct wait_words {
    const void *at;
    size_t size, nelems;
    const int *status; /* NULL, or nonzero for words to skip */
    int cmp;
    const void *values;
    bool vector, has_sign;
};

/* Converts to an order-preserving unsigned number: flips the sign bit of signed ones. */
static uint64_t wait_number(const struct wait_words *w, const void *at)
{
    if (w->size == 2) {
        uint16_t v = __atomic_load_n((const uint16_t *)at, __ATOMIC_ACQUIRE);
        return w->has_sign ? v ^ UINT32_C(0x8000) : v;
    }
    if (w->size == 4) {
        uint32_t v = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
        return w->has_sign ? v ^ UINT32_C(0x80000000) : v;
    }
    uint64_t v = __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
    return w->has_sign ? v ^ UINT64_C(0x8000000000000000) : v;
}

static bool wait_holds(const struct wait_words *w, size_t i)
{
    uint64_t a = wait_number(w, (const char *)w->at + i * w->size),
             b = wait_number(w, (const char *)w->values + (w->vector ? i * w->size : 0));
    switch (w->cmp) {
    case SHMEM_CMP_EQ:
        return a == b;
    case SHMEM_CMP_NE:
        return a != b;
    case SHMEM_CMP_GT:
        return a > b;
    case SHMEM_CMP_LE:
        return a <= b;
    case SHMEM_CMP_LT:
        return a < b;
    case SHMEM_CMP_GE:
        return a >= b;
    default:
        fail_job(
            "shmem_wait_until: unknown comparison %d; pass SHMEM_CMP_EQ, 0, to SHMEM_CMP_GE, 5",
            w->cmp);
    }
}

static bool wait_counts(const struct wait_words *w, size_t i)
{
    return !w->status || w->status[i] == 0;
}

static bool wait_none(const struct wait_words *w)
{
    size_t i = 0;
    while (i < w->nelems && !wait_counts(w, i))
        i++;
    return i == w->nelems;
}

static bool wait_test_all(const struct wait_words *w)
{
    for (size_t i = 0; i < w->nelems; i++)
        if (wait_counts(w, i) && !wait_holds(w, i))
            return false;
    return true;
}

/* Knuth's generator, per thread; the upper half of its bits. */
static size_t wait_index_draw(size_t nelems)
{
    static _Thread_local uint64_t state __attribute__((tls_model("initial-exec")));
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state >> 32) % nelems;
}

static size_t wait_test_any(const struct wait_words *w)
{
    size_t begin = w->nelems > 1 ? wait_index_draw(w->nelems) : 0;
    for (size_t k = 0; k < w->nelems; k++) {
        size_t i = (begin + k) % w->nelems;
        if (wait_counts(w, i) && wait_holds(w, i))
            return i;
    }
    return SIZE_MAX;
}

static size_t wait_test_some(const struct wait_words *w, size_t *indices)
{
    size_t n = 0;
    for (size_t i = 0; i < w->nelems; i++)
        if (wait_counts(w, i) && wait_holds(w, i))
            indices[n++] = i;
    return n;
}

static void wait_all(const struct wait_words *w)
{
    unsigned tries = 0;
    for (size_t i = 0; i < w->nelems; i++)
        while (wait_counts(w, i) && !wait_holds(w, i))
            inner_sh_pause(&tries);
}

static size_t wait_any(const struct wait_words *w)
{
    unsigned tries = 0;
    size_t i;
    if (wait_none(w))
        return SIZE_MAX;
    while ((i = wait_test_any(w)) == SIZE_MAX)
        inner_sh_pause(&tries);
    return i;
}

static size_t wait_some(const struct wait_words *w, size_t *indices)
{
    unsigned tries = 0;
    size_t n;
    if (wait_none(w))
        return 0;
    while ((n = wait_test_some(w, indices)) == 0)
        inner_sh_pause(&tries);
    return n;
}

static struct wait_words wait_words_of(const void *at, size_t size, bool has_sign, size_t nelems,
                                       const int *status, int cmp, const void *values, bool vector)
{
    inner_sh_check("shmem_wait_until");
    return (struct wait_words){ at, size, nelems, status, cmp, values, vector, has_sign };
}

/* One value for all, or one for each. */
#define EACH_CALL(TYPE, NAME, T, VALUES, VECTOR, PARAMETERS, ...)                               \
    TYPE shmem_##NAME PARAMETERS                                                                \
    {                                                                                           \
        struct wait_words w =                                                                   \
            wait_words_of(ivars, sizeof(T), (T)-1 < (T)1, nelems, status, cmp, VALUES, VECTOR); \
        __VA_ARGS__;                                                                            \
    }
#define EACH(T, N, POST, VALUE, ...)                                                              \
    EACH_CALL(void, N##_wait_until_all##POST, T, __VA_ARGS__,                                     \
              (T * ivars, size_t nelems, const int *status, int cmp, VALUE), wait_all(&w))        \
    EACH_CALL(size_t, N##_wait_until_any##POST, T, __VA_ARGS__,                                   \
              (T * ivars, size_t nelems, const int *status, int cmp, VALUE), return wait_any(&w)) \
    EACH_CALL(size_t, N##_wait_until_some##POST, T, __VA_ARGS__,                                  \
              (T * ivars, size_t nelems, size_t * indices, const int *status, int cmp, VALUE),    \
              return wait_some(&w, indices))                                                      \
    EACH_CALL(int, N##_test_all##POST, T, __VA_ARGS__,                                            \
              (T * ivars, size_t nelems, const int *status, int cmp, VALUE),                      \
              return wait_test_all(&w))                                                           \
    EACH_CALL(size_t, N##_test_any##POST, T, __VA_ARGS__,                                         \
              (T * ivars, size_t nelems, const int *status, int cmp, VALUE),                      \
              return wait_test_any(&w))                                                           \
    EACH_CALL(size_t, N##_test_some##POST, T, __VA_ARGS__,                                        \
              (T * ivars, size_t nelems, size_t * indices, const int *status, int cmp, VALUE),    \
              return wait_test_some(&w, indices))

#define WAITS(T, N, ...)                                            \
    EACH(T, N, , T cmp_value, &cmp_value, false)                    \
    EACH(T, N, _vector, T *cmp_values, cmp_values, true)            \
    void shmem_##N##_wait_until(T *ivar, int cmp, T cmp_value)      \
    {                                                               \
        shmem_##N##_wait_until_all(ivar, 1, NULL, cmp, cmp_value);  \
    }                                                               \
    int shmem_##N##_test(T *ivar, int cmp, T cmp_value)             \
    {                                                               \
        return shmem_##N##_test_all(ivar, 1, NULL, cmp, cmp_value); \
    }
HLRC_SHMEM_WAIT_(WAITS, )

#define OLD(T, N, ...)                                         \
    void shmem_##N##_wait(T *ivar, T cmp_value)                \
    {                                                          \
        shmem_##N##_wait_until(ivar, SHMEM_CMP_NE, cmp_value); \
    }
HLRC_SHMEM_WAIT_(OLD, )

/* In parentheses: shmem_generic.h has macros by these names. */
void(shmem_wait)(long *ivar, long cmp_value)
{
    shmem_long_wait(ivar, cmp_value);
}

void(shmem_wait_until)(long *ivar, int cmp, long cmp_value)
{
    shmem_long_wait_until(ivar, cmp, cmp_value);
}

uint64_t shmem_signal_fetch(const uint64_t *sig_addr)
{
    inner_sh_check("shmem_signal_fetch");
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

uint64_t shmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
    struct wait_words w =
        wait_words_of(sig_addr, sizeof *sig_addr, false, 1, NULL, cmp, &cmp_value, false);
    unsigned tries = 0;
    for (;;) { /* returns the value that was compared */
        uint64_t seen = shmem_signal_fetch(sig_addr);
        w.at = &seen;
        if (wait_holds(&w, 0))
            return seen;
        inner_sh_pause(&tries);
    }
}
