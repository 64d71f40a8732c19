/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 8, atomic words. All operations on one happen one after the other, whatever nodes and
 * threads they come from, the owner of the word included.
 */
#include "tests/litmus/litmus.h"

#include <stdlib.h>

LITMUS("rule 8, atomic words", 1, 2, 3, 4)

#define THREADS 2
#define COUNT   150u
#define WORDS   4

static hlrc_atomic_t words[WORDS]; /* each made by another node, so that each has another home */
static volatile unsigned char *taken;

static uint64_t total(void)
{
    return COUNT * THREADS * (uint64_t)nodes;
}

static void tickets(int thread)
{
    for (uint64_t k = 0; k < COUNT; k++) {
        uint64_t ticket = hlrc_atomic_fetch_add(words[0], 1);
        expect(ticket < total(), "thread %d got ticket %ju of %ju", thread, (uintmax_t)ticket,
               (uintmax_t)total());
        /* two tickets' bytes may share a page: the threads' own business */
        hlrc_lock((hlrc_lock_t)(60 + thread));
        expect(taken[ticket] == 0, "ticket %ju was given out twice", (uintmax_t)ticket);
        taken[ticket] = 1;
        hlrc_unlock((hlrc_lock_t)(60 + thread));
    }
}

/* compare_exchange, in a loop, adds 3; exchange passes a baton of which there is one. */
static void swaps(int thread)
{
    for (uint64_t k = 0; k < COUNT; k++) {
        uint64_t seen = hlrc_atomic_load(words[1]), before = seen;
        while (!hlrc_atomic_compare_exchange(words[1], &seen, seen + 3)) {
            expect(seen != before,
                   "thread %d: compare_exchange failed although the word was as expected", thread);
            before = seen;
        }
        uint64_t mine = hlrc_atomic_exchange(words[2], 0);
        expect(mine <= 1, "the baton is %ju", (uintmax_t)mine);
        if (mine == 1) {
            hlrc_atomic_fetch_add(words[3], 1);
            expect_word(hlrc_atomic_exchange(words[2], 1), 0, "the baton while it was held");
        }
    }
}

static void make_words(void)
{
    for (int i = 0; i < WORDS; i++) {
        int maker = i % nodes;
        if (me == maker)
            expect(hlrc_atomic_create(&words[i], 5) == 0, "hlrc_atomic_create");
        expect(hlrc_broadcast(&words[i], sizeof words[i], maker) == 0, "hlrc_broadcast");
        expect_word(hlrc_atomic_load(words[i]), 5, "a new word");
    }
    hlrc_barrier();
    for (int i = 0; me == 0 && i < WORDS; i++)
        expect_word(hlrc_atomic_exchange(words[i], i == 2), 5, "a word before the exchange");
    hlrc_barrier();
}

/* Handles of all nodes are different, and come back. */
static void many_words(void)
{
    enum { MANY = 500 };
    static hlrc_atomic_t own[MANY];
    for (uint64_t i = 0; i < MANY; i++)
        expect(hlrc_atomic_create(&own[i], 1000 * (uint64_t)me + i) == 0, "hlrc_atomic_create %ju",
               (uintmax_t)i);
    hlrc_barrier();
    for (uint64_t i = 0; i < MANY; i++)
        expect_word(hlrc_atomic_load(own[i]), 1000 * (uint64_t)me + i, "word %ju of this node",
                    (uintmax_t)i);
    for (uint64_t i = 0; i < MANY; i++)
        hlrc_atomic_destroy(own[i]);
    hlrc_atomic_t again;
    expect(hlrc_atomic_create(&again, UINT64_MAX) == 0, "hlrc_atomic_create after destroy");
    expect_word(hlrc_atomic_fetch_add(again, 2), UINT64_MAX, "a word with the largest value");
    expect_word(hlrc_atomic_load(again), 1, "the word, wrapped around");
    hlrc_atomic_destroy(again);
}

void litmus_run(void)
{
    taken = shared_bytes(total());
    make_words();
    in_threads(THREADS, tickets);
    in_threads(THREADS, swaps);
    hlrc_barrier();
    for (uint64_t k = 0; k < total(); k++)
        expect(taken[k] == 1, "ticket %ju was never given out", (uintmax_t)k);
    expect_word(hlrc_atomic_load(words[0]), total(), "the number of tickets");
    expect_word(hlrc_atomic_load(words[1]), 3 * total(), "the sum by compare_exchange");
    expect_word(hlrc_atomic_load(words[2]), 1, "the baton in the end");
    expect(hlrc_atomic_load(words[3]) >= 1, "nobody ever had the baton");
    many_words();
}
