/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* content.c - see content.h. */
#include "tests/random/content.h"

#include <string.h>

#define FULL_EVERY 8

static uint64_t mix(uint64_t x) /* the finalizer of splitmix64 */
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t hash(uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(a + UINT64_C(0x9e3779b97f4a7c15)) + b) + c);
}

uint64_t rng_draw(struct rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(r->state);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_draw(r) >> 32) % n);
}

uint32_t rng_between(struct rng *r, uint32_t low, uint32_t high)
{
    return low + rng_below(r, high - low + 1);
}

bool rng_chance(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100) < percent;
}

uint32_t rng_size(struct rng *r, uint32_t low, uint32_t high)
{
    uint32_t magnitudes = 0;
    while (low << magnitudes < high && magnitudes < 31)
        magnitudes++;
    uint32_t top = low << rng_between(r, 0, magnitudes);
    return rng_between(r, low, top < high ? top : high);
}

struct change content_change(uint64_t seed, uint32_t range, uint32_t len, uint32_t version)
{
    struct rng r = { hash(seed, range, version) };
    uint32_t kind = rng_below(&r, FULL_EVERY);
    if (version % FULL_EVERY == 0 || (kind >= 1 && kind <= 3) || (len == 1 && kind != 0))
        return (struct change){ 0, len };
    if (kind == 0)
        return (struct change){ 0, 0 };
    uint32_t size = rng_size(&r, 1, len), from = rng_below(&r, len - size + 1);
    return (struct change){ from, from + size };
}

static void apply(uint64_t seed, uint32_t range, uint32_t len, uint32_t version, unsigned char *out)
{
    struct change c = content_change(seed, range, len, version);
    uint64_t key = hash(seed, range, version), word = 0;
    for (uint32_t i = c.from; i < c.to; i++) {
        if (i % 8 == 0 || i == c.from)
            word = mix(key + i / 8);
        out[i] = (unsigned char)(word >> i % 8 * 8);
    }
}

void content_make(uint64_t seed, uint32_t range, uint32_t len, uint32_t version, unsigned char *out)
{
    uint32_t base = version / FULL_EVERY * FULL_EVERY;
    memset(out, 0, len);
    for (uint32_t v = base ? base : 1; v <= version; v++)
        apply(seed, range, len, v, out);
}
