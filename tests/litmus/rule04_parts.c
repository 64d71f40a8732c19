/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules 1 to 4, bytes that are put to and got from shared memory (page_part.h): they are seen as
 * stores are [word.announced], and see what an acquire has made visible [word.ordered], beside
 * loads and stores of the same node [part.stale-only] and of others; no page is fetched for them,
 * or none is opened [part.stale-only]. A home knows of who got some [unshared.reader-mark].
 */
#include "tests/litmus/litmus.h"

#include <string.h>

LITMUS("rule 4, parts of pages", 1, 2, 3, 5)

LITMUS_SET(RENEW, "0") /* no acquire fetches */
LITMUS_SET(AHEAD, "0") /* and no fault fetches others */

#define PAGES   6u
#define ROUNDS  24u
#define THREADS 3

static volatile uint64_t *pages;
static volatile unsigned char *bytes;

static uint64_t get(volatile uint64_t *word)
{
    uint64_t value;
    hlrc_get(&value, (const void *)(uintptr_t)word, sizeof value, HLRC_HOMES);
    return value;
}

static void put(volatile uint64_t *word, uint64_t value)
{
    hlrc_put((void *)(uintptr_t)word, &value, sizeof value, HLRC_HOMES);
}

/* Node 1 is home of a page that it alone has written, and the others are not even known to have
 * read it. */
static void without_pages(void)
{
    volatile uint64_t *page = pages;
    for (uint64_t k = 1; k <= 8; k++) {
        struct hlrc_stats before = stats();
        if (me == 1)
            page[3] = k;
        hlrc_barrier();
        uint64_t told = stats().write_notices - before.write_notices;
        if (me == 1 && !async && (k == 4 || k == 6))
            expect(told == (k == 6), "interval %ju announced %ju pages [unshared.reader-mark]",
                   (uintmax_t)k, (uintmax_t)told);
        if (me == 0 && k >= 5) {
            before = stats();
            expect_word(get(&page[3]), k, "got in round %ju", (uintmax_t)k);
            expect(k > 5 || stats().read_faults == before.read_faults,
                   "a page was opened to get from it [part.stale-only]");
            put(&page[4], k + 100);
            expect_word(get(&page[4]), k + 100, "got behind a put");
            struct hlrc_stats after = stats();
            expect(async ||
                       (after.page_fetches == before.page_fetches &&
                        after.read_faults == before.read_faults &&
                        after.write_faults == before.write_faults && after.twins == before.twins),
                   "%ju pages were fetched, %ju faults, %ju twins, for 8 bytes",
                   (uintmax_t)(after.page_fetches - before.page_fetches),
                   (uintmax_t)(after.read_faults + after.write_faults - before.read_faults -
                               before.write_faults),
                   (uintmax_t)(after.twins - before.twins));
        }
        hlrc_barrier();
        expect(k < 5 || (me & 1) == 0 || page[4] == k + 100, "put, and loaded: %ju",
               (uintmax_t)page[4]);
        hlrc_barrier();
    }
}

/* A word goes round, stored to or put, loaded or got; all have copies now and then. Neighbours are
 * written without a lock. */
static void hand_over(uint64_t p)
{
    volatile uint64_t *w = &pages[p * PAGE_WORDS + 7], *turn = &pages[(PAGES - 1) * PAGE_WORDS + p];
    uint64_t n = (uint64_t)nodes;
    for (uint64_t k = 0; k < ROUNDS; k++) {
        volatile uint64_t *mine = &pages[p * PAGE_WORDS + 100 + (uint64_t)me];
        if (k % 5 == (uint64_t)me % 5)
            *mine = k + 1;
        else
            put(mine, k + 1);
        if (k % n == (uint64_t)me) {
            await(60, turn, k);
            uint64_t seen = k & 2 ? get(w) : *w;
            expect_word(seen, k, "page %ju: handed over", (uintmax_t)p);
            if (k % 3)
                put(w, k + 1);
            else
                *w = k + 1;
            expect_word(k & 4 ? *w : get(w), k + 1, "page %ju: its own", (uintmax_t)p);
            post(60, turn, k + 1);
        }
        expect_word(k & 1 ? get(mine) : *mine, k + 1, "page %ju: my own word", (uintmax_t)p);
    }
    hlrc_barrier();
    expect_word(get(w), ROUNDS, "page %ju: in the end", (uintmax_t)p);
    for (uint64_t i = 0; i < n; i++)
        expect_word(get(&pages[p * PAGE_WORDS + 100 + i]), ROUNDS, "page %ju: node %ju's",
                    (uintmax_t)p, (uintmax_t)i);
    hlrc_barrier();
}

/* [part.stale-only]. A page that this node has stored to is revoked by an acquire: its stores are
 * in its copy alone. */
static void dirty_and_stale(uint64_t p)
{
    volatile uint64_t *w = &pages[p * PAGE_WORDS + 300], *mine = w + 10 + 2 * me;
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        mine[0] = 2 * k;
        mine[1] = 2 * k;
        hlrc_lock(62);
        uint64_t seen = get(w);
        expect_word(get(&mine[0]), 2 * k, "page %ju: stored before an acquire", (uintmax_t)p);
        put(&mine[1], 2 * k + 1);
        if (k & 1)
            put(w, seen + 1);
        else
            *w = seen + 1;
        expect_word(k & 2 ? mine[1] : get(&mine[1]), 2 * k + 1, "page %ju: put over a store",
                    (uintmax_t)p);
        hlrc_unlock(62);
    }
    hlrc_barrier();
    expect_word(get(w), ROUNDS * (uint64_t)nodes, "page %ju: counted", (uintmax_t)p);
    for (int n = 0; n < nodes; n++)
        expect_word(get(&w[11 + 2 * n]), 2 * ROUNDS + 1, "page %ju: put over a store by node %d",
                    (uintmax_t)p, n);
    hlrc_barrier();
}

