/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, copies that are given back [copies.evict-clean], [copies.flush-early]: a node that may
 * keep few pages of other nodes reads and writes many, in turn, at once, by threads, and amid an
 * interval; each word is the last one written, and the memory stays bounded. A page that has lost
 * its home to another node goes as well.
 */
#include "tests/litmus/litmus.h"

#include <string.h>
#include <sys/mman.h>

LITMUS("rule 4, copies that are given back", 2, 3)

#define PAGES   240u /* 12 copies at a time, of 80 that another node is home of */
#define KEPT    16u  /* --cache-size */
#define AMID    48u  /* what fetches and opens ahead, of all threads, may add for a moment */
#define ROUNDS  4u
#define THREADS 3

LITMUS_SET(CACHE_SIZE, "64K")
LITMUS_SET(MOVE_HOMES, "on")

static volatile uint64_t *data;
static uint64_t round_now;

static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    return data + page * PAGE_WORDS + at;
}

static uint64_t value(uint64_t round, uint64_t page, uint64_t at)
{
    return (round * PAGES + page) * PAGE_WORDS + at + 1;
}

static uint64_t home_of(uint64_t page)
{
    return page * (uint64_t)nodes / PAGES;
}

/* Memory that the network has registered stays; so it is on verbs, in a space of this size. */
static bool memory_returns(void)
{
    const char *fabric = getenv("HLRC_FABRIC");
    return !fabric || strncmp(fabric, "shm", 3) == 0;
}

/* What this node has of the pages: its own, and not many more. */
static void expect_bounded(const char *what)
{
    unsigned char here[PAGES];
    uint64_t own = 0, some = 0;
    expect(mincore((void *)(uintptr_t)data, sizeof here * PAGE, here) == 0, "mincore");
    for (uint64_t p = 0; p < PAGES; p++) {
        own += hlrc_home((void *)(uintptr_t)word(p, 0)) == me;
        some += here[p] & 1;
    }
    if (memory_returns())
        expect(some <= own + KEPT + AMID, "%s: %ju pages here, %ju of them at home", what,
               (uintmax_t)some, (uintmax_t)own);
}

static uint64_t evictions(void)
{
    return stats().evictions;
}

static void write_own(uint64_t round)
{
    for (uint64_t p = 0; p < PAGES; p++)
        if (home_of(p) == (uint64_t)me)
            *word(p, 7) = value(round, p, 7);
}

static void check_all(uint64_t at, uint64_t round)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, at), value(round, p, at), "round %ju, page %ju, word %ju",
                    (uintmax_t)round, (uintmax_t)p, (uintmax_t)at);
}

/* Each reads what the homes wrote, twice: the second time nothing has been written since. */
static void read_in_turn(void)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        write_own(round);
        hlrc_barrier();
        check_all(7, round);
        check_all(7, round);
        expect_bounded("read in turn");
        hlrc_barrier();
    }
    expect(!memory_returns() || evictions() > 0, "no copy was given back");
}

/* Each writes to all pages, more than may be dirty, before its interval ends [copies.flush-early];
 * and finds what it wrote itself, too, when it comes again. */
static void write_amid(void)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t at = 20 + (uint64_t)me;
        for (uint64_t p = 0; p < PAGES; p++)
            *word(p, at) = value(round, p, at);
        expect_bounded("amid an interval");
        check_all(at, round);
        hlrc_barrier();
        for (uint64_t n = 0; n < (uint64_t)nodes; n++)
            check_all(20 + n, round);
        expect_bounded("written amid an interval");
        hlrc_barrier();
    }
}

/* One reads, one writes, one does both from the other end, each where the others are. */
static void one_of_three(int thread)
{
    uint64_t at = 100 + (uint64_t)(me * THREADS + thread);
    for (uint64_t i = 0; i < PAGES; i++) {
        uint64_t p = thread == 2 ? PAGES - 1 - i : i;
        if (thread != 0)
            *word(p, at) = value(round_now, p, at);
        if (thread != 1)
            expect_word(*word(p, 7), value(ROUNDS, p, 7), "page %ju, thread %d", (uintmax_t)p,
                        thread);
    }
}

static void by_threads(void)
{
    for (round_now = 1; round_now <= ROUNDS; round_now++) {
        in_threads(THREADS, one_of_three);
        hlrc_barrier();
        for (uint64_t n = 0; n < (uint64_t)(nodes * THREADS); n++)
            if (n % THREADS != 0)
                check_all(100 + n, round_now);
        expect_bounded("by threads");
        hlrc_barrier();
    }
}

/* Under a lock that goes round: what is given back amid a lock's interval is fetched as new. */
static void under_lock(void)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        hlrc_lock(3);
        for (uint64_t p = 0; p < PAGES; p += 3)
            ++*word(p, 200);
        hlrc_unlock(3);
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p += 3)
        expect_word(*word(p, 200), ROUNDS * (uint64_t)nodes, "page %ju, counted", (uintmax_t)p);
    hlrc_barrier();
}

/* Words are operated on, page after page, which takes a copy of each and no fault. */
static void operated_on(void)
{
    const uint64_t one = 1;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (uint64_t p = 0; p < PAGES; p++)
            expect(hlrc_word_fetch(hlrc_word_shared((void *)(uintptr_t)word(p, 210)), HLRC_UINT64,
                                   HLRC_SUM, &one, NULL, HLRC_RELAXED) == 0,
                   "hlrc_word_fetch");
        expect_bounded("operated on");
        hlrc_barrier();
    }
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, 210), ROUNDS * (uint64_t)nodes, "page %ju, operated on", (uintmax_t)p);
    hlrc_barrier();
}

/* Node 1 alone writes what is at home at node 0, whole pages, until their home is there: then node
 * 0 has copies that it never fetched. */
static void moved(void)
{
    for (uint64_t round = 1; round <= 30; round++) {
        for (uint64_t p = 0; p < PAGES && me == 1; p++)
            for (uint64_t at = 256; at < PAGE_WORDS && home_of(p) == 0; at++)
                *word(p, at) = value(round, p, at);
        hlrc_barrier();
    }
    for (uint64_t p = 0; p < PAGES; p++) /* makes room */
        if (home_of(p) != 0)
            expect_word(*word(p, 7), value(ROUNDS, p, 7), "not moved, page %ju", (uintmax_t)p);
    expect_bounded("moved");
    check_all(7, ROUNDS);
    for (uint64_t p = 0; p < PAGES; p++)
        for (uint64_t at = 256; at < PAGE_WORDS && home_of(p) == 0; at += 17)
            expect_word(*word(p, at), value(30, p, at), "moved, page %ju", (uintmax_t)p);
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    write_own(0);
    hlrc_barrier();
    read_in_turn();
    write_amid();
    by_threads();
    under_lock();
    operated_on();
    moved();
}
