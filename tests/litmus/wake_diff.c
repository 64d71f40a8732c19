/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diffs that woke nobody come to light when their vector time is handed on before the barrier
 * [interval.quiet-diffs]. Node 1 writes a page of node 0 under a lock, arrives, and lets go of the
 * lock between the two phases; node 2 takes it and reads the page, which the home, busy with
 * looking at an atomic word, has to bring up to date first. Another lock is handed on by node 1's
 * handler at about the time when the diffs leave: what it wakes does not count for them.
 */
#include "tests/litmus/litmus.h"

#include <sched.h>
#include <time.h>

LITMUS("interval.quiet-diffs: quiet diffs are handed on", 3, 4)

#define ROUNDS 40u

static volatile uint64_t *data;
static hlrc_atomic_t passed, done;
static hlrc_lock_t lock, other;

static void look_until(hlrc_atomic_t word, uint64_t value)
{
    while (hlrc_atomic_load(word) < value)
        sched_yield();
}

static void take_and_let_go(hlrc_lock_t one)
{
    hlrc_lock(one);
    hlrc_unlock(one);
}

static void sleep_us(long us)
{
    struct timespec t = { .tv_nsec = us * 1000 };
    nanosleep(&t, NULL);
}

static void write_and_pass(uint64_t k)
{
    hlrc_lock(lock);
    *data = k;
    hlrc_barrier_arrive();
    hlrc_unlock(lock);
    hlrc_atomic_fetch_add(passed, 1);
    hlrc_barrier_depart();
}

static void take_and_read(uint64_t k)
{
    sleep_us((long)(k * 137 % 1500));
    take_and_let_go(other);
    look_until(passed, k);
    hlrc_lock(lock);
    expect_word(*data, k, "what node 1 wrote under the lock");
    hlrc_unlock(lock);
    hlrc_atomic_fetch_add(done, 1);
}

void litmus_run(void)
{
    lock = (hlrc_lock_t)nodes + 1; /* managed by node 1: its requests wake nobody at the home */
    other = lock + (hlrc_lock_t)nodes;
    data = shared_words(PAGE_WORDS);
    place(data, PAGE, 0);
    passed = shared_atomic();
    done = shared_atomic();
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        if (me == 1)
            take_and_let_go(other); /* it is here now */
        hlrc_barrier();
        if (me == 1) {
            write_and_pass(k);
            continue;
        }
        if (me == 2)
            take_and_read(k);
        else
            look_until(done, k);
        hlrc_barrier();
    }
    hlrc_barrier();
    expect_word(*data, ROUNDS, "the last value");
    hlrc_barrier();
}
