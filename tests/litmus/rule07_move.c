/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 7, homes that move [home-migration.held], [home-migration.full-barrier]: a page that one
 * node alone writes gets its home there in a barrier, unless the home reads it, or it was placed.
 * Meanwhile other threads of all nodes read and write it; every value is right afterwards, with
 * every node, and it moves a bounded number of times.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>
#include <time.h>

LITMUS("rule 7, homes that move", 2, 3)

#define PAGES   16u
#define WRITERS 8u  /* words at the front of a page that are not the writer's alone */
#define ROUNDS  48u /* a fourth move of a page would take 34, and it is kept writable for some */

enum { LOCK_COUNTER = 5 };

static volatile uint64_t *data;
static atomic_bool rounds_end;
static atomic_int mover, left; /* the nodes that pages move to, and leave */

/* Every byte of a word changes from round to round. */
static uint64_t value(uint64_t round, uint64_t page, uint64_t at)
{
    return (round * PAGES + page + at) * UINT64_C(0x9e3779b97f4a7c15);
}

static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    return data + page * PAGE_WORDS + at;
}

/* By writing there first, not by placing them, which would keep them there. */
static void at_home_at_0(void)
{
    for (uint64_t p = 0; me == 0 && p < PAGES; p++)
        *word(p, 0) = 1;
    hlrc_barrier();
}

static uint64_t moved(void)
{
    return stats().homes_moved;
}

static void expect_homes(int node)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect(hlrc_home((void *)(uintptr_t)word(p, 0)) == node,
               "page %ju has its home at %d, not %d", (uintmax_t)p,
               hlrc_home((void *)(uintptr_t)word(p, 0)), node);
}

/* Node `writer` writes every page in every round; all look but node `home`. */
static void written_by(int writer, int home, uint64_t from, uint64_t rounds)
{
    for (uint64_t k = from; k < from + rounds; k++) {
        for (uint64_t p = 0; me == writer && p < PAGES; p++)
            for (uint64_t i = WRITERS; i < PAGE_WORDS; i++)
                *word(p, i) = value(k, p, i);
        hlrc_barrier();
        for (uint64_t p = 0; me != home && p < PAGES; p++)
            for (uint64_t i = WRITERS; i < PAGE_WORDS; i += 99)
                expect_word(*word(p, i), value(k, p, i), "page %ju, written by node %d",
                            (uintmax_t)p, writer);
        hlrc_barrier();
    }
}

static void seen_by_all(uint64_t round)
{
    for (uint64_t p = 0; p < PAGES; p++)
        for (uint64_t i = WRITERS; i < PAGE_WORDS; i++)
            expect_word(*word(p, i), value(round, p, i), "page %ju after the last round",
                        (uintmax_t)p);
    hlrc_barrier();
}

static void follows_the_writer(void)
{
    int last = nodes - 1;
    data = shared_words(PAGES * PAGE_WORDS);
    at_home_at_0();
    expect_homes(0);
    uint64_t before = moved();
    written_by(last, 0, 1, ROUNDS);
    expect_homes(last);
    expect_word(moved() - before, me == last ? PAGES : 0, "homes that moved to node %d", me);
    seen_by_all(ROUNDS);
    written_by(0, last, 100, ROUNDS);
    expect_homes(0);
    seen_by_all(100 + ROUNDS - 1);
    written_by(last, 0, 200, ROUNDS);
    expect_homes(last);
    written_by(0, last, 300, ROUNDS);
    expect_homes(last);
    seen_by_all(300 + ROUNDS - 1);
}

/* A home that reads what another node writes is best off as it is. */
static void stays_with_a_reader(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    at_home_at_0();
    written_by(nodes - 1, -1, 1, ROUNDS);
    expect_homes(0);
    hlrc_barrier();
}

/* While pages move a second thread of each node is at work, under a lock: where they move to it
 * writes words of its own, where they leave it increments a word of those of the second half, which
 * move late for that, and a third node looks at all. */
static uint64_t increments, own;

static void write_own_words(void)
{
    hlrc_lock(LOCK_COUNTER);
    for (uint64_t p = 0; p < PAGES; p++) {
        expect_word(*word(p, 2 + (uint64_t)me), own, "page %ju, the word of node %d's thread",
                    (uintmax_t)p, me);
        *word(p, 2 + (uint64_t)me) = own + 1;
    }
    own++;
    hlrc_unlock(LOCK_COUNTER);
}

static void increment(void)
{
    uint64_t p = PAGES / 2 + increments % (PAGES / 2);
    hlrc_lock(LOCK_COUNTER);
    *word(p, 1) = *word(p, 1) + 1;
    hlrc_unlock(LOCK_COUNTER);
    increments++;
}

/* All pages, of which some come from their home just now. */
static uint64_t look(uint64_t least)
{
    uint64_t sum = 0;
    hlrc_lock(LOCK_COUNTER);
    for (uint64_t p = 0; p < PAGES; p++)
        sum += *word(p, 1);
    hlrc_unlock(LOCK_COUNTER);
    expect(sum >= least, "%ju increments, after %ju", (uintmax_t)sum, (uintmax_t)least);
    return sum;
}

static void beside(void)
{
    static const struct timespec pause = { 0, 2000000 };
    uint64_t seen = 0;
    while (!atomic_load(&rounds_end)) {
        if (me == atomic_load(&mover))
            write_own_words();
        else if (me == atomic_load(&left))
            increment();
        else
            seen = look(seen);
        nanosleep(&pause, NULL); /* or the thread that makes them move has no turn */
    }
}

static void moved_by(int writer, int home, uint64_t from, uint64_t rounds)
{
    atomic_store(&mover, writer);
    atomic_store(&left, home);
    written_by(writer, home, from, rounds);
}

static void work(int thread)
{
    if (thread != 0) {
        beside();
        return;
    }
    moved_by(nodes - 1, 0, 1, ROUNDS);
    moved_by(0, nodes - 1, 100, ROUNDS);
    atomic_store(&rounds_end, true);
}

static void amid_other_threads(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    volatile uint64_t *sum = shared_words(1);
    at_home_at_0();
    atomic_store(&rounds_end, false);
    increments = own = 0;
    in_threads(2, work);
    hlrc_lock(LOCK_COUNTER);
    *sum += increments;
    hlrc_unlock(LOCK_COUNTER);
    hlrc_barrier();
    uint64_t counted = 0;
    for (uint64_t p = 0; p < PAGES; p++)
        counted += *word(p, 1);
    expect_word(counted, *sum, "increments under the lock");
    seen_by_all(100 + ROUNDS - 1);
}

/* [home-migration.full-barrier]: no home moves where nodes arrive and depart by two calls, and may
 * do anything in between. */
static void split(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    at_home_at_0();
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (uint64_t p = 0; me == nodes - 1 && p < PAGES; p++)
            for (uint64_t i = 0; i < PAGE_WORDS; i++)
                *word(p, i) = value(k, p, i);
        if (me == nodes - 1) {
            hlrc_barrier_arrive();
            hlrc_lock(LOCK_COUNTER);
            hlrc_unlock(LOCK_COUNTER);
            hlrc_barrier_depart();
        } else {
            hlrc_barrier();
        }
    }
    expect_homes(0);
    hlrc_barrier();
}

/* What was placed stays. */
static void placed(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    if (me == nodes - 1)
        place(data, PAGES * PAGE, 0);
    hlrc_barrier();
    written_by(nodes - 1, 0, 1, ROUNDS);
    expect_homes(0);
    hlrc_barrier();
}

void litmus_run(void)
{
    placed();
    follows_the_writer();
    stays_with_a_reader();
    amid_other_threads();
    split();
}
