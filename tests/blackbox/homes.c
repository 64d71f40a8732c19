/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: hlrc_home is -1, then the first toucher, whatever the number of the page, then
 * unchanged; hlrc_place is obeyed, and refuses what it must. A first touch is a write; under ASYNC
 * a foreign read as well.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>

LITMUS("homes", 2, 3, 4)

#define PAGES 64u

static volatile uint64_t *data;

static void *address(uint64_t p)
{
    return (void *)(uintptr_t)&data[p * PAGE_WORDS];
}

static int toucher(uint64_t p)
{
    return (int)(p * p / 3 % (uint64_t)nodes); /* no pattern of the page's number */
}

static void expect_home(uint64_t p, int want, const char *when)
{
    int home = hlrc_home(address(p));
    expect(home == want, "%s: the home of page %ju is %d, not %d", when, (uintmax_t)p, home, want);
}

static void first_touch(void)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_home(p, -1, "before the first touch");
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        if (toucher(p) == me)
            data[p * PAGE_WORDS] = p + 1;
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_home(p, toucher(p), "after the first touch");
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++) {
        expect_word(data[p * PAGE_WORDS], p + 1, "page %ju", (uintmax_t)p);
        data[p * PAGE_WORDS + 1 + (uint64_t)me] = 1;
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_home(p, toucher(p), "after all have written");
    hlrc_barrier();
}

/* A page that is only read, by one node and then by all. */
static void first_read(void)
{
    volatile uint64_t *page = shared_words(4 * PAGE_WORDS);
    for (uint64_t p = 0; p < 4; p++) {
        void *at = (void *)(uintptr_t)&page[p * PAGE_WORDS];
        if (me == 1)
            expect_word(page[p * PAGE_WORDS], 0, "a new page");
        hlrc_barrier();
        int home = hlrc_home(at);
        expect(async ? home >= -1 && home < nodes : home == -1,
               "a page that was only read has home %d", home);
        hlrc_barrier();
        if (me == 0)
            page[p * PAGE_WORDS] = 7;
        hlrc_barrier();
        int after = hlrc_home(at);
        expect(async ? home < 0 || after == home : after == 0,
               "a page that node 1 read and node 0 wrote has home %d", after);
        expect_word(page[p * PAGE_WORDS], 7, "the word");
        hlrc_barrier();
    }
}

static void placed(void)
{
    uint64_t n = (uint64_t)nodes;
    volatile uint64_t *page = shared_words(2 * n * PAGE_WORDS);
    char *base = (char *)(uintptr_t)page;
    if (me == nodes - 1)
        for (int h = 0; h < nodes; h++)
            /* parts of two pages */
            expect(hlrc_place(base + (uint64_t)h * 2 * PAGE + 100, PAGE, h) == 0,
                   "hlrc_place at %d", h);
    hlrc_barrier();
    for (uint64_t p = 0; p < 2 * n; p++)
        expect(hlrc_home(base + p * PAGE) == (int)(p / 2), "page %ju, placed at %ju, has home %d",
               (uintmax_t)p, (uintmax_t)(p / 2), hlrc_home(base + p * PAGE));
    for (uint64_t p = 0; p < 2 * n; p++)
        page[p * PAGE_WORDS + (uint64_t)me] = p;
    hlrc_barrier();
    for (uint64_t p = 0; p < 2 * n; p++)
        expect(hlrc_home(base + p * PAGE) == (int)(p / 2), "page %ju has moved to %d", (uintmax_t)p,
               hlrc_home(base + p * PAGE));
    int other = nodes - 1;
    expect(hlrc_place(base, 2 * PAGE, other) == -EBUSY, "pages that have a home could be placed");
    expect(hlrc_place(base, 2 * PAGE, 0) == 0, "pages could not be placed where they are");
    expect(hlrc_home(base) == 0, "a refused hlrc_place moved a page");
    hlrc_barrier();
}

/* Pages of an allocation that is placed, and at which node each is. */
static void expect_homes(char *at, uint64_t pages, hlrc_placement how, uint64_t unit)
{
    uint64_t n = (uint64_t)nodes, block = (pages + n - 1) / n;
    for (uint64_t p = 0; p < pages; p++) {
        uint64_t want = how == HLRC_BLOCK ? p / block : how == HLRC_CYCLIC ? p / unit % n : unit;
        expect(hlrc_home(at + p * PAGE) == (int)want, "page %ju of %ju, placed by %d, has home %d",
               (uintmax_t)p, (uintmax_t)pages, (int)how, hlrc_home(at + p * PAGE));
    }
}

static void allocated(void)
{
    static const uint64_t sizes[] = { 1, 9 * PAGE + 1 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int again = 0; again < 2; again++) { /* and in memory that was used */
            uint64_t pages = (sizes[i] + PAGE - 1) / PAGE, last = (uint64_t)nodes - 1;
            char *block = hlrc_alloc_placed(sizes[i], HLRC_BLOCK, 0),
                 *cyclic = hlrc_alloc_placed(sizes[i], HLRC_CYCLIC, 0),
                 *by_two = hlrc_alloc_placed(sizes[i], HLRC_CYCLIC, PAGE + 1),
                 *there = hlrc_alloc_placed(sizes[i], HLRC_AT, last);
            expect(block && cyclic && by_two && there, "hlrc_alloc_placed");
            expect_homes(block, pages, HLRC_BLOCK, 0);
            expect_homes(cyclic, pages, HLRC_CYCLIC, 1);
            expect_homes(by_two, pages, HLRC_CYCLIC, 2);
            expect_homes(there, pages, HLRC_AT, last);
            hlrc_barrier();
            for (uint64_t k = 0; k < sizes[i]; k += PAGE)
                if (k / PAGE % (uint64_t)nodes == (uint64_t)me)
                    block[k] = cyclic[k] = by_two[k] = there[k] = 1;
            hlrc_barrier();
            expect_homes(there, pages, HLRC_AT, last);
            hlrc_free_all(block);
            hlrc_free_all(cyclic);
            hlrc_free_all(by_two);
            hlrc_free_all(there);
        }
    expect(!hlrc_alloc_placed(1, HLRC_AT, (size_t)nodes) && errno == EINVAL, "at no node");
    expect(!hlrc_alloc_placed(1, (hlrc_placement)3, 0) && errno == EINVAL, "placed by nothing");
}

static void refused(void)
{
    int local;
    char *base = address(0);
    expect(hlrc_home(&local) == -EINVAL, "hlrc_home of private memory");
    expect(hlrc_home(NULL) == -EINVAL, "hlrc_home of NULL");
    expect(hlrc_place(base, PAGE, nodes) == -EINVAL && hlrc_place(base, PAGE, -1) == -EINVAL,
           "hlrc_place at no node");
    expect(hlrc_place(&local, 4, 0) == -EINVAL, "hlrc_place of private memory");
    expect(hlrc_place(base, SIZE_MAX - 100, 0) == -EINVAL, "hlrc_place of more than there is");
    expect(hlrc_prefetch(&local, 4) == -EINVAL && hlrc_touch(&local, 4, 1) == -EINVAL,
           "private memory was accepted");
    expect(hlrc_prefetch(base, SIZE_MAX / 2) == -EINVAL &&
               hlrc_touch(base, SIZE_MAX / 2, 0) == -EINVAL,
           "more memory than there is was accepted");
    expect(hlrc_place(base, 0, 0) == 0 && hlrc_prefetch(base, 0) == 0 &&
               hlrc_touch(base, 0, 1) == 0,
           "nothing was refused");
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    first_touch();
    first_read();
    placed();
    allocated();
    refused();
}
