/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * is_check.c - see is_check.h. The published values: NAS Parallel Benchmarks, IS.
 */
#include "apps/is_check.h"

#include <string.h>

#include "apps/common.h"

const struct is_class is_classes[] = {
    { 'S',
      1 << 16,
      1 << 11,
      { 48427, 17148, 23627, 62548, 4431 },
      { 0, 18, 346, 64917, 65463 },
      { 1, 1, 1, -1, -1 } },
    { 'W',
      1 << 20,
      1 << 16,
      { 357773, 934767, 875723, 898999, 404505 },
      { 1249 - 2, 11698 - 2, 1039987, 1043896, 1048018 },
      { 1, 1, -1, -1, -1 } },
    { 'A',
      1 << 23,
      1 << 19,
      { 2112377, 662041, 5336171, 3642833, 4250760 },
      { 104 - 1, 17523 - 1, 123928 - 1, 8288932 + 1, 8388264 + 1 },
      { 1, 1, 1, -1, -1 } },
    { 'B',
      1 << 25,
      1 << 21,
      { 41869, 812306, 5102857, 18232239, 26860214 },
      { 33422937, 10244, 59149, 33135281, 99 },
      { -1, 1, 1, -1, 1 } },
    { 'C',
      1 << 27,
      1 << 23,
      { 44172927, 72999161, 74326391, 129606274, 21736814 },
      { 61147, 882988, 266290, 133997595, 133525895 },
      { 1, 1, 1, -1, -1 } },
    { 0 },
};

uint32_t is_published_rank(const struct is_class *class, int test, int iteration)
{
    return class->rank[test] + (uint32_t)(class->sign[test] * iteration);
}

uint64_t is_key_state(uint64_t seed, size_t index)
{
    return app_random_skip(seed, 4 * (uint64_t)index);
}

/* max_key / 4 times the sum of four numbers in (0, 1), rounded down; exact, since max_key is a
 * power of two. */
uint32_t is_next_key(uint64_t *state, uint32_t max_key)
{
    uint64_t sum = 0;

    for (int i = 0; i < 4; i++)
        sum += app_random(state);
    return (uint32_t)((sum >> 16) * (max_key / 4) >> 30);
}

/* Change of the rank of `key` when a key `from` becomes `to`. */
static uint32_t rank_change(uint32_t key, uint32_t from, uint32_t to)
{
    return (uint32_t)(to < key) - (uint32_t)(from < key);
}

/* The first keys, which the iterations replace, as generated. */
#define REPLACED (2 * IS_ITERATIONS + 1)

static void first_keys(const struct is_reference *reference, uint32_t first[REPLACED])
{
    uint64_t state = reference->seed;

    for (int i = 0; i < REPLACED; i++)
        first[i] = is_next_key(&state, reference->max_key);
}

/* Ranks of the keys as generated, in `count`. */
static void count_generated(const struct is_reference *reference)
{
    uint32_t *count = reference->count;
    uint64_t state = reference->seed;
    uint32_t smaller = 0;

    memset(count, 0, reference->max_key * sizeof *count);
    for (size_t i = 0; i < reference->keys; i++)
        count[is_next_key(&state, reference->max_key)]++;
    for (uint32_t k = 0; k < reference->max_key; k++) {
        uint32_t here = count[k];

        count[k] = smaller;
        smaller += here;
    }
}

/* The rank of `key` after the iterations up to `last`, from its rank among the keys as
 * generated. */
static uint32_t rank_after(const struct is_reference *reference, const uint32_t first[REPLACED],
                           uint32_t key, int last)
{
    uint32_t rank = reference->count[key];

    for (int i = 1; i <= last; i++) {
        rank += rank_change(key, first[i], (uint32_t)i);
        rank += rank_change(key, first[i + IS_ITERATIONS], reference->max_key - (uint32_t)i);
    }
    return rank;
}

void is_reference_ranks(const struct is_reference *reference, const uint32_t index[IS_TESTS],
                        uint32_t rank[IS_ITERATIONS + 1][IS_TESTS])
{
    uint32_t first[REPLACED];

    first_keys(reference, first);
    count_generated(reference);
    for (int test = 0; test < IS_TESTS; test++) {
        uint64_t state = is_key_state(reference->seed, index[test]);
        uint32_t key = is_next_key(&state, reference->max_key);

        for (int i = 0; i <= IS_ITERATIONS; i++)
            rank[i][test] = rank_after(reference, first, key, i);
    }
}

void is_reference_table(const struct is_reference *reference)
{
    uint32_t first[REPLACED];

    first_keys(reference, first);
    count_generated(reference);
    for (uint32_t key = 0; key < reference->max_key; key++)
        reference->count[key] = rank_after(reference, first, key, IS_ITERATIONS);
}
