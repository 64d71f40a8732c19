/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* digest.h - a 64-bit digest: equal values have equal digests, different values equal ones once in
 * 2^64. FNV-1a (Fowler, Noll and Vo, RFC 9923). Nodes exchange it to compare values that must
 * agree. */
#ifndef HLRC_DIGEST_H
#define HLRC_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* `digest`: of the preceding bytes, or DIGEST_START. */
static inline uint64_t digest_add(uint64_t digest, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static inline uint64_t digest_round(uint64_t lane, uint64_t word)
{
    lane += word * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (lane << 31 | lane >> 33) * UINT64_C(0x9e3779b185ebca87);
}

/* Of many bytes, at the speed of memory: the rounds of xxHash (Collet, XXH64), in four lanes. */
static inline uint64_t digest_of_words(const void *bytes, size_t len)
{
    uint64_t lane[4] = { 1, 2, 3, 4 }, word[4];
    size_t whole = len & ~(sizeof word - 1);
    for (size_t i = 0; i < whole; i += sizeof word) {
        memcpy(word, (const char *)bytes + i, sizeof word);
        for (int k = 0; k < 4; k++)
            lane[k] = digest_round(lane[k], word[k]);
    }
    uint64_t digest = digest_add(DIGEST_START, (const char *)bytes + whole, len - whole);
    for (int k = 0; k < 4; k++)
        digest = digest_round(digest ^ lane[k] >> 29, lane[k]);
    return digest;
}

/* True if all `count` digests are equal. */
static inline int digest_alike(const uint64_t *all, int count)
{
    for (int n = 1; n < count; n++)
        if (all[n] != all[0])
            return 0;
    return 1;
}

#endif
