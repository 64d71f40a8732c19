/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: a page that is written in every interval faults twice and no more, and where others
 * write it too, once for each time that it is brought (ahead.h); away from its home nothing is
 * announced that its node has not written; a page that rests is write-protected again, after as
 * many closings as --hot-pages says; memory that is given back hot comes back zero.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("hot pages", 2, 3)

#define PAGES  48u /* at either home */
#define OTHERS 4u  /* pages of the runtime's own, such as those of the heap */
#define ROUNDS 12u
#define BUDGET 16u /* the default of --hot-pages */

static volatile uint64_t *at_writer, *elsewhere; /* homes: node 0, the last node */

static void write_all(uint64_t word, uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        at_writer[p * PAGE_WORDS + word] = elsewhere[p * PAGE_WORDS + word] = k * PAGES + p;
}

static void read_all(uint64_t word, uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++) {
        expect_word(at_writer[p * PAGE_WORDS + word], k * PAGES + p,
                    "round %ju, page %ju at node 0", (uintmax_t)k, (uintmax_t)p);
        expect_word(elsewhere[p * PAGE_WORDS + word], k * PAGES + p,
                    "round %ju, page %ju at the last node", (uintmax_t)k, (uintmax_t)p);
    }
}

/* Node 0 writes, all others read. */
static void round_of(uint64_t k)
{
    if (me == 0)
        write_all(0, k);
    hlrc_barrier();
    if (me != 0)
        read_all(0, k);
    hlrc_barrier();
}

static void faults_twice(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        struct hlrc_stats before = stats();
        round_of(k);
        struct hlrc_stats after = stats();
        if (me != 0)
            continue;
        expect_word(after.write_faults - before.write_faults, k <= 2 ? 2 * PAGES : 0,
                    "write faults in round %ju", (uintmax_t)k);
        /* those at home a second time, by the closing that finds them unchanged:
         * [page.equal-twin] */
        uint64_t announced = after.write_notices - before.write_notices,
                 due = (k == 1 ? 2 : 3) * PAGES;
        expect(announced >= due && announced <= due + OTHERS, "%ju pages announced in round %ju",
               (uintmax_t)announced, (uintmax_t)k);
    }
}

/* Each round has closed two intervals: one that the pages were written in, one that they were not,
 * so that none has been idle for more than one. */
static void rests(void)
{
    struct hlrc_stats before = stats();
    for (unsigned k = 0; k < BUDGET; k++)
        hlrc_barrier();
    struct hlrc_stats after = stats();
    if (me == 0) {
        uint64_t announced = after.write_notices - before.write_notices;
        expect(announced >= BUDGET * PAGES && announced <= BUDGET * (PAGES + OTHERS),
               "%ju home pages announced, none written: [page.equal-twin]", (uintmax_t)announced);
        expect_word(after.hot_unchanged - before.hot_unchanged, (BUDGET - 1) * 2 * PAGES,
                    "pages found unchanged before they are write-protected");
    }
    before = stats();
    round_of(ROUNDS + 1);
    after = stats();
    if (me == 0)
        expect_word(after.write_faults - before.write_faults, 2 * PAGES,
                    "write faults after a rest");
}

/* The home has the pages hot, and gets diffs of the last node: those are not its own writing. */
static void written_by_another(void)
{
    for (uint64_t k = ROUNDS + 2; k < ROUNDS + 5; k++)
        round_of(k); /* hot again */
    struct hlrc_stats before = stats();
    if (me == nodes - 1)
        for (uint64_t p = 0; p < PAGES; p++)
            at_writer[p * PAGE_WORDS + 1] = p + 1;
    hlrc_barrier();
    hlrc_barrier(); /* a closing of the home with the diffs in its pages */
    struct hlrc_stats after = stats();
    if (me != 0) /* the home announces what it has open: [page.equal-twin] */
        expect_word(after.write_notices - before.write_notices, me == nodes - 1 ? PAGES : 0,
                    "pages announced by node %d, the last one has written", me);
    if (me == 0)
        expect(after.hot_pages - before.hot_pages <= OTHERS, "%ju pages are as the home wrote them",
               (uintmax_t)(after.hot_pages - before.hot_pages));
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(at_writer[p * PAGE_WORDS + 1], p + 1, "page %ju, written by the last node",
                    (uintmax_t)p);
    hlrc_barrier();
}

/* Every node loads the words of all and then stores its own, which is elsewhere a page of another
 * home: one fault brings the page and opens it. When the stores end, loads take no twins. */
static void shared_falsely(void)
{
    for (uint64_t k = 1; k <= 2 * ROUNDS; k++) {
        bool stores = me == 0 || k <= ROUNDS;
        struct hlrc_stats before = stats();
        for (uint64_t p = 0; p < PAGES; p++) {
            for (uint64_t n = 0; n < (uint64_t)nodes; n++) {
                uint64_t least = k <= ROUNDS || n == 0 ? k - 1 : ROUNDS;
                uint64_t word = at_writer[p * PAGE_WORDS + 8 + n];
                expect(word == least || word == least + 1, "page %ju, the word of node %ju: %ju",
                       (uintmax_t)p, (uintmax_t)n, (uintmax_t)word);
            }
            if (stores)
                at_writer[p * PAGE_WORDS + 8 + (uint64_t)me] = k;
        }
        hlrc_barrier();
        struct hlrc_stats after = stats();
        if (me == 0 || k < 3)
            continue;
        expect_word(after.read_faults - before.read_faults, PAGES, "read faults in round %ju",
                    (uintmax_t)k);
        expect_word(after.write_faults, before.write_faults, "write faults in round %ju",
                    (uintmax_t)k);
        if (k > ROUNDS + 1)
            expect_word(after.twins, before.twins, "twins of pages that are loaded in round %ju",
                        (uintmax_t)k);
    }
}

static void given_back(void)
{
    for (uint64_t k = 1; k <= 4; k++) {
        volatile uint64_t *all = hlrc_malloc_all(PAGES * PAGE);
        expect(all, "hlrc_malloc_all");
        for (uint64_t i = 0; i < PAGES * PAGE_WORDS; i++)
            expect_word(all[i], 0, "word %ju of new memory", (uintmax_t)i);
        hlrc_barrier();
        for (uint64_t r = 1; r <= 3; r++) {
            for (uint64_t p = 0; p < PAGES; p++)
                all[p * PAGE_WORDS + (uint64_t)me] = r;
            hlrc_barrier();
        }
        hlrc_free_all((void *)(uintptr_t)all);
    }
}

/* So that each page faults for itself. */
LITMUS_SET(RENEW, "0") /* so the reader faults each time */
LITMUS_SET(AHEAD, "0")
LITMUS_SET(EXCLUSIVE_PAGES, "off")
LITMUS_SET(MOVE_HOMES, "off")

void litmus_run(void)
{
    at_writer = shared_words(PAGES * PAGE_WORDS);
    elsewhere = shared_words(PAGES * PAGE_WORDS);
    if (me == 0) {
        place(at_writer, PAGES * PAGE, 0);
        place(elsewhere, PAGES * PAGE, nodes - 1);
    }
    hlrc_barrier();
    faults_twice();
    rests();
    written_by_another();
    shared_falsely();
    given_back();
}
