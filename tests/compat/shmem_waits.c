/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Waits for and tests of several words, for each type: which indices they return, compared with C's
 * own comparisons of that type. Prints "right".
 *
 * Words and values are drawn from the ends and the middle of the type. A call that would block is
 * left out; that one returns when a word changes is looked at with other PEs, at the end.
 */
#include <stdint.h>

#include <shmem.h>
#include <string.h>

#include "tests/compat/right.h"

#define WORDS  12
#define ROUNDS 250
#define GAP    2 /* words behind those of a call, which it must not look at */

static uint32_t seed = 1;

static unsigned draw(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* For a call: which words count and hold, and how many. */
struct wanted {
    size_t nelems, count, holding;
    int holds[WORDS];
};

static void index_right(const struct wanted *w, size_t i)
{
    if (w->holding == 0)
        RIGHT(i == SIZE_MAX);
    else
        RIGHT(i < w->nelems && w->holds[i]);
}

static void indices_right(const struct wanted *w, size_t got, const size_t *indices)
{
    int seen[WORDS] = { 0 };
    RIGHT(got == w->holding);
    for (size_t k = 0; k < got; k++) {
        RIGHT(indices[k] < w->nelems && w->holds[indices[k]] && !seen[indices[k]]);
        seen[indices[k]] = 1;
    }
    RIGHT(indices[got] == 4711); /* no more are written */
}

static const size_t *clear(size_t *indices)
{
    for (size_t k = 0; k <= WORDS; k++)
        indices[k] = 4711;
    return indices;
}

static int compare_less(int less, int same, int cmp)
{
    return cmp == SHMEM_CMP_EQ   ? same
           : cmp == SHMEM_CMP_NE ? !same
           : cmp == SHMEM_CMP_GT ? !less && !same
           : cmp == SHMEM_CMP_LE ? less || same
           : cmp == SHMEM_CMP_LT ? less
                                 : !less;
}

/* The calls of one shape: with one value for all words, or with one for each. */
#define CALLS(N, POST, VALUES)                                                                     \
    do {                                                                                           \
        (void)clear(indices);                                                                      \
        RIGHT(shmem_##N##_test_all##POST(words, w.nelems, status, cmp, VALUES) ==                  \
              (w.holding == w.count));                                                             \
        index_right(&w, shmem_##N##_test_any##POST(words, w.nelems, status, cmp, VALUES));         \
        indices_right(&w,                                                                          \
                      shmem_##N##_test_some##POST(words, w.nelems, indices, status, cmp, VALUES),  \
                      indices);                                                                    \
        if (w.holding > 0 || w.count == 0) {                                                       \
            (void)clear(indices);                                                                  \
            index_right(&w,                                                                        \
                        shmem_##N##_wait_until_any##POST(words, w.nelems, status, cmp, VALUES));   \
            indices_right(&w,                                                                      \
                          shmem_##N##_wait_until_some##POST(words, w.nelems, indices, status, cmp, \
                                                            VALUES),                               \
                          indices);                                                                \
        }                                                                                          \
        if (w.holding == w.count)                                                                  \
            shmem_##N##_wait_until_all##POST(words, w.nelems, status, cmp, VALUES);                \
    } while (0)

#define TYPE(T, N, ...)                                                                     \
    static T value_##N(void)                                                                \
    {                                                                                       \
        const T top = (T)((T)-1 < (T)1 ? (UINT64_MAX >> (65 - 8 * sizeof(T)))               \
                                       : (UINT64_MAX >> (64 - 8 * sizeof(T))));             \
        const T values[] = { 0, 1, (T)-1, top, (T)(top - 1), (T)(-top - 1), (T)(top / 2) }; \
        return values[draw(3) ? draw(3) : draw(7)];                                         \
    }                                                                                       \
    static void round_##N(int vector, int all)                                              \
    {                                                                                       \
        static T words[WORDS + GAP];                                                        \
        T values[WORDS + GAP];                                                              \
        int states[WORDS + GAP], *status = draw(4) ? states : NULL, cmp = (int)draw(6);     \
        size_t indices[WORDS + 1];                                                          \
        struct wanted w = { .nelems = draw(WORDS + 1) };                                    \
        for (int i = 0; i < WORDS + GAP; i++) {                                             \
            words[i] = value_##N();                                                         \
            values[i] = vector ? value_##N() : i == 0 ? value_##N() : values[0];            \
            states[i] = all ? 1 + (int)draw(3) : draw(3) ? 0 : draw(2) ? -1 : 256;          \
        }                                                                                   \
        for (size_t i = 0; i < w.nelems; i++) {                                             \
            T a = words[i], b = values[vector ? i : 0];                                     \
            int counts = !status || status[i] == 0;                                         \
            w.holds[i] = counts && compare_less(a < b, a == b, cmp);                        \
            w.count += (size_t)counts;                                                      \
            w.holding += (size_t)w.holds[i];                                                \
        }                                                                                   \
        if (vector)                                                                         \
            CALLS(N, _vector, values);                                                      \
        else                                                                                \
            CALLS(N, , values[0]);                                                          \
        RIGHT(shmem_##N##_test(&words[0], cmp, values[0]) ==                                \
              compare_less(words[0] < values[0], words[0] == values[0], cmp));              \
    }                                                                                       \
    static void fair_##N(void)                                                              \
    {                                                                                       \
        static T many[WORDS], few[2], one[1];                                               \
        int status[WORDS] = { 0 }, seen[WORDS] = { 0 }, seen_few[2] = { 0 };                \
        status[3] = status[WORDS - 1] = 1;                                                  \
        for (int turn = 0; turn < 60 * WORDS; turn++) {                                     \
            size_t i = shmem_##N##_wait_until_any(many, WORDS, status, SHMEM_CMP_EQ, 0);    \
            RIGHT(i < WORDS && !status[i]);                                                 \
            seen[i] = 1;                                                                    \
            RIGHT(shmem_##N##_test_any(one, 1, NULL, SHMEM_CMP_EQ, 0) == 0);                \
            i = shmem_##N##_test_any(few, 2, NULL, SHMEM_CMP_LE, 0);                        \
            RIGHT(i < 2);                                                                   \
            seen_few[i] = 1;                                                                \
        }                                                                                   \
        for (int i = 0; i < WORDS; i++)                                                     \
            RIGHT(seen[i] != status[i]);                                                    \
        RIGHT(seen_few[0] && seen_few[1]);                                                  \
    }                                                                                       \
    static void all_##N(void)                                                               \
    {                                                                                       \
        for (int i = 0; i < ROUNDS; i++)                                                    \
            round_##N(i % 2, i % 10 >= 8);                                                  \
        fair_##N();                                                                         \
    }
HLRC_SHMEM_WAIT_(TYPE, )

#define RUN(T, N, ...) all_##N();

/* Each PE changes one word of every other in turn; each wait returns exactly the index that has
 * changed, and never one that is excluded. */
static void changed_by_others(void)
{
    static long words[32];
    int status[32] = { 0 };
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) { /* who writes */
        if (me == pe)
            for (int to = 0; to < n; to++)
                shmem_long_p(&words[pe], -3, to);
        size_t i = shmem_long_wait_until_any(words, 32, status, SHMEM_CMP_LT, 0);
        RIGHT(i == (size_t)pe && words[i] == -3);
        status[i] = 1;
        RIGHT(shmem_long_test_any(words, 32, status, SHMEM_CMP_LT, 0) == SIZE_MAX);
        shmem_barrier_all();
    }
    shmem_long_wait_until_all(words, (size_t)n, NULL, SHMEM_CMP_EQ, -3);
    shmem_barrier_all();
}

/* The last word that is waited for comes last, and is waited for. */
static void last_one_late(void)
{
    static uint64_t words[WORDS];
    uint64_t values[WORDS];
    size_t indices[WORDS];
    for (uint64_t i = 0; i < WORDS; i++)
        values[i] = i + 1;
    shmem_barrier_all();
    for (int i = 0; i < WORDS; i++) {
        for (int to = 0; to < n && i % n == me; to++)
            shmem_uint64_p(&words[i], values[i], to);
        shmem_barrier_all();
        if (i == WORDS - 1)
            break;
        RIGHT(!shmem_uint64_test_all_vector(words, WORDS, NULL, SHMEM_CMP_EQ, values));
        RIGHT(shmem_uint64_test_some_vector(words, WORDS, indices, NULL, SHMEM_CMP_EQ, values) ==
              (size_t)i + 1);
        shmem_barrier_all();
    }
    shmem_uint64_wait_until_all_vector(words, WORDS, NULL, SHMEM_CMP_EQ, values);
    RIGHT(shmem_uint64_test_all_vector(words, WORDS, NULL, SHMEM_CMP_EQ, values));
    shmem_barrier_all();
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    HLRC_SHMEM_WAIT_(RUN, )
    changed_by_others();
    last_one_late();
    if (me == 0)
        puts("right");
    shmem_finalize();
    return 0;
}
