/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal to diff.c: the loops over page bytes, one instance per instruction set.
 *
 * They work on a bitmap of the page, one 64-bit word per 64 bytes, bit set = byte changed. On the
 * little-endian machines that are supported, it is byte for byte the bitmap of diff.h.
 */
#ifndef HLRC_DIFF_LOOPS_H
#define HLRC_DIFF_LOOPS_H

#include "hlrc/memory/diff.h"

#include <stdint.h>
#include <string.h>

#define DIFF_WORDS (DIFF_PAGE / 64)

struct diff_tally {
    unsigned bytes;
    unsigned runs;
};

struct diff_loops {
    const char *name;
    int (*supported)(void);
    /* Set MASK to the changed bytes. Returns the union of its words (0: the page is unchanged). */
    uint64_t (*scan)(const uint8_t *page, const uint8_t *twin, uint64_t *mask);
    /* The same, and TWIN becomes what was compared: each byte of PAGE is read once. */
    uint64_t (*track)(const uint8_t *page, uint8_t *twin, uint64_t *mask);
    bool (*differs)(const uint8_t *page, const uint8_t *twin);
    /* Count bytes and runs; LINES has a bit for each word of MASK that is not zero. */
    struct diff_tally (*tally)(const uint64_t *mask, uint64_t lines);
    /* Gather the bytes of PAGE in MASK at OUT, of which DIFF_PAGE bytes may be written. */
    void (*pack)(uint8_t *out, const uint8_t *page, const uint64_t *mask);
    /*
     * Scatter the bytes at IN, as many as MASK has bits, to the bytes of PAGE in MASK; no other
     * byte is written [diff.exact-bytes].
     */
    void (*unpack)(uint8_t *page, const uint8_t *in, const uint64_t *mask);
    void (*merge)(uint8_t *page, uint8_t *twin, const uint8_t *fetched);
};

/* The loops in use. Written when the library is loaded and by diff_use; usable before that. */
extern const struct diff_loops *diff_loops;

/* ---- Shared by several of them, compiled for each ---- */

#define DIFF_INLINE static inline __attribute__((always_inline))

DIFF_INLINE uint64_t diff_load64(const void *from)
{
    uint64_t value;

    memcpy(&value, from, sizeof(value));
    return value;
}

/*
 * Copy N bytes, 1 to DIFF_PAGE, writing nothing outside them. Short ones, as two stores that may
 * overlap, cost less than the call of memcpy.
 */
DIFF_INLINE void diff_copy_run(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n > 16) {
        memcpy(to, from, n);
    } else if (n >= 8) {
        uint64_t head = diff_load64(from), tail = diff_load64(from + n - 8);
        memcpy(to, &head, 8);
        memcpy(to + n - 8, &tail, 8);
    } else if (n >= 4) {
        uint32_t head, tail;
        memcpy(&head, from, 4);
        memcpy(&tail, from + n - 4, 4);
        memcpy(to, &head, 4);
        memcpy(to + n - 4, &tail, 4);
    } else {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

/* Runs begin where a set bit follows a clear one; CARRY is the last bit of the word before. */
DIFF_INLINE uint64_t diff_run_begins(uint64_t word, uint64_t carry)
{
    return word & ~(word << 1 | carry);
}

#endif
