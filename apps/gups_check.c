/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gups_check.c - see gups_check.h. */
#include "apps/gups_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/gups_stream.h"

/* Findings of a node, on its own page. */
struct note {
    uint64_t different, checksum;
    char pad[APP_PAGE - 2 * sizeof(uint64_t)];
};

/* Number of words that differ from the result of the stream. */
static uint64_t count_different(const uint64_t *part, uint64_t begin, uint64_t count,
                                uint64_t words, uint64_t first)
{
    uint64_t *expected = app_private("a second table", count * sizeof *expected);
    uint64_t x = gups_start(first), different = 0;

    for (uint64_t i = 0; i < count; i++)
        expected[i] = begin + i;
    for (uint64_t i = 0; i < GUPS_UPDATES * words; i++) {
        uint64_t at;

        x = gups_next(x);
        at = x % words - begin; /* wraps to a huge value if the word is below `begin` */
        if (at < count)
            expected[at] ^= x;
    }
    for (uint64_t i = 0; i < count; i++)
        different += part[i] != expected[i];
    free(expected);
    return different;
}

void gups_check(const uint64_t *part, uint64_t begin, uint64_t count, uint64_t words,
                uint64_t first, struct app_result *result)
{
    struct note *notes = app_shared("notes", (size_t)app.nodes * sizeof *notes), sum = { 0 };

    /* any differing bit changes the sum */
    for (uint64_t i = 0; i < count; i++)
        notes[app.node].checksum += part[i] * (2 * (begin + i) + 1);
    if (app.verify)
        notes[app.node].different = count_different(part, begin, count, words, first);
    hlrc_barrier();
    for (int node = 0; node < app.nodes; node++) {
        sum.different += notes[node].different;
        sum.checksum += notes[node].checksum;
    }
    result->verified = sum.different <= words / 100;
    snprintf(result->evidence, sizeof result->evidence,
             "%" PRIu64 " of %" PRIu64 " words differ in a second pass, %" PRIu64 " may",
             sum.different, words, words / 100);
    snprintf(result->checksum, sizeof result->checksum, "%016" PRIx64, sum.checksum);
}
