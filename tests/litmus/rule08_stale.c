/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 8, words of pages that other threads' acquires keep marking stale [word.copy]: one thread of
 * node 1 operates on words and loads them. No other thread touches these words. A second thread of
 * the node acquires and reads the pages, which node 0 writes under the lock. So acquires update
 * their copies (renew.h) at any moment of an operation. The thread's loads must find what its own
 * operations have left, and the words end with what it has counted.
 *
 * Nothing is delayed on purpose.
 */
#include "tests/litmus/litmus.h"

#include <stdatomic.h>

LITMUS("rule 8, words of stale copies", 2, 3)

#define ROUNDS 3000u
#define PAGES  40u
#define LOCK   2
enum { WORD = 0, OTHER = 17 }; /* of a page: operated on; written under the lock */

static volatile uint64_t *pages;
static hlrc_atomic_t end;
static atomic_bool stop;

static volatile uint64_t *word(uint64_t page, uint64_t k)
{
    return &pages[page * PAGE_WORDS + k];
}

static uint64_t operate(uint64_t page, hlrc_op op, uint64_t value)
{
    uint64_t old = 0;
    int rc = hlrc_word_fetch(hlrc_word_shared((void *)(uintptr_t)word(page, WORD)), HLRC_UINT64, op,
                             &value, &old, HLRC_RELAXED);
    expect(rc == 0, "hlrc_word_fetch: %d", rc);
    return old;
}

/* By sums, and by a load and a replacement in turn: a load of an old word loses an update. */
static void operate_and_load(void)
{
    uint64_t count[PAGES] = { 0 }, state = 1;
    for (uint64_t r = 0; r < ROUNDS; r++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t page = (state >> 33) % PAGES;
        expect_word(operate(page, HLRC_SUM, 1), count[page], "round %ju, before a sum",
                    (uintmax_t)r);
        expect_word(*word(page, WORD), count[page] + 1, "round %ju, a load behind a sum",
                    (uintmax_t)r);
        operate(page, HLRC_REPLACE, *word(page, WORD) + 1);
        expect_word(*word(page, WORD), count[page] + 2, "round %ju, a load behind a replacement",
                    (uintmax_t)r);
        count[page] += 2;
    }
    for (uint64_t page = 0; page < PAGES; page++)
        expect_word(operate(page, HLRC_NO_OP, 0), count[page], "page %ju at the end",
                    (uintmax_t)page);
    atomic_store(&stop, true);
    hlrc_atomic_fetch_add(end, 1);
}

static void acquire_and_read(void)
{
    volatile uint64_t sum = 0;
    while (!atomic_load(&stop)) {
        hlrc_lock(LOCK);
        for (uint64_t page = 0; page < PAGES; page++)
            sum += *word(page, OTHER);
        hlrc_unlock(LOCK);
    }
}

static void write_others(void)
{
    while (hlrc_atomic_load(end) == 0) {
        hlrc_lock(LOCK);
        for (uint64_t page = 0; page < PAGES; page++)
            *word(page, OTHER) += 1;
        hlrc_unlock(LOCK);
        sleep_ms(0);
    }
}

void litmus_run(void)
{
    pages = shared_words(PAGES * PAGE_WORDS);
    for (uint64_t page = 0; page < PAGES; page++)
        place(word(page, 0), PAGE, page % 2 ? nodes - 1 == 1 ? 0 : nodes - 1 : 0);
    end = shared_atomic();
    hlrc_barrier();
    if (me == 1)
        in_two_threads(operate_and_load, acquire_and_read);
    else if (me == 0)
        write_others();
    hlrc_barrier();
}
