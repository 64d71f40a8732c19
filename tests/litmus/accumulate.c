/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Windows (hlrc/rma), hlrc_acc: what all threads of all nodes accumulate into the same values is
 * there, once for each time (accumulate.c), in a list that names a place twice, too, by calls that
 * begin as well. All sums are of whole numbers, small enough to be exact in any order.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("windows, accumulate", 1, 2, 3, 5)

#define THREADS 2
#define COUNT   5000u   /* of values: more than a block of them */
#define BLOCK   16384u  /* of accumulate.c */
#define AREA    131072u /* of a window, for each part of the test */
#define ROUNDS  6
#define LISTED  100

static unsigned char *window;
static volatile double *shared;

static unsigned char *area(int k)
{
    return window + (size_t)k * AREA;
}

/* The last node's is where all accumulate. */
static int at(void)
{
    return nodes - 1;
}

static int value(int node, int thread, size_t i)
{
    return (int)((i * 7 + (size_t)(node * 3 + thread)) % 11) - 4;
}

static long sum_of(size_t i)
{
    long sum = 0;
    for (int n = 0; n < nodes; n++)
        for (int t = 0; t < THREADS; t++)
            sum += value(n, t, i);
    return sum;
}

/* ---- sums of each type, with a scale ---- */

#define SUM(T, type, k)                                                                         \
    do {                                                                                        \
        static _Thread_local T mine[COUNT];                                                     \
        const T by = (k) + 1;                                                                   \
        for (size_t i = 0; i < COUNT; i++)                                                      \
            mine[i] = (T)value(me, thread, i);                                                  \
        for (int r = 0; r < ROUNDS; r++)                                                        \
            expect(hlrc_acc(area(k) + BLOCK - 40, mine, r & 1 ? 3 : COUNT, type, HLRC_SUM, &by, \
                            at()) == 0,                                                         \
                   "hlrc_acc, " #type);                                                         \
    } while (0)
#define CHECK_SUM(T, type, k)                                                                 \
    for (size_t i = 0; i < COUNT; i++) {                                                      \
        T got, want = (T)(sum_of(i) * ((k) + 1) * (ROUNDS / 2) * (i < 3 ? 2 : 1));            \
        hlrc_get(&got, area(k) + BLOCK - 40 + i * sizeof got, sizeof got, at());              \
        expect(got == want, #type ", value %zu is %g, not %g", i, (double)got, (double)want); \
    }
#define EACH_TYPE(X)            \
    X(int32_t, HLRC_INT32, 0)   \
    X(uint32_t, HLRC_UINT32, 1) \
    X(int64_t, HLRC_INT64, 2)   \
    X(uint64_t, HLRC_UINT64, 3) \
    X(float, HLRC_FLOAT, 4)     \
    X(double, HLRC_DOUBLE, 5)

/* One after the other, so that threads and nodes are at different types at a time. */
static void sums(int thread)
{
#define X(T, type, k) SUM(T, type, k);
    EACH_TYPE(X)
#undef X
}

/* ---- complex numbers ---- */

/* (re + im i) times (2 - 3 i), where a number lies in two blocks. */
#define COMPLEX(T, type, k)                                                                        \
    do {                                                                                           \
        static _Thread_local T mine[COUNT][2];                                                     \
        const T by[2] = { 2, -3 };                                                                 \
        for (size_t i = 0; i < COUNT; i++) {                                                       \
            mine[i][0] = (T)value(me, thread, i);                                                  \
            mine[i][1] = (T)value(me, thread, i + 1);                                              \
        }                                                                                          \
        expect(hlrc_acc(area(k) + BLOCK - 5 * sizeof(T), mine, COUNT, type, HLRC_SUM, by, at()) == \
                   0,                                                                              \
               "hlrc_acc, " #type);                                                                \
    } while (0)
#define CHECK_COMPLEX(T, type, k)                                                          \
    for (size_t i = 0; i < COUNT; i++) {                                                   \
        T got[2], re = (T)sum_of(i), im = (T)sum_of(i + 1);                                \
        hlrc_get(got, area(k) + BLOCK - 5 * sizeof(T) + i * sizeof got, sizeof got, at()); \
        expect(got[0] == 2 * re + 3 * im && got[1] == 2 * im - 3 * re,                     \
               #type ", value %zu is %g + %g i", i, (double)got[0], (double)got[1]);       \
    }

static void complex_sums(int thread)
{
    COMPLEX(float, HLRC_COMPLEX_FLOAT, 6);
    COMPLEX(double, HLRC_COMPLEX_DOUBLE, 7);
}

/* ---- other operations ---- */

static const struct {
    hlrc_op op;
    uint64_t before;
} others[] = { { HLRC_MIN, UINT64_MAX },
               { HLRC_MAX, 0 },
               { HLRC_AND, UINT64_MAX },
               { HLRC_OR, 0 },
               { HLRC_XOR, 5 } };
#define OTHERS (sizeof others / sizeof others[0])
#define FEW    600u

static uint64_t bits(int node, size_t i)
{
    return (i + 1) * UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(node + 1) ^ (uint64_t)node << 60;
}

static uint64_t combined(hlrc_op op, uint64_t a, uint64_t b)
{
    return op == HLRC_MIN   ? (b < a ? b : a)
           : op == HLRC_MAX ? (b > a ? b : a)
           : op == HLRC_AND ? (a & b)
           : op == HLRC_OR  ? (a | b)
                            : a ^ b;
}

static void other_operations(void)
{
    static uint64_t mine[FEW], got[FEW];
    for (size_t k = 0; k < OTHERS; k++) {
        uint64_t *there = (uint64_t *)(void *)area(8) + k * FEW;
        for (size_t i = 0; i < FEW; i++) {
            there[i] = others[k].before;
            mine[i] = bits(me, i);
        }
        hlrc_barrier();
        expect(hlrc_acc(there, mine, FEW, HLRC_UINT64, others[k].op, NULL, at()) == 0, "hlrc_acc");
        hlrc_barrier();
        hlrc_get(got, there, sizeof got, at());
        for (size_t i = 0; i < FEW; i++) {
            uint64_t want = others[k].before;
            for (int n = 0; n < nodes; n++)
                want = combined(others[k].op, want, bits(n, i));
            expect(got[i] == want, "operation %d, value %zu: %jx, not %jx", (int)others[k].op, i,
                   (uintmax_t)got[i], (uintmax_t)want);
        }
    }
}

/* ---- pieces ---- */

/* A column of 80 pieces of three, every second one to the same place; and a list that names each
 * place three times, from memory that another node has written. */
static void pieces(int thread)
{
    static _Thread_local int32_t column[80][3];
    const size_t counts[] = { 12, 2, 40 }, far[] = { 0, 500 }, near[] = { 12, 24 };
    const int32_t by = 5;
    for (size_t i = 0; i < 80; i++)
        for (int k = 0; k < 3; k++)
            column[i][k] = value(me, thread, i);
    expect(hlrc_acc_strided(area(9) + 4, far, column, near, counts, 2, HLRC_INT32, HLRC_SUM, &by,
                            at()) == 0,
           "hlrc_acc_strided");
    void *there[3 * LISTED];
    const void *here[3 * LISTED];
    for (size_t i = 0; i < (size_t)3 * LISTED; i++) {
        there[i] = area(10) + i % LISTED * 320;
        here[i] =
            (const void *)(uintptr_t)&shared[(size_t)((me + 1) % nodes) * LISTED + i % LISTED];
    }
    expect(hlrc_acc_vector(there, here, (size_t)3 * LISTED, 8, HLRC_DOUBLE, HLRC_SUM, NULL, at()) ==
               0,
           "hlrc_acc_vector");
}

static void check_pieces(void)
{
    for (size_t i = 0; i < 40; i++) {
        int32_t got[4];
        hlrc_get(got, area(9) + 4 + i * 500, sizeof got, at());
        long want = 5 * (sum_of(2 * i) + sum_of(2 * i + 1));
        expect(got[0] == want && got[1] == want && got[2] == want && got[3] == 0,
               "column, row %zu: %d %d %d %d, not %ld", i, got[0], got[1], got[2], got[3], want);
    }
    for (size_t i = 0; i < LISTED; i++) {
        double got, want = 0;
        for (int n = 0; n < nodes; n++)
            want += 3 * THREADS * value(n, 0, i);
        hlrc_get(&got, area(10) + i * 320, sizeof got, at());
        expect(got == want, "list, place %zu: %g, not %g", i, got, want);
    }
}

/* ---- calls that begin ---- */

/* Over what calls have left on the stack. */
static __attribute__((noinline)) void scribble(void)
{
    volatile unsigned char junk[65536];
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = 0x77;
}

/* All threads of all nodes, each some under way at once: the source is overwritten when the call
 * has returned, and so is the stack. */
static void begun(int thread)
{
    static _Thread_local uint64_t mine[COUNT];
    const size_t counts[] = { 8, 100 }, far = 24, near = 16;
    hlrc_handle_t handle[3];
    for (int r = 0; r < ROUNDS; r++) {
        void *there[LISTED];
        const void *here[LISTED];
        for (size_t i = 0; i < COUNT; i++)
            mine[i] = (uint64_t)value(me, thread, i);
        expect(hlrc_acc_nb(area(11) + BLOCK - 40, mine, COUNT, HLRC_UINT64, HLRC_SUM, NULL, at(),
                           &handle[0]) == 0,
               "hlrc_acc_nb");
        expect(hlrc_acc_strided_nb(area(12), &far, mine, &near, counts, 1, HLRC_UINT64, HLRC_SUM,
                                   NULL, at(), r & 1 ? NULL : &handle[1]) == 0,
               "hlrc_acc_strided_nb");
        for (size_t i = 0; i < LISTED; i++) {
            there[i] = area(12) + 8 + i % 10 * 24;
            here[i] = &mine[i];
        }
        expect(hlrc_acc_vector_nb(there, here, LISTED, 8, HLRC_UINT64, HLRC_SUM, NULL, at(),
                                  &handle[2]) == 0,
               "hlrc_acc_vector_nb");
        memset(mine, 0x77, sizeof mine);
        scribble();
        while (!hlrc_test(handle[2]))
            ;
        if (!(r & 1))
            hlrc_wait(handle[1]);
        hlrc_wait(handle[0]);
    }
    hlrc_fence(at());
}

static void check_begun(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t got, want = (uint64_t)(sum_of(i) * ROUNDS);
        hlrc_get(&got, area(11) + BLOCK - 40 + i * 8, 8, at());
        expect(got == want, "begun, value %zu is %jd, not %jd", i, (intmax_t)got, (intmax_t)want);
    }
    for (size_t i = 0; i < 100; i++) {
        uint64_t got[3], want[3] = { (uint64_t)(sum_of(2 * i) * ROUNDS), 0, 0 };
        for (size_t k = i; i < 10 && k < LISTED; k += 10)
            want[1] += (uint64_t)(sum_of(k) * ROUNDS);
        hlrc_get(got, area(12) + i * 24, sizeof got, at());
        expect(memcmp(got, want, sizeof got) == 0, "begun, row %zu: %jd %jd %jd", i,
               (intmax_t)got[0], (intmax_t)got[1], (intmax_t)got[2]);
    }
}

/* A node that has begun and does nothing more holds nobody up. */
static void begun_and_left(void)
{
    uint64_t one = 1, got;
    for (int turn = 0; turn < nodes; turn++) {
        if (turn == me)
            expect(hlrc_acc_nb(area(13), &one, 1, HLRC_UINT64, HLRC_SUM, NULL, at(), NULL) == 0,
                   "hlrc_acc_nb");
        hlrc_barrier(); /* is no fence */
        expect(hlrc_acc(area(13) + 8, &one, 1, HLRC_UINT64, HLRC_SUM, NULL, at()) == 0, "hlrc_acc");
    }
    hlrc_fence(at());
    hlrc_barrier();
    for (size_t i = 0; i < 2; i++) {
        hlrc_get(&got, area(13) + 8 * i, 8, at());
        expect(got == (uint64_t)(i ? nodes * nodes : nodes), "left, value %zu: %ju", i,
               (uintmax_t)got);
    }
}

static void refusals(void)
{
    hlrc_handle_t handle = { 77 };
    double one[2] = { 1, 1 };
    void *there[] = { window, window + 4 };
    const void *here[] = { one, one };
    const size_t counts[] = { 8, 2 }, far = 12, near = 8;
    expect(hlrc_acc(window, one, 1, HLRC_DOUBLE, HLRC_XOR, NULL, 0) == -EINVAL, "bits of a double");
    expect(hlrc_acc(window, one, 1, HLRC_DOUBLE, HLRC_MAX, one, 0) == -EINVAL, "a scaled maximum");
    expect(hlrc_acc(window, one, 1, HLRC_COMPLEX_FLOAT, HLRC_MAX, NULL, 0) == -EINVAL, "complex");
    expect(hlrc_acc(window + 4, one, 1, HLRC_COMPLEX_DOUBLE, HLRC_SUM, NULL, 0) == -EINVAL,
           "not aligned");
    expect(hlrc_acc_strided(window, &far, one, &near, counts, 1, HLRC_DOUBLE, HLRC_SUM, NULL, 0) ==
               -EINVAL,
           "a stride that is not aligned");
    expect(hlrc_acc_strided(window, &near, one, &near, counts, 1, HLRC_COMPLEX_DOUBLE, HLRC_SUM,
                            NULL, 0) == -EINVAL,
           "half a value");
    expect(hlrc_acc_vector(there, here, 2, 8, HLRC_DOUBLE, HLRC_SUM, NULL, 0) == -EINVAL,
           "one of a list that is not aligned");
    expect(hlrc_acc_nb(window, one, 1, HLRC_DOUBLE, HLRC_XOR, NULL, 0, &handle) == -EINVAL &&
               hlrc_acc_strided_nb(window, &far, one, &near, counts, 1, HLRC_DOUBLE, HLRC_SUM, NULL,
                                   0, &handle) == -EINVAL &&
               hlrc_acc_vector_nb(there, here, 2, 8, HLRC_DOUBLE, HLRC_SUM, NULL, 0, &handle) ==
                   -EINVAL &&
               handle.id == 77,
           "calls that begin");
    expect(hlrc_acc_nb(window, one, 0, HLRC_DOUBLE, HLRC_SUM, NULL, 0, &handle) == 0, "nothing");
    hlrc_wait(handle);
    expect(hlrc_acc(window, one, 0, HLRC_DOUBLE, HLRC_SUM, NULL, 0) == 0, "nothing");
    double got;
    hlrc_get(&got, window, sizeof got, 0);
    expect(got == 0, "something was accumulated: %g", got);
    expect(hlrc_reduce(one, &got, 1, HLRC_COMPLEX_FLOAT, HLRC_SUM) == -EINVAL,
           "a complex reduction");
}

void litmus_run(void)
{
    window = hlrc_window_create((size_t)14 * AREA);
    expect(window != NULL, "hlrc_window_create");
    shared = (volatile double *)(void *)(uintptr_t)shared_words((uint64_t)nodes * LISTED);
    for (size_t i = 0; i < LISTED; i++)
        shared[(size_t)me * LISTED + i] = value(me, 0, i);
    hlrc_barrier();
    if (me == 0)
        refusals();
    hlrc_barrier();
    in_threads(THREADS, sums);
    in_threads(THREADS, complex_sums);
    in_threads(THREADS, pieces);
    in_threads(THREADS, begun);
    hlrc_barrier();
#define X(T, type, k) CHECK_SUM(T, type, k)
    EACH_TYPE(X)
#undef X
    CHECK_COMPLEX(float, HLRC_COMPLEX_FLOAT, 6)
    CHECK_COMPLEX(double, HLRC_COMPLEX_DOUBLE, 7)
    check_pieces();
    check_begun();
    begun_and_left();
    other_operations();
}
