/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * radix_keys.h - the keys that radix and qsort sort, and what it is to have sorted them.
 *
 * Keys come from a generator or from a file. While they are read, each node sums up those that it
 * keeps, as they came and not as shared memory gives them back. Sorted are keys that are in order,
 * and of which none was lost, invented or changed: their number, the sum and the product of numbers
 * that stand for them are those of the input. A key that occurs twice counts twice.
 */
#ifndef APPS_RADIX_KEYS_H
#define APPS_RADIX_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "apps/common.h"

/* Of a multiset of keys; equal multisets have equal tallies, in any order, and others by accident
 * of 2^-64 only. */
struct tally {
    uint64_t keys, sum, product;
};

extern const struct tally tally_empty;

void tally_add(struct tally *t, uint32_t key);
void tally_join(struct tally *t, const struct tally *other);

/* A number that stands for a key at its place in sums over an array. */
uint64_t key_at(uint32_t key, size_t place);

/* Fills key[range] with uniform keys below max_key, 1 to 2^32. */
void keys_generate(uint32_t *key, struct app_range range, uint64_t max_key, struct tally *t);

/*
 * A file of keys: decimal numbers below 2^32, one in a line. Every node reads it. Counts the keys
 * and stores the largest; ends the program when the file cannot be read, holds something else or no
 * key at all.
 */
size_t keys_in_file(const char *path, uint32_t *largest);

/* Fills key[range] with the keys of those lines, counted from 0. ASSUMPTION: keys_in_file()
 * accepted the file. */
void keys_read(const char *path, uint32_t *key, struct app_range range, struct tally *t);

/* Writes the keys, one in a line. Returns 0, or 1 after a message. */
int keys_write(const char *path, const uint32_t *key, size_t keys);

#endif