/* Each byte of some pages belongs to one thread of one node, neighbours to others. */
static void neighbours(int thread)
{
    size_t all = (size_t)nodes * THREADS, mine = (size_t)me * THREADS + (size_t)thread;
    for (size_t i = mine; i < 2 * PAGE; i += all) {
        unsigned char value = (unsigned char)(i * 7 + 1);
        if (i / all % 3)
            hlrc_put((void *)(uintptr_t)&bytes[i], &value, 1, HLRC_HOMES);
        else
            bytes[i] = value;
    }
}

static void check_neighbours(int thread)
{
    static _Thread_local unsigned char all[2 * PAGE];
    hlrc_get(all, (const void *)(uintptr_t)bytes, sizeof all, HLRC_HOMES);
    for (size_t i = 0; i < sizeof all; i++)
        expect(all[i] == (unsigned char)(i * 7 + 1), "thread %d: byte %zu is %d", thread, i,
               all[i]);
}

/* A column, to and from a row; and a list. */
static void sections(void)
{
    enum { ROWS = 64, WIDTH = 64 };
    volatile uint64_t *table = pages + PAGES * PAGE_WORDS;
    uint64_t row[ROWS], back[ROWS];
    const size_t counts[] = { 8, ROWS }, far = (size_t)WIDTH * 8, near = 8;
    void *there[ROWS];
    const void *here[ROWS];
    hlrc_handle_t handle;
    for (uint64_t i = 0; i < ROWS; i++) {
        row[i] = (uint64_t)me << 32 | i;
        there[i] = (void *)(uintptr_t)&table[i * WIDTH + 32 + (uint64_t)me];
        here[i] = &row[i];
    }
    hlrc_put_strided((void *)(uintptr_t)&table[me], &far, row, &near, counts, 1, HLRC_HOMES);
    hlrc_put_vector_nb(there, here, ROWS, 8, HLRC_HOMES, &handle);
    hlrc_wait(handle);
    hlrc_barrier();
    for (int n = 0; n < nodes; n++) {
        hlrc_get_strided_nb(back, &near, (const void *)(uintptr_t)&table[n], &far, counts, 1,
                            HLRC_HOMES, &handle);
        hlrc_wait(handle);
        for (uint64_t i = 0; i < ROWS; i++) {
            expect_word(back[i], (uint64_t)n << 32 | i, "column of node %d, row %ju", n,
                        (uintmax_t)i);
            expect_word(get(&table[i * WIDTH + 32 + (uint64_t)n]), (uint64_t)n << 32 | i,
                        "list of node %d, row %ju", n, (uintmax_t)i);
        }
    }
    hlrc_barrier();
}

/* [word.ordered]. What a node has stored is on its way to the home, node 0, when another one that
 * has acquired it puts to the same place. */
static void behind_a_diff(void)
{
    volatile uint64_t *w = &pages[PAGE_WORDS + 200], *turn = &pages[(PAGES - 1) * PAGE_WORDS + 50];
    int last = nodes - 1;
    for (uint64_t k = 0; k < ROUNDS; k++) {
        if (me == 1 % nodes) {
            w[1] = w[2] = k; /* a copy, and stores */
            await(61, turn, 2 * k);
            hlrc_lock(61);
            *w = 2 * k;
            *turn = 2 * k + 1;
            hlrc_unlock(61);
        }
        if (me == last) {
            await(61, turn, 2 * k + 1);
            put(w, 2 * k + 1);
            post(61, turn, 2 * k + 2);
        }
        hlrc_barrier();
        expect_word(me == 0 ? *w : get(w), 2 * k + 1, "put behind a store, round %ju",
                    (uintmax_t)k);
        hlrc_barrier();
    }
}

void litmus_run(void)
{
    pages = shared_words(PAGES * PAGE_WORDS + (uint64_t)64 * 64);
    bytes = shared_bytes(2 * PAGE);
    if (me == 0 && nodes > 1) {
        place(pages, PAGE, 1);
        place(&pages[PAGE_WORDS], PAGE, 0);
        place(&pages[2 * PAGE_WORDS], PAGE, nodes - 1);
        place(&pages[(PAGES - 1) * PAGE_WORDS], PAGE, 1); /* of turns: not with the diffs below */
    }
    hlrc_barrier();
    expect_word(get(&pages[4 * PAGE_WORDS]), 0, "of a page that nobody has touched");
    if (nodes > 1)
        without_pages();
    for (uint64_t p = 1; p < PAGES - 1; p++)
        hand_over(p);
    for (uint64_t p = 1; p < PAGES - 1; p++)
        dirty_and_stale(p);
    in_threads(THREADS, neighbours);
    hlrc_barrier();
    in_threads(THREADS, check_neighbours);
    hlrc_barrier();
    sections();
    behind_a_diff();
}
