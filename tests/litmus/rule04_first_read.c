/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 4, the first read of a page. Its home writes it without a trace while no other node has a
 * copy [unshared.reader-mark], [unshared.announced-first], [unshared.new-readers]. Another node
 * gets one at any moment, amid an interval of the home, and must learn of all that the home writes
 * from then on, and have what it wrote before; also when another thread of the home than the one
 * that wrote releases.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>

LITMUS("rule 4, first reads", 2, 3)

#define PAGES  48u
#define ROUNDS 6u

static volatile uint64_t *data, *flag;
static uint64_t round_now;
static atomic_bool noise_ends;

static volatile uint64_t *word(uint64_t page, uint64_t at)
{
    return data + page * PAGE_WORDS + at;
}

/* A node reads a word of its own of each page while the home writes another one: a copy. */
static void take_copies(uint64_t first, uint64_t step)
{
    for (uint64_t p = first; p < PAGES; p += step)
        expect_word(*word(p, 100 + (uint64_t)me), 0, "page %ju, a word that nobody writes",
                    (uintmax_t)p);
}

/* Releases all the time, of intervals with nothing in them but what the other thread writes. */
static void release(void)
{
    for (uint64_t k = 0; !atomic_load(&noise_ends); k++) {
        hlrc_lock(20);
        hlrc_unlock(20);
        if (k % 64 == 0)
            sleep_ms(0);
    }
}

static void write_at_home(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (uint64_t p = 0; p < PAGES; p++) {
            *word(p, 0) = k;
            post(2, flag, (k - 1) * PAGES + p + 1);
        }
    }
    atomic_store(&noise_ends, true);
}

/* In each round more of the pages are read for the first time, at the moment when they are written;
 * and all that were read before. */
static void elsewhere(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (uint64_t p = 0; p < PAGES; p++) {
            if (p % ROUNDS == k - 1)
                take_copies(p, PAGES);
            await(2, flag, (k - 1) * PAGES + p + 1);
            if (p % ROUNDS <= k - 1)
                expect(*word(p, 0) >= k, "page %ju is of round %ju, not %ju", (uintmax_t)p,
                       (uintmax_t)*word(p, 0), (uintmax_t)k);
        }
    }
}

/* The home is node 0, or the last. */
static void first_reads(int at)
{
    data = hlrc_malloc_all(PAGES * PAGE);
    flag = shared_words(1);
    expect(data, "hlrc_malloc_all");
    atomic_store(&noise_ends, false);
    round_now = 0;
    if (me == at)
        for (uint64_t p = 0; p < PAGES; p++)
            *word(p, 1) = 1; /* the home; announced by the barrier, exclusive from then on */
    hlrc_barrier();
    if (me == at)
        in_two_threads(write_at_home, release);
    else
        elsewhere();
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(*word(p, 0), ROUNDS, "page %ju in the end", (uintmax_t)p);
    hlrc_barrier();
    hlrc_free_all((void *)(uintptr_t)data);
}

/* Every node writes a word of all pages at once, before it has read any: its zero copy is none that
 * the home knows of. */
static void written_unread(void)
{
    data = hlrc_malloc_all(PAGES * PAGE);
    expect(data, "hlrc_malloc_all");
    for (uint64_t k = 1; k <= 3; k++) {
        for (uint64_t p = 0; p < PAGES; p++)
            *word(p, (uint64_t)me) = k;
        hlrc_barrier();
        for (uint64_t p = 0; k == 3 && p < PAGES; p++)
            for (uint64_t n = 0; n < (uint64_t)nodes; n++)
                expect_word(*word(p, n), k, "page %ju, the word of node %ju", (uintmax_t)p,
                            (uintmax_t)n);
        hlrc_barrier();
    }
    hlrc_free_all((void *)(uintptr_t)data);
}

void litmus_run(void)
{
    for (int k = 0; k < 3; k++) {
        first_reads(0);
        first_reads(nodes - 1);
        written_unread();
    }
}
