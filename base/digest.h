/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* digest.h - a 64-bit digest: equal values have equal digests, different values equal ones once in
 * 2^64. FNV-1a (Fowler, Noll and Vo, RFC 9923). Nodes exchange it to compare values that must
 * agree. */
#ifndef HLRC_DIGEST_H
#define HLRC_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* `digest`: of the preceding bytes, or DIGEST_START. */
static inline uint64_t digest_add(uint64_t digest, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
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
