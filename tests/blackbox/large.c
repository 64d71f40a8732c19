/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: shared memory beyond 4 GiB. Pages that lie 4 GiB apart differ in nothing but the bits
 * that a number of 32 bits loses; so they hold different values, and are written, read, merged,
 * prefetched, placed and given back beside each other. large.sh runs it, with --memory 6G.
 */
#include "tests/litmus/litmus.h"

LITMUS("beyond 4 GiB", 2)

#define FAR       (UINT64_C(1) << 32) /* bytes */
#define FAR_WORDS (FAR / sizeof(uint64_t))
#define TAIL      (UINT64_C(1) << 29) /* of the array, behind the 4 GiB */
#define TRIED     48u /* pages on each side, half of them at the ends of the array's halves */

static volatile uint64_t *data;
static uint64_t sum;

/* The first word of tried page i, on the near side or 4 GiB behind it. */
static volatile uint64_t *word(uint64_t i, int far)
{
    uint64_t last = TAIL / PAGE - 1;
    uint64_t page = i < 16 ? i : i < 32 ? last - (i - 16) : (i * 2654435761u) % last;
    return data + page * PAGE_WORDS + (far ? FAR_WORDS : 0);
}

static uint64_t value(uint64_t k, uint64_t i, int far)
{
    return k << 32 | i << 1 | (uint64_t)far;
}

static void check(uint64_t k, uint64_t at)
{
    for (uint64_t i = 0; i < TRIED; i++)
        for (int far = 0; far < 2; far++)
            expect_word(word(i, far)[at], value(k, i, far), "round %ju, page %ju %s, word %ju",
                        (uintmax_t)k, (uintmax_t)i, far ? "beyond" : "below", (uintmax_t)at);
}

/* All sides in turn: the node that writes, and which of a pair of pages it writes first. */
static void rounds(void)
{
    for (uint64_t k = 1; k <= 4; k++) {
        if ((uint64_t)me == k % 2)
            for (uint64_t i = 0; i < TRIED; i++)
                for (int far = 0; far < 2; far++)
                    word(i, far ^ (int)(k / 2 % 2))[0] = value(k, i, far ^ (int)(k / 2 % 2));
        hlrc_barrier();
        check(k, 0);
        hlrc_barrier();
    }
}

/* Both write every page, each its own word; then one prefetches. */
static void together(void)
{
    for (uint64_t i = 0; i < TRIED; i++)
        for (int far = 0; far < 2; far++)
            word(i, far)[1 + me] = value(9, i, far);
    hlrc_barrier();
    if (me == 1)
        for (uint64_t i = 0; i < TRIED; i++)
            expect(hlrc_prefetch((void *)(uintptr_t)word(i, 1), PAGE) == 0, "hlrc_prefetch");
    check(9, 1);
    check(9, 2);
    hlrc_barrier();
}

/* Homes of pages 4 GiB apart are two homes. */
static void homes(void)
{
    volatile uint64_t *near = data + (TAIL / 2 / PAGE + 7) * PAGE_WORDS, *far = near + FAR_WORDS;
    if (me == 0) {
        place(near, 3 * PAGE, 0);
        place(far, 3 * PAGE, 1);
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < 3; p++) {
        expect_word((uint64_t)hlrc_home((void *)(uintptr_t)(near + p * PAGE_WORDS)), 0,
                    "home of the near page");
        expect_word((uint64_t)hlrc_home((void *)(uintptr_t)(far + p * PAGE_WORDS)), 1,
                    "home of the far page");
    }
    hlrc_barrier();
}

/* Pages whose neighbours 4 GiB before them nobody touches; some have their writer as default home,
 * some have not. */
static void far_only(void)
{
    volatile uint64_t *first = data + FAR_WORDS + (TAIL / 2 / PAGE + 100) * PAGE_WORDS;
    for (uint64_t i = 0; i < TRIED; i++)
        if ((uint64_t)me == i % 2)
            first[i * 300 * PAGE_WORDS] = value(3, i, 1);
    hlrc_barrier();
    for (uint64_t i = 0; i < TRIED; i++)
        expect_word(first[i * 300 * PAGE_WORDS], value(3, i, 1),
                    "page %ju of those written beyond alone", (uintmax_t)i);
    hlrc_barrier();
}

/* What begins beyond 4 GiB is given back, and had again as zeros; what lies below stays. */
static void again_beyond(void)
{
    uint64_t count = TAIL / 8 / sizeof(uint64_t);
    volatile uint64_t *more = shared_words(count);
    expect(((uintptr_t)more & (8 * FAR - 1)) >= FAR, "%p lies below", (void *)(uintptr_t)more);
    for (int round = 0; round < 2; round++) {
        for (uint64_t at = 0; at < count; at += count / 16)
            expect_word(more[at], 0, "word %ju of %ju, had for the %d. time", (uintmax_t)at,
                        (uintmax_t)count, round + 1);
        hlrc_barrier();
        for (uint64_t at = 0; at < count; at += count / 16)
            if (at / (count / 16) % 2 == (uint64_t)me)
                more[at] = at + 1;
        hlrc_barrier();
        hlrc_free_all((void *)(uintptr_t)more);
        more = shared_words(count);
    }
}

/* A run of pages across the line, changed in one call and in one interval. */
static void across(void)
{
    volatile uint64_t *line =
        (volatile uint64_t *)(uintptr_t)(((uintptr_t)data + FAR) & ~(FAR - 1));
    volatile uint64_t *first = line - 8 * PAGE_WORDS;
    if (me == 1) {
        expect(hlrc_touch((void *)(uintptr_t)first, 16 * PAGE, 1) == 0, "hlrc_touch");
        for (uint64_t p = 0; p < 16; p++)
            first[p * PAGE_WORDS + p] = value(7, p, 0);
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < 16; p++)
        expect_word(first[p * PAGE_WORDS + p], value(7, p, 0), "page %ju of 16 across the line",
                    (uintmax_t)p);
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words((FAR + TAIL) / sizeof *data);
    for (uint64_t i = 0; i < TRIED; i += 3)
        sum += *word(i, (int)(i / 3 % 2));
    expect_word(sum, 0, "what is in fresh memory");
    hlrc_barrier();
    homes();
    rounds();
    together();
    across();
    far_only();
    again_beyond();
    check(4, 0);
    hlrc_barrier();
    hlrc_free_all((void *)(uintptr_t)data);
    volatile uint64_t *before = data;
    data = shared_words((FAR + TAIL) / sizeof *data);
    expect(data == before, "the same memory is not had again: %p, before %p",
           (void *)(uintptr_t)data, (void *)(uintptr_t)before);
    for (uint64_t i = 0; i < TRIED; i++)
        for (int far = 0; far < 2; far++)
            for (uint64_t at = 0; at < 3; at++)
                expect_word(word(i, far)[at], 0, "page %ju %s, given back and had again",
                            (uintmax_t)i, far ? "beyond" : "below");
    hlrc_barrier();
    rounds();
}
