/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 3, acquire: causality. Node 0 writes x under lock 1; node 1 reads it and writes y under lock
 * 2; who takes lock 2 and sees y sees x as well, although it never met node 0. Likewise along a
 * chain through all nodes.
 */
#include "tests/litmus/litmus.h"

LITMUS("rule 3, causality", 3, 4, 5)

#define ROUNDS 12u
#define BATCH  60u /* pages whose diffs come in some dozens of messages */

enum { LOCK_CHAIN = 3, LOCK_KEPT = 4 };

static volatile uint64_t *batch;
static uint64_t round_now;
static hlrc_atomic_t checked;

static void three(volatile uint64_t *x, volatile uint64_t *y, uint64_t k)
{
    if (me == 0) {
        post(1, x, k);
    } else if (me == 1) {
        await(1, x, k);
        post(2, y, k);
    } else {
        await(2, y, k);
        expect_word(*x, k, "x, seen through y");
    }
    hlrc_barrier();
}

/* Node i waits for link i-1 under lock i-1, and sees what all before it wrote beside their
 * links. */
static void chain(volatile uint64_t *link, volatile uint64_t *beside, uint64_t k)
{
    uint64_t i = (uint64_t)me;
    if (i > 0)
        await((hlrc_lock_t)(20 + i - 1), &link[(i - 1) * PAGE_WORDS], k);
    for (uint64_t n = 0; n < i; n++)
        expect_word(beside[n * PAGE_WORDS], k, "what node %ju wrote, seen along the chain",
                    (uintmax_t)n);
    beside[i * PAGE_WORDS] = k;
    post((hlrc_lock_t)(20 + i), &link[i * PAGE_WORDS], k);
    hlrc_barrier();
}

/* One thread of node 2 waits in the library for a lock that node 1 keeps, and serves what arrives;
 * the other one reads. */
static void reader(int thread)
{
    if (thread == 0) {
        hlrc_lock(LOCK_KEPT);
        hlrc_unlock(LOCK_KEPT);
        return;
    }
    sleep_ms(3);
    hlrc_lock(LOCK_CHAIN);
    for (uint64_t i = BATCH * PAGE_WORDS; i > 0; i -= 4)
        expect_word(batch[i - 1], round_now, "word %ju, at its home", (uintmax_t)i - 1);
    hlrc_unlock(LOCK_CHAIN);
    hlrc_atomic_fetch_add(checked, 1);
}

/*
 * Node 0 has the lock, node 1 gets it from there and node 2 from node 1: the diffs, for home 2, may
 * come later than the lock. The last one to be applied is the first that is read.
 */
static void home_at_the_end(void)
{
    if (me == 0)
        hlrc_lock(LOCK_CHAIN);
    else if (me == 1)
        hlrc_lock(LOCK_KEPT);
    hlrc_barrier();
    if (me == 0) {
        sleep_ms(5);
        for (uint64_t i = 3; i < BATCH * PAGE_WORDS; i += 4)
            batch[i] = round_now;
        hlrc_unlock(LOCK_CHAIN);
    } else if (me == 1) {
        hlrc_lock(LOCK_CHAIN);
        hlrc_unlock(LOCK_CHAIN);
        await_atomic(checked, round_now);
        hlrc_unlock(LOCK_KEPT);
    } else if (me == 2) {
        in_threads(2, reader);
    }
    hlrc_barrier();
}

void litmus_run(void)
{
    volatile uint64_t *x = shared_words(8 * PAGE_WORDS), *y = shared_words(PAGE_WORDS);
    batch = shared_words(BATCH * PAGE_WORDS);
    checked = shared_atomic();
    volatile uint64_t *link = shared_words((uint64_t)nodes * PAGE_WORDS);
    volatile uint64_t *beside = shared_words((uint64_t)nodes * PAGE_WORDS);
    if (me == 0)
        for (int n = 0; n < nodes && n < 8; n++)
            place(x + (uint64_t)n * PAGE_WORDS, PAGE, n);
    if (me == 0)
        place(batch, BATCH * PAGE, 2);
    hlrc_barrier();
    for (uint64_t k = 1; k <= ROUNDS; k++) { /* x at each node in turn */
        three(x + k % (uint64_t)nodes * PAGE_WORDS, y, k);
        chain(link, beside, k);
    }
    for (round_now = 1; round_now <= 3 * ROUNDS; round_now++)
        home_at_the_end();
}
