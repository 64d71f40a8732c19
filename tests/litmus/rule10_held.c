/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 10, memory that is given back together while other threads of the node work
 * [page.unshared-block], [unshared.reset], [heap.reset]. Two allocations lie side by side in blocks
 * of one home. While one thread gives back the first,
 *
 *   neighbour  another thread touches the second for the first time. No page of the first may be
 *              opened with it: where a page is open that counts as closed, its node never fetches
 *              what another node writes there in its next life.
 *   prefetch   another thread finishes prefetches of the second, which opens the pages that follow.
 *              None of the first may be among them.
 *   closing    another thread ends intervals, and a node that comes later reads pages of the first
 *              for the first time. No closing may work on a page that is being reset.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>
#include <time.h>

LITMUS("rule 10, memory that is given back beside other threads", 2, 3)

#define ROUNDS 16u
#define PAGES  6u /* of each allocation */
#define LOCK   3

static volatile uint64_t *first, *second, *beside;
static uint64_t number; /* of the round, from 1 */
static atomic_bool given;
static hlrc_cond_t cond; /* this node's own */

static volatile uint64_t *allocate(void)
{
    volatile uint64_t *at = hlrc_malloc_all((uint64_t)PAGES * PAGE);
    expect(at, "hlrc_malloc_all");
    return at;
}

static void give_back(volatile uint64_t *at)
{
    hlrc_free_all((void *)(uintptr_t)at);
}

static void sleep_us(uint64_t us)
{
    struct timespec t = { .tv_nsec = (long)us * 1000 };
    nanosleep(&t, NULL);
}

static bool is_writer(void)
{
    return number % (uint64_t)nodes == (uint64_t)me;
}

static void write_words(volatile uint64_t *at, uint64_t value)
{
    for (uint64_t p = 0; p < PAGES && is_writer(); p++)
        at[p * PAGE_WORDS] = value;
    hlrc_barrier();
}

static void expect_words(volatile uint64_t *at, uint64_t value, const char *what)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(at[p * PAGE_WORDS], value, "round %ju: page %ju %s", (uintmax_t)number,
                    (uintmax_t)p, what);
}

static void give_or_touch(int thread)
{
    if (thread == 0) {
        give_back(first);
        return;
    }
    sleep_us(number * 7919 % 1500); /* about when the first is reset */
    expect_words(second, 0, "touched first");
}

static void give_or_prefetch(int thread)
{
    if (thread == 0) {
        give_back(first);
        return;
    }
    sleep_us(number * 7919 % 1500);
    (void)hlrc_prefetch((const void *)(uintptr_t)second, (size_t)PAGES * PAGE);
    expect_words(second, number + 1, "of a prefetch");
}

/* The next life of the first: one node writes it, all read it. */
static void live_again(void)
{
    volatile uint64_t *again = allocate();
    hlrc_barrier();
    write_words(again, number);
    expect_words(again, number, "of memory had again");
    hlrc_barrier();
    give_back(again);
}

static void neighbour(void)
{
    first = allocate();
    second = allocate();
    hlrc_barrier();
    in_threads(2, give_or_touch);
    hlrc_barrier();
    live_again();
    give_back(second);
}

static void prefetched(void)
{
    second = allocate();
    first = allocate(); /* behind it: where a prefetch is finished, what follows is opened */
    write_words(first, number);
    write_words(second, number);
    expect_words(first, number, "read by all");
    expect_words(second, number, "read by all");
    hlrc_barrier();
    write_words(second, number + 1);
    in_threads(2, give_or_prefetch);
    hlrc_barrier();
    live_again();
    give_back(second);
}

static void write_exclusively(void)
{
    /* announced, then without a trace [unshared.announced-first] */
    for (uint64_t k = 1; k <= 3; k++) {
        hlrc_lock(LOCK + (hlrc_lock_t)me);
        for (uint64_t p = 0; p < PAGES; p++)
            if (p % (uint64_t)nodes == (uint64_t)me)
                first[p * PAGE_WORDS] = number + k;
        hlrc_unlock(LOCK + (hlrc_lock_t)me);
        hlrc_barrier();
    }
}

/* Reads what other nodes wrote, page after page, and comes to the collective later than they do. */
static void read_late(void)
{
    for (uint64_t p = 0; p < PAGES; p++) {
        expect_word(first[p * PAGE_WORDS], number + 3, "page %ju, read late", (uintmax_t)p);
        sleep_ms(1);
    }
}

static void give_or_close(int thread)
{
    if (thread == 0) {
        if (is_writer())
            read_late();
        give_back(first);
        atomic_store(&given, true);
        return;
    }
    while (!atomic_load(&given)) {
        beside[me] += 1;
        hlrc_cond_signal(cond); /* a release */
        sleep_us(20);
    }
}

static void closing(void)
{
    first = allocate();
    atomic_store(&given, false);
    write_exclusively();
    in_threads(2, give_or_close);
    hlrc_barrier();
    live_again();
}

void litmus_run(void)
{
    beside = shared_words(PAGE_WORDS);
    expect(hlrc_cond_create(&cond) == 0, "hlrc_cond_create");
    for (number = 1; number <= ROUNDS; number++) {
        neighbour();
        prefetched();
        closing();
    }
}
