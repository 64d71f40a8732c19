/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 11, values of all nodes made one (hlrc/sync/reduce.c, parcel.h): compared with what each
 * node works out alone, in the order of nodes, for every type and operation, for lengths around
 * those of a parcel, one call right behind the other; and memory is ordered as by a barrier.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <string.h>

LITMUS("rule 11, hlrc_reduce", 1, 2, 3, 18) /* more than 16 meet at node 0 */

#define MOST   3000
#define ROUNDS 30

/* what is announced was written: a copy that was read stays as it is until then */
LITMUS_SET(HOT_PAGES, "0")
LITMUS_SET(EXCLUSIVE_PAGES, "off")

static const hlrc_type types[] = { HLRC_INT32,  HLRC_UINT32, HLRC_INT64,
                                   HLRC_UINT64, HLRC_FLOAT,  HLRC_DOUBLE };
static union {
    int32_t i32[MOST];
    uint32_t u32[MOST];
    int64_t i64[MOST];
    uint64_t u64[MOST];
    float f[MOST];
    double d[MOST];
} in, out, sum;

static uint64_t random_of(uint64_t seed, int node, size_t i)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15 + (uint64_t)node * 0xbf58476d1ce4e5b9 + i;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static size_t size_of(hlrc_type type)
{
    return type == HLRC_INT32 || type == HLRC_UINT32 || type == HLRC_FLOAT ? 4 : 8;
}

/* Value i of a node. Of the rounded types it has many magnitudes, so that the order is seen. */
static void fill(void *at, hlrc_type type, size_t i, int node, uint64_t seed)
{
    uint64_t z = random_of(seed, node, i);
    double real = ((double)(z >> 12) / (double)(1ull << 51) - 1) * (double)(1ull << (z & 31));
    float single = (float)real;
    uint32_t word = (uint32_t)z;
    if (type == HLRC_DOUBLE)
        memcpy(at, &real, 8);
    else if (type == HLRC_FLOAT)
        memcpy(at, &single, 4);
    else if (size_of(type) == 8)
        memcpy(at, &z, 8);
    else
        memcpy(at, &word, 4);
}

#define COMBINED(a, b)                              \
    (op == HLRC_SUM       ? (a) + (b)               \
     : op == HLRC_PRODUCT ? (a) * (b)               \
     : op == HLRC_MIN     ? ((b) < (a) ? (b) : (a)) \
                          : ((b) > (a) ? (b) : (a)))
#define BITS(a, b) (op == HLRC_AND ? (a) & (b) : op == HLRC_OR ? (a) | (b) : (a) ^ (b))

/* One more node's values; those with a sign wrap as the others do. */
static void combine(hlrc_type type, hlrc_op op, size_t i, int node, uint64_t seed)
{
    fill((char *)&in + i * size_of(type), type, i, node, seed);
    bool bits = op >= HLRC_AND, order = op == HLRC_MIN || op == HLRC_MAX;
    switch (type) {
    case HLRC_FLOAT:
        sum.f[i] = COMBINED(sum.f[i], in.f[i]);
        return;
    case HLRC_DOUBLE:
        sum.d[i] = COMBINED(sum.d[i], in.d[i]);
        return;
    case HLRC_INT32:
        if (order) {
            sum.i32[i] = COMBINED(sum.i32[i], in.i32[i]);
            return;
        }
        /* fall through */
    case HLRC_UINT32:
        sum.u32[i] = bits ? BITS(sum.u32[i], in.u32[i]) : COMBINED(sum.u32[i], in.u32[i]);
        return;
    case HLRC_INT64:
        if (order) {
            sum.i64[i] = COMBINED(sum.i64[i], in.i64[i]);
            return;
        }
        /* fall through */
    case HLRC_UINT64:
        sum.u64[i] = bits ? BITS(sum.u64[i], in.u64[i]) : COMBINED(sum.u64[i], in.u64[i]);
        return;
    default:
        return;
    }
}

static void expected(hlrc_type type, hlrc_op op, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        fill((char *)&sum + i * size_of(type), type, i, 0, seed);
        for (int node = 1; node < nodes; node++)
            combine(type, op, i, node, seed);
    }
}

