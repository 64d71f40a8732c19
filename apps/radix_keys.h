/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * radix_keys.h - the keys that radix and qsort sort, and the check of the result.
 *
 * Keys come from a generator or from a file. While they are read, each node sums up the keys that
 * it keeps, as read and not as returned by shared memory. The result is correct if the keys are in
 * order, and none was lost, invented or changed: their number, and the sum and the product of
 * their hashes, equal those of the input. A key that occurs twice counts twice.
 */
#ifndef APPS_RADIX_KEYS_H
#define APPS_RADIX_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/common.h"

/* Summary of a multiset of keys: equal multisets have equal tallies, in any order; different ones
 * are equal with probability 2^-64. */
struct tally {
    uint64_t keys, sum, product;
};

extern const struct tally tally_empty;

void tally_add(struct tally *t, uint32_t key);
void tally_join(struct tally *t, const struct tally *other);

/* True if both have the same keys. */
bool tally_equal(const struct tally *a, const struct tally *b);

/* A hash of a key and its place, for sums over an array. */
static inline uint64_t key_at(uint32_t key, size_t place)
{
    return app_scramble((uint64_t)place << 32 ^ key);
}

/* Fills key[range] with uniform keys below max_key, 1 to 2^32. */
void keys_generate(uint32_t *key, struct app_range range, uint64_t max_key, struct tally *t);

#define MAX_KEYS (UINT64_C(1) << 31)

/*
 * A file of keys: decimal numbers below 2^32, one per line. Every node reads it. Counts the keys
 * and stores the largest. Ends the program if the file cannot be read, has other contents, no key
 * or more than MAX_KEYS.
 */
size_t keys_in_file(const char *path, uint32_t *largest);

/* Fills key[range] with the keys of these lines, counted from 0. ASSUMPTION: keys_in_file()
 * accepted the file. */
void keys_read(const char *path, uint32_t *key, struct app_range range, struct tally *t);

/* Writes the keys, one per line. Returns 0, or 1 after a message. */
int keys_write(const char *path, const uint32_t *key, size_t keys);

#endif
