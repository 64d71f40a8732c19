/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 9, logs. Write-notice logs are bounded and lose nothing: intervals too large for them, and
 * too many of them while somebody does not look, arrive all the same.
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 9, notice logs", 2, 3)

#define PAGES     11000u /* in one interval, every second page: as many runs */
#define INTERVALS 4000u
#define SPREAD    97u

static volatile uint64_t *data, *flag, *words;
static hlrc_atomic_t released;

static volatile uint64_t *scattered(uint64_t p)
{
    return &data[2 * p * PAGE_WORDS + p % PAGE_WORDS];
}

/* Does not take part until it is told: not even by an acquire. */
static void stay_away(uint64_t until)
{
    await_atomic(released, until);
}

static void check_scattered(uint64_t k)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*scattered(p), k * PAGES + p, "interval %ju, page %ju", (uintmax_t)k,
                    (uintmax_t)p);
}

static void big_intervals(void)
{
    for (uint64_t k = 1; k <= 2; k++) {
        if (me == 0) {
            for (uint64_t p = 0; p < PAGES; p++)
                *scattered(p) = k * PAGES + p;
            post(1, flag, k);
            hlrc_atomic_fetch_add(released, 1);
        } else {
            if (me == nodes - 1)
                stay_away(k);
            await(1, flag, k);
            check_scattered(k);
        }
        hlrc_barrier();
    }
}

/* Where interval k of writer w is: every second one in a page of its own, so that no later record
 * covers a lost one. */
static volatile uint64_t *place_of(uint64_t k, uint64_t w)
{
    uint64_t page = k % 2 ? k % SPREAD : SPREAD + k / 2;
    return words + (page * ((uint64_t)nodes - 1) + w) * PAGE_WORDS + k % 8;
}

/* Writers 0 and, if there is one, 1; the last node sleeps through thousands of intervals of
 * both. */
static void many_intervals(void)
{
    uint64_t writers = (uint64_t)nodes - 1;
    if ((uint64_t)me < writers) {
        for (uint64_t k = 1; k <= INTERVALS; k++) {
            hlrc_lock((hlrc_lock_t)(10 + me));
            *place_of(k, (uint64_t)me) = k;
            hlrc_unlock((hlrc_lock_t)(10 + me));
        }
        hlrc_atomic_fetch_add(released, 1);
    } else {
        stay_away(2 + writers);
        for (uint64_t w = 0; w < writers; w++) {
            hlrc_lock((hlrc_lock_t)(10 + w));
            for (uint64_t k = 1; k <= INTERVALS; k++)
                if (k % 2 == 0 || k > INTERVALS - SPREAD)
                    expect_word(*place_of(k, w), k, "interval %ju of node %ju", (uintmax_t)k,
                                (uintmax_t)w);
            hlrc_unlock((hlrc_lock_t)(10 + w));
        }
    }
    hlrc_barrier();
}

/* Node 0 reads under a lock, again and again, and seldom writes: with --check races each such
 * release is an interval, most of them without pages [interval.own-time]. Another one takes them
 * all at the end, and a third one, if there is one, as they come. */
static void reading_intervals(void)
{
    volatile uint64_t *page = words + PAGE_WORDS;
    uint64_t from = *page, rest = INTERVALS / 2;
    hlrc_barrier();
    if (me == 0) {
        for (uint64_t k = 1; k <= rest; k++) {
            hlrc_lock(20);
            hlrc_note_read((const void *)(uintptr_t)data, sizeof data[0], NULL);
            if (k % 400 == 0)
                *page = from + k;
            hlrc_unlock(20);
        }
        hlrc_atomic_fetch_add(released, 1);
    } else if (me == nodes - 1) {
        stay_away((uint64_t)nodes + 2);
        hlrc_lock(20);
        expect_word(*page, from + rest, "the page that a reader wrote");
        hlrc_unlock(20);
    } else {
        await(20, page, from + rest);
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(2 * PAGES * PAGE_WORDS);
    flag = shared_words(1);
    words = shared_words((SPREAD + INTERVALS / 2 + 1) * (uint64_t)(nodes - 1) * PAGE_WORDS);
    released = shared_atomic();
    if (me == 0) /* half of them away from the writer: diffs, too */
        for (uint64_t p = 0; p < PAGES; p += 2)
            place(scattered(p), 1, nodes - 1);
    hlrc_barrier();
    /* all nodes have copies, so all have something to revoke */
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*scattered(p), 0, "page %ju before", (uintmax_t)p);
    for (uint64_t k = 1; k <= INTERVALS; k++)
        for (uint64_t w = 0; w + 1 < (uint64_t)nodes; w++)
            expect_word(*place_of(k, w), 0, "interval %ju before", (uintmax_t)k);
    hlrc_barrier();
    big_intervals();
    many_intervals();
    reading_intervals();
}
