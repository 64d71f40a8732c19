/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* random.h - pseudo-random numbers from a seed: SplitMix64 (Steele, Lea and Flood, 2014). */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <stdint.h>

struct sim_random {
    uint64_t state; /* initially the seed */
};

static inline uint64_t random_next(struct sim_random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Uniform from 0 to below LIMIT, which is from 1 to 2^32, up to a bias of LIMIT / 2^32. */
static inline uint64_t random_number_below(struct sim_random *r, uint64_t limit)
{
    return (random_next(r) >> 32) * limit >> 32;
}

#endif
