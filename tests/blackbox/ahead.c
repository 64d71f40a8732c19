/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: a walk faults for few of its pages; what was opened for stores ahead of it and not
 * written is not announced, and no home is assigned but where a long walk fills new memory; every
 * value is right, in any order.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>

LITMUS("faults in runs", 2, 3)

#define PAGES  512u
#define FAULTS 18u /* of a walk: at 0, 1, 10, 27, 60 and every 33 pages (ahead.h) */

static volatile uint64_t *data, *fresh;

static void write_pages(uint64_t count, uint64_t k)
{
    for (uint64_t p = 0; p < count; p++)
        data[p * PAGE_WORDS] = k * PAGES + p;
}

static void read_pages(uint64_t count, uint64_t k, uint64_t step)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t p = i * step % count;
        expect_word(data[p * PAGE_WORDS], k * PAGES + p, "page %ju, written in round %ju",
                    (uintmax_t)p, (uintmax_t)k);
    }
}

/* Node 0 is the home of all pages and writes them; the last node reads them one after the other. */
static void walk(void)
{
    if (me == 0)
        write_pages(PAGES, 1);
    hlrc_barrier();
    struct hlrc_stats before = stats();
    if (me == nodes - 1)
        read_pages(PAGES, 1, 1);
    struct hlrc_stats after = stats();
    if (me == nodes - 1) {
        expect_word(after.read_faults - before.read_faults, FAULTS, "read faults of a walk");
        expect_word(after.page_fetches - before.page_fetches, PAGES, "page fetches of a walk");
    }
    hlrc_barrier();
}

/* A walk of stores that ends early, at the home and elsewhere. */
static void stores(int writer, uint64_t k)
{
    const uint64_t written = 12; /* at the eleventh page 16 more are opened */
    struct hlrc_stats before = stats();
    if (me == writer)
        write_pages(written, k);
    hlrc_barrier();
    struct hlrc_stats after = stats();
    if (me == writer)
        expect_word(after.write_faults - before.write_faults, 3, "write faults of node %d", me);
    if (me == writer) /* [readahead.twin]: what shows that they were not written */
        expect(after.twins - before.twins >= written - 3, "%ju twins at node %d",
               (uintmax_t)(after.twins - before.twins), me);
    uint64_t announced = after.write_notices - before.write_notices;
    /* all that were open: [page.equal-twin] */
    if (me == writer && hlrc_home((void *)(uintptr_t)data) == me)
        expect(announced >= written && announced <= PAGES, "%ju pages announced by the home",
               (uintmax_t)announced);
    else
        expect_word(announced, me == writer ? written : 0, "pages announced by node %d", me);
    read_pages(written, k, 1);
    for (uint64_t p = written; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], PAGES + p, "page %ju, opened ahead and not written",
                    (uintmax_t)p);
    hlrc_barrier();
}

/* Node 0 fills memory that nobody has written. After some pages its faults begin to assign homes
 * [readahead.dense-claims], and no page has one that lies farther behind the end than those of one
 * fault. A stream of a few pages leaves the ones behind it as they were. */
static void first_stores(void)
{
    const uint64_t most = 32, few = 32, begin = 2 * few,
                   end = PAGES - 2 * most; /* the default of --ahead */
    struct hlrc_stats before = stats();
    if (me == 0) {
        for (uint64_t p = begin; p < end; p++)
            fresh[p * PAGE_WORDS] = p + 1;
        for (uint64_t p = 0; p < few; p++)
            fresh[p * PAGE_WORDS] = p + 1;
    }
    struct hlrc_stats after = stats();
    if (me == 0 && !async) /* whose pages are fetched, or not tracked */
        expect_word(after.write_faults - before.write_faults, 94 + 12 + few,
                    "write faults of %ju pages that nobody has written", (uintmax_t)(end - begin));
    hlrc_barrier();
    for (uint64_t p = begin; p < end; p++)
        expect_word(fresh[p * PAGE_WORDS], p + 1, "page %ju, filled", (uintmax_t)p);
    for (uint64_t p = few; p < PAGES; p++)
        expect((p >= begin && p < end + most) ||
                   hlrc_home((void *)(uintptr_t)&fresh[p * PAGE_WORDS]) == -1,
               "page %ju, which no node has touched, has a home", (uintmax_t)p);
    hlrc_barrier();
}

/* All nodes fill the same fresh pages at once, from ends of their own: what one assigns ahead of
 * itself another one may be writing. */
