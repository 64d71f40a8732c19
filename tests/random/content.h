/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * content.h - random numbers, and what a byte range holds: a pure function of (seed, range,
 * version).
 *
 * Version 0 is zeros. Version v changes some bytes of version v-1: all, a part, or none; a multiple
 * of 8 all of them, so that a version can be computed from at most eight. Nothing here knows of
 * shared memory: it is the oracle's side.
 */
#ifndef TESTS_RANDOM_CONTENT_H
#define TESTS_RANDOM_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

uint64_t rng_draw(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n); /* 0 .. n-1; n >= 1 */
uint32_t rng_between(struct rng *r, uint32_t low, uint32_t high);
bool rng_chance(struct rng *r, uint32_t percent);
uint32_t rng_size(struct rng *r, uint32_t low, uint32_t high); /* each magnitude equally likely */

uint64_t hash(uint64_t a, uint64_t b, uint64_t c);

/* Bytes [from, to) are what version v (>= 1) changes of a range of `len` bytes; empty: it changes
 * nothing. */
struct change {
    uint32_t from, to;
};

struct change content_change(uint64_t seed, uint32_t range, uint32_t len, uint32_t version);

/* All `len` bytes of a version. */
void content_make(uint64_t seed, uint32_t range, uint32_t len, uint32_t version,
                  unsigned char *out);

#endif