static void check(hlrc_type type, hlrc_op op, size_t count, uint64_t seed, bool in_place)
{
    size_t bytes = count * size_of(type);
    expected(type, op, count, seed);
    for (size_t i = 0; i < count; i++)
        fill((char *)&in + i * size_of(type), type, i, me, seed);
    memset(&out, 0xee, sizeof out);
    void *to = in_place ? (void *)&in : (void *)&out;
    expect(hlrc_reduce(&in, to, count, type, op) == 0, "hlrc_reduce");
    expect(memcmp(to, &sum, bytes) == 0, "%zu values of type %d combined by %d are wrong", count,
           (int)type, (int)op);
    if (!in_place)
        expect(((unsigned char *)&out)[bytes] == 0xee, "a byte behind the values has changed");
}

static void values(void)
{
    static const size_t counts[] = { 1, 2, 123, 124, 125, 249, MOST - 1 };
    uint64_t seed = 1;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (hlrc_op op = HLRC_SUM; op <= HLRC_XOR; op++) {
            bool known = op < HLRC_AND || types[t] < HLRC_FLOAT;
            size_t count = counts[(t + op) % 7];
            if (known)
                check(types[t], op, count, seed++, op % 2 != 0);
            else
                expect(hlrc_reduce(&in, &out, 1, types[t], op) == -EINVAL, "bits of a float");
        }
    expect(hlrc_reduce(&in, &out, 1, (hlrc_type)6, HLRC_SUM) == -EINVAL, "an unknown type");
    expect(hlrc_reduce(&in, &out, 1, HLRC_INT32, (hlrc_op)7) == -EINVAL, "an unknown operation");
}

/* Nothing but these calls keeps a fast node from a slow one's parcels. */
static void in_a_row(void)
{
    for (int64_t k = 0; k < ROUNDS; k++) {
        int64_t mine = k * 100 + me, all;
        expect(hlrc_reduce(&mine, &all, 1, HLRC_INT64, HLRC_SUM) == 0, "hlrc_reduce");
        expect(all == k * 100 * nodes + nodes * (nodes - 1) / 2, "round %jd: %jd", (intmax_t)k,
               (intmax_t)all);
        int byte = (int)k;
        expect(hlrc_broadcast(&byte, sizeof byte, (int)k % nodes) == 0 && byte == k, "a broadcast");
    }
}

/* As a barrier does, for no values at all too. Both arguments may be shared memory. */
static void memory(void)
{
    volatile uint64_t *words = shared_words((uint64_t)(nodes + 2) * PAGE_WORDS);
    for (uint64_t k = 1; k < 5; k++) {
        words[(uint64_t)me * PAGE_WORDS] = k;
        expect(hlrc_reduce(NULL, NULL, 0, HLRC_INT64, HLRC_SUM) == 0, "of no values");
        for (int n = 0; n < nodes; n++)
            expect_word(words[(uint64_t)n * PAGE_WORDS], k, "what node %d wrote before", n);
        hlrc_barrier();
    }
    void *from = (void *)(uintptr_t)&words[(uint64_t)me * PAGE_WORDS],
         *to = (void *)(uintptr_t)&words[(uint64_t)nodes * PAGE_WORDS];
    expect(hlrc_reduce(from, to, 1, HLRC_UINT64, HLRC_SUM) == 0, "in shared memory");
    expect_word(words[(uint64_t)nodes * PAGE_WORDS], 4 * (uint64_t)nodes, "the sum");
    hlrc_barrier();
}

/* A node that defers its release passes on nothing then, and all at its next one (barrier.h). */
static void deferred(void)
{
    volatile uint64_t *word = shared_words(PAGE_WORDS);
    if (me == 0)
        word[0] = 1;
    hlrc_barrier();
    expect_word(word[0], 1, "what was released");
    hlrc_barrier();
    for (uint64_t k = 2; k < 6; k++) {
        if (me == 0) {
            word[0] = k;
            hlrc_defer_release();
        }
        hlrc_barrier();
        if (nodes > 1 && me == nodes - 1)
            expect_word(word[0], k - 1, "what was not released");
        hlrc_barrier();
        expect_word(word[0], k, "what was released later");
        hlrc_barrier();
    }
}

void litmus_run(void)
{
    deferred();
    values();
    in_a_row();
    memory();
}