static void first_stores_of_all(void)
{
    volatile uint64_t *all = shared_words(PAGES * PAGE_WORDS);
    hlrc_barrier();
    for (uint64_t i = 0; i < PAGES; i++) {
        uint64_t p = me % 2 ? PAGES - 1 - i : i;
        all[p * PAGE_WORDS + (uint64_t)me] = p + 1;
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        for (uint64_t n = 0; n < (uint64_t)nodes; n++)
            expect_word(all[p * PAGE_WORDS + n], p + 1, "page %ju, filled by node %ju",
                        (uintmax_t)p, (uintmax_t)n);
    hlrc_barrier();
}

/* Rows of two pages, dealt to the nodes in turn: who writes its own again is brought none of the
 * others. */
static void dealt_rows(void)
{
    uint64_t rows = PAGES / 2;
    volatile uint64_t *dealt = shared_words(PAGES * PAGE_WORDS);
    for (uint64_t k = 1; k <= 4; k++) {
        struct hlrc_stats before = stats();
        for (uint64_t row = (uint64_t)me; row < rows; row += (uint64_t)nodes)
            for (uint64_t p = 2 * row; p < 2 * row + 2; p++)
                dealt[p * PAGE_WORDS] = k * PAGES + p;
        struct hlrc_stats after = stats();
        expect_word(after.page_fetches, before.page_fetches, "pages fetched by who writes its own");
        hlrc_barrier();
    }
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(dealt[p * PAGE_WORDS], 4 * PAGES + p, "page %ju of the dealt rows",
                    (uintmax_t)p);
    hlrc_barrier();
}

/* All nodes write words of their own in all pages, in orders of their own. */
static void any_order(void)
{
    static const uint64_t steps[] = { 1, PAGES - 1, 5, 173 };
    for (uint64_t k = 1; k <= 4; k++) {
        uint64_t step = steps[(k + (uint64_t)me) % 4];
        for (uint64_t i = 0; i < PAGES; i++)
            data[i * step % PAGES * PAGE_WORDS + 8 + (uint64_t)me] = k * PAGES + i * step % PAGES;
        hlrc_barrier();
        for (uint64_t i = 0; i < PAGES; i++)
            for (uint64_t n = 0, p = i * step % PAGES; n < (uint64_t)nodes; n++)
                expect_word(data[p * PAGE_WORDS + 8 + n], k * PAGES + p,
                            "page %ju, the word of node %ju", (uintmax_t)p, (uintmax_t)n);
        hlrc_barrier();
    }
}

/* Memory that is given back lies behind pages that another thread of each node walks meanwhile, by
 * loads and by stores: what it opens ahead is not that. */
static volatile uint64_t *before_all;
static atomic_bool walk_ends;

static void walk_or_give_back(int thread)
{
    if (thread == 0) {
        for (uint64_t k = 1; k <= 20; k++) {
            volatile uint64_t *all = hlrc_malloc_all(32 * PAGE);
            expect(all, "hlrc_malloc_all");
            for (uint64_t i = 0; i < 32 * PAGE_WORDS; i += 64)
                expect_word(all[i], 0, "word %ju of new memory", (uintmax_t)i);
            hlrc_barrier();
            for (uint64_t p = 0; p < 32; p++)
                all[p * PAGE_WORDS + 8 * (uint64_t)me] = k;
            hlrc_barrier();
            hlrc_free_all((void *)(uintptr_t)all);
        }
        atomic_store(&walk_ends, true);
        return;
    }
    for (uint64_t k = 1; !atomic_load(&walk_ends); k++) {
        uint64_t sum = 0;
        for (uint64_t p = 0; p < 32; p++)
            sum += before_all[p * PAGE_WORDS];
        for (uint64_t p = 0; p < 32; p++)
            before_all[p * PAGE_WORDS + 1 + (uint64_t)me] = k;
        expect(sum == 0, "pages that nobody writes there: %ju", (uintmax_t)sum);
    }
}

static void given_back_meanwhile(void)
{
    before_all = hlrc_malloc_all(32 * PAGE);
    expect(before_all, "hlrc_malloc_all");
    atomic_store(&walk_ends, false);
    in_threads(2, walk_or_give_back);
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    fresh = shared_words(2 * PAGES * PAGE_WORDS) + PAGES * PAGE_WORDS; /* apart from those */
    if (me == 0)
        place(data, PAGES * PAGE, 0);
    hlrc_barrier();
    walk();
    stores(nodes - 1, 2); /* has the pages, and not the home */
    stores(0, 3);
    first_stores();
    dealt_rows();
    any_order();
    first_stores_of_all();
    given_back_meanwhile();
}
