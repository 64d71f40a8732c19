/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 7, memory of the program's own (range.h): an array that is in the executable's file, one
 * that was filled before the job and one of zeros are shared where they are. Every node has what is
 * in them without fetching it; who writes first becomes the home, who comes second keeps its
 * writes; runs of pages go on where one array ends and the next begins, somewhere else; copies go
 * and come back; in the end each node has them to itself.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

LITMUS("rule 7, memory of the program's own", 1, 2, 3, 4)

/* Addresses are the same on all nodes, and not those of another program's run. */
LITMUS_SET(NO_ASLR, "yes")
#ifdef FEW_COPIES
LITMUS_SET(CACHE_SIZE, "64K")
#endif

#define IN_FILE 8u
#define FILLED  40u
#define ZEROS   60u
#define CLEARED 120u /* more than a stream has before pages get homes ahead of it */
#define PAGES   (IN_FILE + FILLED + ZEROS)
#define NODES   4u /* at most */
#define ROUNDS  5u
#define OF_PAGE __attribute__((aligned(4096)))

static volatile uint64_t zeros[ZEROS * PAGE_WORDS] OF_PAGE, filled[FILLED * PAGE_WORDS] OF_PAGE;
static volatile uint64_t in_file[IN_FILE * PAGE_WORDS] OF_PAGE = {
    [0] = 11, [PAGE_WORDS - 1] = 22, [5 * PAGE_WORDS + 100] = 33, [IN_FILE * PAGE_WORDS - 1] = 44
};

/* Filled before the job, and cleared in it. */
static volatile uint64_t cleared[CLEARED * PAGE_WORDS] OF_PAGE;

/* Of what is stored before the job. */
static uint64_t filling(uint64_t at)
{
    return at % 3 ? at * UINT64_C(0x9e3779b97f4a7c15) : 0;
}

static void share(volatile uint64_t *at, size_t bytes)
{
    if (hlrc_share((void *)(uintptr_t)at, bytes) != 0) {
        fprintf(stderr, "hlrc_share(%p, %zu)\n", (void *)(uintptr_t)at, bytes);
        _exit(1);
    }
}

/* Page `page` of the arrays, in the order in which they were shared. */
static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    if (page < IN_FILE)
        return in_file + page * PAGE_WORDS + at;
    page -= IN_FILE;
    if (page < FILLED)
        return filled + page * PAGE_WORDS + at;
    return zeros + (page - FILLED) * PAGE_WORDS + at;
}

static uint64_t at_first(uint64_t page, uint64_t at)
{
    if (page >= IN_FILE + FILLED)
        return 0;
    if (page >= IN_FILE)
        return filling((page - IN_FILE) * PAGE_WORDS + at);
    return page == 0 && at == 0                          ? 11
           : page == 0 && at == PAGE_WORDS - 1           ? 22
           : page == 5 && at == 100                      ? 33
           : page == IN_FILE - 1 && at == PAGE_WORDS - 1 ? 44
                                                         : 0;
}

/* Behind hlrc_finalize: what this node saw last is there, and is its own. */
static void after_the_job(void)
{
    if (nodes == 0)
        return;
    for (uint64_t p = 0; p < PAGES; p++)
        if (*word(p, 1) == UINT64_MAX) /* none: it is read */
            _exit(1);
    for (uint64_t p = 0; p < PAGES; p++)
        *word(p, 1) = p;
    for (uint64_t p = 0; p < PAGES; p++)
        if (*word(p, 1) != p)
            _exit(1);
}

__attribute__((constructor)) static void before_the_job(void)
{
    for (uint64_t i = 0; i < FILLED * PAGE_WORDS; i++)
        filled[i] = filling(i);
    for (uint64_t i = 0; i < CLEARED * PAGE_WORDS; i++)
        cleared[i] = filling(i);
    share(in_file, sizeof in_file);
    share(filled, sizeof filled);
    share(zeros, sizeof zeros);
    share(cleared, sizeof cleared);
    atexit(after_the_job);
}

static void *address(uint64_t page)
{
    return (void *)(uintptr_t)word(page, 0);
}

/* Words that the parts below write: by node (16 on), by round (32 on), one that is counted. */
static bool is_written(uint64_t at)
{
    return at >= 16 && at < 64;
}

static void expect_begun(const char *when)
{
    for (uint64_t p = 0; p < PAGES; p++)
        for (uint64_t at = 0; at < PAGE_WORDS; at++)
            if (!is_written(at))
                expect_word(*word(p, at), at_first(p, at), "%s: page %ju, word %ju", when,
                            (uintmax_t)p, (uintmax_t)at);
}

static void nothing_is_sent(void)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect(hlrc_home(address(p)) == (nodes == 1 ? 0 : -1), "page %ju has a home, %d",
               (uintmax_t)p, hlrc_home(address(p)));
    hlrc_barrier();
    if (!async || nodes == 1) { /* there whoever asks first is appointed */
        expect_begun("at first");
        expect_word(stats().page_fetches + stats().homes_assigned, 0, "pages fetched, and homes");
    }
    hlrc_barrier();
}

/* With ASYNC: the last node asks for all pages first, and is home of those that it did not have
 * anyway, since nobody has written them. */
static void appointed(void)
{
    uint64_t mine = 0;
    if (!async || nodes == 1)
        return;
    for (uint64_t p = 0; me == nodes - 1 && p < PAGES; p++)
        expect_word(*word(p, 5), at_first(p, 5), "page %ju, asked for first", (uintmax_t)p);
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++) {
        int home = hlrc_home(address(p));
        expect(home == -1 || home == nodes - 1, "page %ju, asked for by the last node, is at %d",
               (uintmax_t)p, home);
        mine += home == nodes - 1;
    }
    expect(mine > 0, "the last node is home of no page");
    hlrc_barrier();
}

