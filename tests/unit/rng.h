/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rng.h - random numbers of unit tests, the same for each seed (splitmix64). */
#ifndef TESTS_UNIT_RNG_H
#define TESTS_UNIT_RNG_H

#include <stdint.h>

static uint64_t rng_state;

static inline uint64_t rng_next(void)
{
    uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint32_t rng(uint32_t below)
{
    return (uint32_t)(rng_next() % below);
}

#endif
