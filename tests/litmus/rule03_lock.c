/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rule 3, acquire: message passing by a lock. What was written before an unlock is seen after the
 * lock that follows it. */
#include "tests/litmus/litmus.h"

#include <sched.h>

LITMUS("rule 3, message passing by lock", 2, 3, 4, 8)

#define PAGES 6u
#define LAPS  30u

static volatile uint64_t *data, *turn;

/* The baton is a number; whoever's turn it is checks what the one before wrote, and writes. */
static void write_and_pass(uint64_t at)
{
    for (uint64_t p = 0; p < PAGES; p++) {
        volatile uint64_t *w = data + p * PAGE_WORDS;
        expect_word(w[at % PAGE_WORDS], at, "page %ju, left by the node before", (uintmax_t)p);
        w[(at + 1) % PAGE_WORDS] = at + 1;
    }
    *turn = at + 1;
}

static void baton(void)
{
    uint64_t end = LAPS * (uint64_t)nodes;
    for (uint64_t at = 0; at < end; sched_yield()) {
        hlrc_lock(7);
        at = *turn;
        if (at < end && at % (uint64_t)nodes == (uint64_t)me)
            write_and_pass(at);
        hlrc_unlock(7);
    }
    hlrc_barrier();
}

/* A writer, and readers that write nothing themselves. */
static void readers(void)
{
    volatile uint64_t *flag = turn + PAGE_WORDS;
    for (uint64_t k = 1; k <= 20; k++) {
        if (me == nodes - 1) {
            for (uint64_t p = 0; p < PAGES; p++)
                data[p * PAGE_WORDS + 500 % PAGE_WORDS] = k;
            post(8, flag, k);
        } else {
            await(8, flag, k);
            for (uint64_t p = 0; p < PAGES; p++)
                expect_word(data[p * PAGE_WORDS + 500 % PAGE_WORDS], k,
                            "page %ju, written before the flag", (uintmax_t)p);
        }
        hlrc_barrier();
    }
}

/* Node 0 writes under the lock, and node 2 finds it free. What node 0 wrote comes with it: from
 * node 0's release, or, if it is `queued`, from node 1, which waits for the lock while node 0
 * writes, gets it from there and writes nothing. */
static void pass_to_reader(hlrc_atomic_t step, volatile uint64_t *word, uint64_t k, bool queued)
{
    if (me == 0) {
        hlrc_lock(9);
        if (queued) {
            hlrc_atomic_fetch_add(step, 1);
            sleep_ms(10); /* node 1 is in the queue by then, nearly always */
        }
        *word = k + 1;
        hlrc_unlock(9);
        if (!queued)
            hlrc_atomic_fetch_add(step, 1);
    } else if (me == 1) {
        await_atomic(step, 2 * k + 1);
        if (queued) {
            hlrc_lock(9);
            hlrc_unlock(9);
        }
        hlrc_atomic_fetch_add(step, 1);
    } else if (me == 2) {
        await_atomic(step, 2 * k + 2);
        hlrc_lock(9);
        expect_word(*word, k + 1, "written under the lock, which %s",
                    queued ? "node 1 had since" : "was free since");
        hlrc_unlock(9);
    }
}

static void written_by_another(hlrc_atomic_t step, volatile uint64_t *word)
{
    if (me == 0)
        place(word, PAGE, 0);
    hlrc_barrier();
    for (uint64_t k = 0; nodes > 2 && k < 20; k++) {
        pass_to_reader(step, word, k, k % 2 == 0);
        hlrc_barrier();
    }
}

void litmus_run(void)
{
    hlrc_atomic_t step = shared_atomic();
    volatile uint64_t *word = shared_words(PAGE_WORDS);
    data = shared_words(PAGES * PAGE_WORDS);
    turn = shared_words(2 * PAGE_WORDS);
    baton();
    readers();
    written_by_another(step, word);
}
