/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: what was prefetched and has arrived is read without waiting for a fetch; a prefetch is
 * a hint, harmless in every state of a page.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("prefetch", 2, 3)

#define PAGES 100u

static volatile uint64_t *data;

static void prefetch(uint64_t first, uint64_t count)
{
    expect(hlrc_prefetch((void *)(uintptr_t)&data[first * PAGE_WORDS], count * PAGE) == 0,
           "hlrc_prefetch");
}

static void write_all(uint64_t k)
{
    if (me == 0)
        for (uint64_t p = 0; p < PAGES; p++)
            data[p * PAGE_WORDS] = k * PAGES + p;
    hlrc_barrier();
}

static void read_all(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], k * PAGES + p, "page %ju", (uintmax_t)p);
}

/* At most 32 pages: a hint may be dropped beyond some number in flight. Node 0 answers in order, so
 * all copies are here when the barrier, of which it is the master, is over; but the thread that
 * takes in the last of them may be delayed behind the one that leaves the barrier. The seconds that
 * were waited. */
static double no_wait(uint64_t k)
{
    write_all(k);
    if (me == 1)
        prefetch(0, 32);
    hlrc_barrier();
    struct hlrc_stats before = stats();
    for (uint64_t p = 0; p < 32; p++)
        expect_word(data[p * PAGE_WORDS], k * PAGES + p, "page %ju, prefetched", (uintmax_t)p);
    struct hlrc_stats after = stats();
    if (me == 1) {
        expect_word(after.rdma_reads, before.rdma_reads, "the number of remote reads");
        expect_word(after.messages, before.messages, "the number of messages");
    }
    hlrc_barrier();
    return after.page_s - before.page_s;
}

/* Waits are shares of a wall time that goes on: equal but for rounding, and the moment between two
 * looks at clocks. A wait takes a microsecond at least. */
static void no_waits(void)
{
    double least = no_wait(1);
    for (uint64_t k = 2; k <= 4; k++) {
        double waited = no_wait(k);
        least = waited < least ? waited : least;
    }
    if (me == 1)
        expect(least < 1e-6, "%.9f seconds at least were spent waiting for pages", least);
}

/* Prefetched, then at once read, written, touched, prefetched again, or invalidated by an
 * acquire. */
static void at_once(uint64_t k)
{
    write_all(k);
    if (me != 0) {
        prefetch(0, PAGES);
        prefetch(0, PAGES);
        if (k % 2)
            data[3 * PAGE_WORDS + (uint64_t)me] = k;
        expect(hlrc_touch((void *)(uintptr_t)&data[5 * PAGE_WORDS], 3 * PAGE, k % 2) == 0,
               "hlrc_touch");
    }
    read_all(k);
    if (me != 0)
        prefetch(0, PAGES); /* all here */
    hlrc_barrier();
    write_all(k + 1000);
    if (me == 1)
        prefetch(0, PAGES); /* under way when the next notices come */
    if (me == 0)
        for (uint64_t p = 0; p < PAGES; p++)
            data[p * PAGE_WORDS + 100] = k;
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS + 100], k,
                    "page %ju, written while it was being prefetched", (uintmax_t)p);
    hlrc_barrier();
}

/* Of a page that stays writable, or is opened ahead, it is announced whether or not it was written
 * [page.equal-twin]. */
LITMUS_SET(HOT_PAGES, "0")
LITMUS_SET(AHEAD, "0")

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    if (me == 0)
        place(data, PAGES * PAGE, 0);
    hlrc_barrier();
    prefetch(0, PAGES); /* untouched */
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], 0, "page %ju, untouched", (uintmax_t)p);
    hlrc_barrier();
    no_waits();
    for (uint64_t k = 11; k <= 16; k++)
        at_once(k);
}
