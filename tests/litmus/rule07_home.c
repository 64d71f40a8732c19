/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 7, home assignment. Whoever comes first becomes the home, and all agree on who that was; who
 * comes second keeps its writes; a node that does not know that it is the home serves all the same.
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 7, home assignment", 2, 3, 4, 8)

#define PAGES 900u

static volatile uint64_t *data;

static volatile uint64_t *word(uint64_t page, uint64_t node)
{
    return &data[page * PAGE_WORDS + node];
}

static void *address(uint64_t page)
{
    return (void *)(uintptr_t)word(page, 0);
}

/* Every node's view of the homes, compared. */
static void expect_one_home(volatile uint64_t *seen, uint64_t first, uint64_t count)
{
    volatile uint64_t *mine = seen + (uint64_t)me * PAGES;
    for (uint64_t p = first; p < first + count; p++) {
        int home = hlrc_home(address(p));
        expect(home >= 0 && home < nodes, "the home of page %ju is %d", (uintmax_t)p, home);
        mine[p] = (uint64_t)home;
    }
    hlrc_barrier();
    for (uint64_t p = first; p < first + count; p++)
        for (uint64_t n = 0; n < (uint64_t)nodes; n++)
            expect_word(seen[n * PAGES + p], mine[p], "the home of page %ju, for node %ju",
                        (uintmax_t)p, (uintmax_t)n);
    hlrc_barrier();
}

/* All nodes write every page for the first time; then each page is read everywhere. They start at
 * different pages, or, `same`, all at the first, so that they meet in as many as possible. */
static void all_at_once(uint64_t first, uint64_t count, bool readers, bool same)
{
    uint64_t n = (uint64_t)nodes, i = (uint64_t)me;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t p = first + (k + (same ? 0 : i * count / (2 * n))) % count;
        if (readers && (p + i) % 3 == 0)
            expect_word(*word(p, i), 0, "an unwritten word of page %ju", (uintmax_t)p);
        else
            *word(p, i) = 1000 * p + i;
    }
    hlrc_barrier();
    for (uint64_t p = first; p < first + count; p++)
        for (uint64_t m = 0; m < n; m++)
            expect_word(*word(p, m), readers && (p + m) % 3 == 0 ? 0 : 1000 * p + m,
                        "page %ju, the word of node %ju", (uintmax_t)p, (uintmax_t)m);
    hlrc_barrier();
}

/* Node 0 places pages; all but their home use them, then the home looks. */
static void unaware_home(uint64_t first)
{
    uint64_t n = (uint64_t)nodes;
    for (uint64_t h = 0; me == 0 && h < n; h++)
        place(word(first + h, 0), PAGE, (int)h);
    hlrc_barrier();
    for (uint64_t k = 1; k <= 3; k++) {
        for (uint64_t h = 0; h < n; h++)
            if (h != (uint64_t)me)
                *word(first + h, (uint64_t)me) = k;
        hlrc_barrier();
        for (uint64_t h = 0; h < n; h++)
            for (uint64_t m = 0; h != (uint64_t)me && m < n; m++)
                expect_word(*word(first + h, m), m == h ? 0 : k,
                            "a page of home %ju, the word of node %ju", (uintmax_t)h, (uintmax_t)m);
        hlrc_barrier();
    }
    for (uint64_t m = 0; m < n; m++) /* first look at the own page */
        expect_word(*word(first + (uint64_t)me, m), m == (uint64_t)me ? 0 : 3,
                    "the own page, the word of node %ju", (uintmax_t)m);
    *word(first + (uint64_t)me, (uint64_t)me) = 4;
    hlrc_barrier();
    for (uint64_t h = 0; h < n; h++) {
        expect(hlrc_home(address(first + h)) == (int)h, "the home of a page placed at %ju is %d",
               (uintmax_t)h, hlrc_home(address(first + h)));
        expect_word(*word(first + h, h), 4, "the own word of home %ju", (uintmax_t)h);
    }
    hlrc_barrier();
}

/* Half of the pages get their home while locks move them about, without a barrier in between. */
static void under_locks(uint64_t first, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        uint64_t p = first + (k * 7 + (uint64_t)me * 5) % count;
        hlrc_lock((hlrc_lock_t)(50 + p % 8));
        *word(p, 0) += 1;
        *word(p, PAGE_WORDS - 1) += 1;
        hlrc_unlock((hlrc_lock_t)(50 + p % 8));
    }
    hlrc_barrier();
    for (uint64_t p = first; p < first + count; p++) {
        expect_word(*word(p, 0), (uint64_t)nodes, "page %ju, counted by all nodes", (uintmax_t)p);
        expect_word(*word(p, PAGE_WORDS - 1), (uint64_t)nodes, "page %ju, the last word",
                    (uintmax_t)p);
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    volatile uint64_t *seen = shared_words((uint64_t)nodes * PAGES);
    all_at_once(0, 100, false, false);
    expect_one_home(seen, 0, 100);
    all_at_once(100, 100, true, false);
    unaware_home(200);
    under_locks(220, 64);
    expect_one_home(seen, 200, (uint64_t)nodes);
    expect_one_home(seen, 0, 200);
    all_at_once(300, 600, false, true);
    expect_one_home(seen, 300, 600);
}
