/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* digest.h - 64 bits that differ where what they stand for does, by accident once in 2^64 times:
 * FNV-1a (Fowler, Noll and Vo, RFC 9923). Nodes exchange it in place of what is alike on all. */
#ifndef HLRC_DIGEST_H
#define HLRC_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* `digest` of what came before, or DIGEST_START. */
static inline uint64_t digest_add(uint64_t digest, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/* Whether all of `count` are one. */
static inline int digest_alike(const uint64_t *all, int count)
{
    for (int n = 1; n < count; n++)
        if (all[n] != all[0])
            return 0;
    return 1;
}

#endif
