/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 1, release, of what is as it was before [page.equal-twin]. The home of a page, which stays
 * writable, stores another value to a word, and the old one again; in between another node reads a
 * word beside it, and thereby gets a copy with the other value. Behind the next release it finds
 * the old one.
 *
 * Atomic words order the three steps; they are no acquire, so the reader keeps its copy.
 */
#include "tests/litmus/litmus.h"

#include <sched.h>
#include <stdlib.h>

LITMUS("rule 1, back to the old value", 2, 3)

#define PAGES  16u
#define ROUNDS 12u

static volatile uint64_t *data;
static hlrc_atomic_t step;

static void step_to(uint64_t to)
{
    (void)hlrc_atomic_exchange(step, to);
}

static void await_step(uint64_t to)
{
    while (hlrc_atomic_load(step) < to)
        sched_yield();
}

/* Stores by which the pages become such that stay writable, each read elsewhere. */
static void warm_up(void)
{
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        for (uint64_t p = 0; me == 0 && p < PAGES; p++)
            data[p * PAGE_WORDS] = k;
        hlrc_barrier();
        for (uint64_t p = 0; p < PAGES; p++)
            expect_word(data[p * PAGE_WORDS], k, "page %ju, round %ju", (uintmax_t)p, (uintmax_t)k);
        hlrc_barrier();
    }
}

static void back_and_forth(uint64_t round)
{
    uint64_t at = 3 * round;
    /* a change that all learn of: no copy is valid behind it */
    for (uint64_t p = 0; me == 0 && p < PAGES; p++)
        data[p * PAGE_WORDS + 1] = round + 1;
    hlrc_barrier();
    if (me == 0) {
        for (uint64_t p = 0; p < PAGES; p++)
            data[p * PAGE_WORDS] = 999;
        step_to(at + 1);
        await_step(at + 2);
        for (uint64_t p = 0; p < PAGES; p++)
            data[p * PAGE_WORDS] = ROUNDS;
    } else if (me == 1) {
        await_step(at + 1);
        for (uint64_t p = 0; p < PAGES; p++)
            expect_word(data[p * PAGE_WORDS + 1], round + 1, "page %ju, the word beside",
                        (uintmax_t)p);
        step_to(at + 2);
    }
    hlrc_barrier();
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], ROUNDS, "page %ju, round %ju", (uintmax_t)p,
                    (uintmax_t)round);
    hlrc_barrier();
}

/* All pages stay at node 0, and are fetched one by one. */
LITMUS_SET(MOVE_HOMES, "off")
LITMUS_SET(AHEAD, "0")
LITMUS_SET(RENEW, "0") /* by the loads, not by the barrier before them */

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    volatile uint64_t *word = shared_words(1);
    if (me == 0) {
        expect(hlrc_atomic_create(&step, 0) == 0, "no atomic word");
        *word = step.id;
    }
    hlrc_barrier();
    step = (hlrc_atomic_t){ (uint32_t)*word };
    warm_up();
    for (uint64_t round = 0; round < ROUNDS; round++)
        back_and_forth(round);
}
