/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 6, the edges of a page: stores to the first and to the last byte alone, to runs that end or
 * begin there, to a whole page and to every second byte arrive, and nothing beside them changes.
 * Each page is written by its home and by other nodes, once and again while it stays writable, and
 * is merged while it is dirty. All bytes are compared with a model that each node keeps privately.
 */
#include "tests/litmus/litmus.h"

#include <string.h>

LITMUS("rule 6, the edges of a page", 2, 3)

#define PAGES  4u /* in the middle, with one that no node stores to on each side */
#define TIMES  3u /* that a node writes the same bytes in a row */
#define ROUNDS 12u

static volatile unsigned char *bytes;
static unsigned char model[PAGES + 2][PAGE];
static unsigned char next_value;
static hlrc_atomic_t posted; /* orders no memory */

/* ---- which bytes ---- */

enum { LAST, FIRST, BOTH, NEXT_TO_LAST, WHOLE, EVEN, ODD, THIRDS, RUNS, ALL_BUT_LAST, PATTERNS };

/* Runs of this length at the end of the page, and at its begin. */
static const uint64_t lengths[] = { 2,  3,  7,  8,  9,  15,  16,  17,  31,  32,
                                    33, 63, 64, 65, 66, 127, 128, 129, 255, 1025 };
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static bool is_in(uint64_t pattern, uint64_t at)
{
    if (pattern >= PATTERNS + LENGTHS)
        return at < lengths[pattern - PATTERNS - LENGTHS];
    if (pattern >= PATTERNS)
        return at >= PAGE - lengths[pattern - PATTERNS];
    switch (pattern) {
    case LAST:
        return at == PAGE - 1;
    case FIRST:
        return at == 0;
    case BOTH:
        return at == 0 || at == PAGE - 1;
    case NEXT_TO_LAST:
        return at == PAGE - 2;
    case WHOLE:
        return true;
    case EVEN:
        return at % 2 == 0;
    case ODD:
        return at % 2 == 1;
    case THIRDS:
        return at % 3 == 0; /* the last one, too */
    case RUNS:
        return at % 45 < 44; /* few enough to be listed, and the last one ends with the page */
    default:
        return at < PAGE - 1;
    }
}

static void check_all(const char *what, uint64_t pattern)
{
    for (uint64_t p = 0; p < PAGES + 2; p++)
        for (uint64_t at = 0; at < PAGE; at++)
            expect(bytes[p * PAGE + at] == model[p][at],
                   "%s %ju: byte %ju of page %ju is %u, not %u", what, (uintmax_t)pattern,
                   (uintmax_t)at, (uintmax_t)p, bytes[p * PAGE + at], model[p][at]);
}

/* One node writes, and all know what. */
static void write_pattern(uint64_t pattern, int writer)
{
    next_value++;
    for (uint64_t p = 1; p <= PAGES; p++)
        for (uint64_t at = 0; at < PAGE; at++)
            if (is_in(pattern, at)) {
                model[p][at] = (unsigned char)(model[p][at] + 1 + next_value % 200);
                if (me == writer)
                    bytes[p * PAGE + at] = model[p][at];
            }
}

static void each_pattern(void)
{
    for (uint64_t pattern = 0; pattern < PATTERNS + 2 * LENGTHS; pattern++)
        for (uint64_t k = 0; k < TIMES * (uint64_t)nodes; k++) {
            write_pattern(pattern, (int)(k / TIMES));
            hlrc_barrier();
            check_all("pattern", pattern);
            hlrc_barrier();
        }
}

/* ---- pages that are dirty when another node's bytes come ---- */

/* Node 0 writes a byte and passes it on under a lock; the last node takes that while its own byte
 * beside it is not published yet. */
static void merge(uint64_t k, uint64_t theirs, uint64_t mine)
{
    unsigned char value = (unsigned char)(k + 1);
    for (uint64_t p = 1; p <= PAGES; p++) {
        volatile unsigned char *page = bytes + p * PAGE;
        if (me == nodes - 1)
            page[mine] = (unsigned char)(100 + value);
        if (me == 0) {
            hlrc_lock(1);
            page[theirs] = value;
            hlrc_unlock(1);
            hlrc_atomic_fetch_add(posted, 1);
        } else if (me == nodes - 1) {
            await_atomic(posted, k * PAGES + p);
            hlrc_lock(1);
            expect(page[theirs] == value && page[mine] == 100 + value,
                   "merged: bytes %ju and %ju are %u and %u, not %u and %u", (uintmax_t)theirs,
                   (uintmax_t)mine, page[theirs], page[mine], value, 100 + value);
            hlrc_unlock(1);
        }
        model[p][theirs] = value;
        model[p][mine] = (unsigned char)(100 + value);
    }
    hlrc_barrier();
    check_all("after merge", k);
    hlrc_barrier();
}

static void merges(void)
{
    static const uint64_t at[][2] = {
        { PAGE - 1, PAGE - 2 }, { PAGE - 2, PAGE - 1 }, { 0, PAGE - 1 }, { PAGE - 1, 0 }
    };
    for (uint64_t k = 0; k < 4 * ROUNDS; k++)
        merge(k, at[k / ROUNDS][0], at[k / ROUNDS][1]);
}

void litmus_run(void)
{
    bytes = shared_bytes((PAGES + 2) * PAGE);
    posted = shared_atomic();
    if (me == 0)
        for (uint64_t p = 1; p < PAGES; p++) /* the last one's home is who touches it first */
            place(bytes + p * PAGE, PAGE, (int)(p - 1) % nodes);
    hlrc_barrier();
    each_pattern();
    merges();
}