/* Node 0 places one page of each array, and who is its home does not know. */
static void placed(void)
{
    static const uint64_t some[] = { 3, IN_FILE + 3, IN_FILE + FILLED + 3 };
    for (size_t i = 0; i < 3 && me == 0; i++)
        place(word(some[i], 0), PAGE, nodes - 1);
    hlrc_barrier();
    for (size_t i = 0; i < 3; i++)
        if (me != nodes - 1)
            *word(some[i], 16 + (uint64_t)me) = 100 + some[i];
    hlrc_barrier();
    for (size_t i = 0; i < 3; i++) {
        expect(hlrc_home(address(some[i])) == nodes - 1, "page %ju was placed, and is at %d",
               (uintmax_t)some[i], hlrc_home(address(some[i])));
        for (uint64_t n = 0; n + 1 < (uint64_t)nodes; n++)
            expect_word(*word(some[i], 16 + n), 100 + some[i], "placed page %ju, of node %ju",
                        (uintmax_t)some[i], (uintmax_t)n);
    }
    hlrc_barrier();
}

/* All write all pages first; half of them begin at the end. */
static void all_at_once(void)
{
    for (uint64_t k = 0; k < PAGES; k++) {
        uint64_t p = me % 2 ? PAGES - 1 - k : k;
        *word(p, 16 + (uint64_t)me) = 1000 * p + (uint64_t)me;
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        for (uint64_t n = 0; n < (uint64_t)nodes; n++)
            expect_word(*word(p, 16 + n), 1000 * p + n, "page %ju, the word of node %ju",
                        (uintmax_t)p, (uintmax_t)n);
    expect_begun("once written");
    for (uint64_t p = 0; p < PAGES; p++)
        expect(hlrc_home(address(p)) >= 0, "page %ju has no home", (uintmax_t)p);
    hlrc_barrier();
}

/* In runs, over the ends of the arrays: a page that an interval leaves writable, or open, where it
 * should be closed loses a round. */
static void in_runs(void)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t writer = round % (uint64_t)nodes;
        for (uint64_t p = 0; (uint64_t)me == writer && p < PAGES; p++)
            *word(p, 32 + round) = 10 * p + round;
        hlrc_barrier();
        for (uint64_t p = 0; p < PAGES; p++)
            for (uint64_t r = 1; r <= round; r++)
                expect_word(*word(p, 32 + r), 10 * p + r, "page %ju, round %ju of %ju",
                            (uintmax_t)p, (uintmax_t)r, (uintmax_t)round);
        hlrc_barrier();
    }
}

static void counted(void)
{
    for (uint64_t k = 0; k < 3 * PAGES; k++) {
        uint64_t p = (k * 7 + (uint64_t)me * 5) % PAGES;
        hlrc_lock((hlrc_lock_t)(p % 8));
        *word(p, 63) += 1;
        hlrc_unlock((hlrc_lock_t)(p % 8));
    }
    hlrc_barrier();
    uint64_t sum = 0;
    for (uint64_t p = 0; p < PAGES; p++)
        sum += *word(p, 63) - at_first(p, 63);
    expect_word(sum, 3 * PAGES * (uint64_t)nodes, "increments under locks");
    hlrc_barrier();
}

static void calls(void)
{
    char *at = address(IN_FILE);
    size_t bytes = FILLED * PAGE;
    expect(hlrc_touch(at, bytes, 1) == 0 && hlrc_prefetch(at + 100, bytes - 100) == 0,
           "touch and prefetch of the whole array");
    expect(hlrc_touch(at, bytes + 1, 0) == -EINVAL && hlrc_prefetch(at + 1, bytes) == -EINVAL,
           "touch and prefetch of more than the array");
    expect(hlrc_share(at, PAGE) == -EBUSY, "hlrc_share amid the job");
    hlrc_barrier();
}

#ifdef FEW_COPIES
/* On verbs memory that is registered stays. */
static void expect_evictions(void)
{
    const char *fabric = getenv("HLRC_FABRIC");
    uint64_t copies = 0;
    for (uint64_t p = 0; p < PAGES; p++)
        copies += hlrc_home(address(p)) != me;
    if (copies > 32 && (!fabric || strncmp(fabric, "shm", 3) == 0))
        expect(stats().evictions > 0, "of %ju copies none was given back", (uintmax_t)copies);
}
#endif

/* The last node writes nothing but zeros, page after page, some opened ahead of its faults
 * [readahead.twin], [readahead.dense-claims]: what was there before is gone everywhere. */
static void cleared_by_one(void)
{
    hlrc_barrier();
    if (me == nodes - 1)
        for (uint64_t i = 0; i < CLEARED * PAGE_WORDS; i++)
            cleared[i] = 0;
    hlrc_barrier();
    for (uint64_t i = 0; i < CLEARED * PAGE_WORDS; i++)
        expect_word(cleared[i], 0, "word %ju, cleared", (uintmax_t)i);
    hlrc_barrier();
}

void litmus_run(void)
{
    nothing_is_sent();
    cleared_by_one();
    placed();
    appointed();
    all_at_once();
    in_runs();
    counted();
    calls();
    expect_begun("in the end");
#ifdef FEW_COPIES
    expect_evictions();
#endif
    if (nodes == 1)
        expect_word(stats().read_faults + stats().write_faults, 0, "faults of a job of one");
}
