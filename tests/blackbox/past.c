/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages that were twice used together are opened together (hlrc/memory/past.h): node 1 stores to
 * pages in an order without a stride, node 0 reads them so, again and again; from the third time on
 * few of them fault. Those that are no longer used drop out.
 */
#include "tests/litmus/litmus.h"

LITMUS("pages that were used together", 2)

#define PAGES  128u
#define ROUNDS 8u
#define LONG   400u
#define FEW    24u /* faults of PAGES: two blocks, and one in 32 is left out */

LITMUS_SET(HOT_PAGES, "0") /* every store after a release faults */
LITMUS_SET(EXCLUSIVE_PAGES, "off")
LITMUS_SET(RENEW, "0")
LITMUS_SET(MOVE_HOMES, "off")

static volatile uint64_t *data;

/* The i-th page that is visited: neither neighbours nor equal distances follow each other. */
static uint64_t visited(uint64_t i, uint64_t of)
{
    static const unsigned step[] = { 0, 5, 2, 7, 4, 1, 6, 3 };
    return (i % (of / 8)) * 8 + step[(i / (of / 8) + i) % 8];
}

static void store(uint64_t round, uint64_t pages)
{
    for (uint64_t i = 0; i < pages && me == 1; i++)
        data[visited(i, pages) * PAGE_WORDS + i % 8] = round * 1000 + i;
    hlrc_barrier();
}

static void load(uint64_t round, uint64_t pages)
{
    for (uint64_t i = 0; i < pages && me == 0; i++)
        expect_word(data[visited(i, pages) * PAGE_WORDS + i % 8], round * 1000 + i,
                    "round %ju, page %ju", (uintmax_t)round, (uintmax_t)visited(i, pages));
    hlrc_barrier();
}

/* What node 1 has faulted in to store, or node 0 to load, in this round. */
static uint64_t faults(uint64_t round, uint64_t pages)
{
    struct hlrc_stats before = stats();
    store(round, pages);
    load(round, pages);
    struct hlrc_stats after = stats();
    return me == 1 ? after.write_faults - before.write_faults
                   : after.read_faults - before.read_faults;
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    /* homes at neither: each reads and writes copies */
    if (me == 0)
        place(data, PAGES * (uint64_t)PAGE, 1);
    hlrc_barrier();
    for (uint64_t round = 1; round < ROUNDS; round++) {
        uint64_t n = faults(round, PAGES);
        expect(round > 1 || me == 1 || n > FEW, "only %ju faults at first", (uintmax_t)n);
        expect(round < 4 || n <= FEW, "round %ju: %ju faults", (uintmax_t)round, (uintmax_t)n);
    }
    for (uint64_t round = ROUNDS; round < ROUNDS + LONG; round++)
        (void)faults(round, PAGES / 2);
    struct hlrc_stats before = stats();
    (void)faults(ROUNDS + LONG, PAGES / 2);
    struct hlrc_stats after = stats();
    uint64_t opened = after.ahead_pages - before.ahead_pages;
    expect(opened <= PAGES / 2 + 4, "%ju pages are opened where %u are used", (uintmax_t)opened,
           PAGES / 2);
}
