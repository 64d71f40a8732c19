/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * is_check.h - the ranks that NAS IS must give: the published ones, and a sequential computation
 * of all ranks.
 *
 * The reference counts the keys of one sequence, generated again in one thread, into a private
 * histogram. It shares only the generator's recurrence with the parallel program.
 */
#ifndef APPS_IS_CHECK_H
#define APPS_IS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IS_ITERATIONS \
    10 /* at iteration i keys i and i + IS_ITERATIONS are replaced by i and max_key - i */
#define IS_TESTS 5 /* keys whose rank is checked in each iteration */

struct is_class {
    char name; /* 0 for none */
    size_t keys;
    uint32_t max_key;
    uint32_t index[IS_TESTS]; /* of the checked keys */
    uint32_t rank[IS_TESTS];
    int sign[IS_TESTS]; /* the rank at iteration i is rank + sign * i */
};

extern const struct is_class is_classes[];

/* The rank that key number `test` has at an iteration. */
uint32_t is_published_rank(const struct is_class *class, int test, int iteration);

/* The state of the generator before key `index`, and the key generated from it. */
uint64_t is_key_state(uint64_t seed, size_t index);
uint32_t is_next_key(uint64_t *state, uint32_t max_key);

/* The problem given to the reference; `count` is a scratch histogram of max_key elements. */
struct is_reference {
    size_t keys;
    uint32_t max_key;
    uint64_t seed;
    uint32_t *count;
};

/* For the keys at the given indices, at each iteration: the number of smaller keys. */
void is_reference_ranks(const struct is_reference *reference, const uint32_t index[IS_TESTS],
                        uint32_t rank[IS_ITERATIONS + 1][IS_TESTS]);

/* Fills count with the number of smaller keys for each key value, after the last iteration. */
void is_reference_table(const struct is_reference *reference);

#endif
