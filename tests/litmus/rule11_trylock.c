/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rule 11, trylock: mutual exclusion as by lock; a try that fails has changed nothing. */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <sched.h>

LITMUS("rule 11, trylock", 1, 2, 3, 4)

/* A page that its home had open for stores, and did not write, may be announced
 * [page.equal-twin]. */
LITMUS_SET(AHEAD, "0")
LITMUS_SET(HOT_PAGES, "0")

#define COUNT   60u
#define THREADS 2

static volatile uint64_t *counter;
static hlrc_lock_t lock;

/* Even threads try, odd ones wait, for the same lock. */
static void count_up(int thread)
{
    for (uint64_t k = 0; k < COUNT; k++) {
        int rc = -EBUSY;
        while (thread % 2 == 0 && (rc = hlrc_trylock(lock)) == -EBUSY)
            sched_yield();
        if (rc == -EBUSY)
            hlrc_lock(lock);
        else
            expect(rc == 0, "hlrc_trylock returned %d", rc);
        uint64_t value = counter[0];
        expect_word(counter[PAGE_WORDS], value, "the second counter");
        counter[0] = value + 1;
        counter[PAGE_WORDS] = value + 1;
        hlrc_unlock(lock);
    }
}

/* Node 0 holds the lock; under it, but released by another one, it has written x. A node that fails
 * to get the lock has acquired nothing, so it still sees the x before, and at no cost. */
static void failure_changes_nothing(volatile uint64_t *x, hlrc_lock_t held, hlrc_lock_t other)
{
    hlrc_atomic_t step = shared_atomic();
    expect_word(*x, 0, "x before");
    hlrc_barrier();
    if (me == 0) {
        hlrc_lock(held);
        post(other, x, 1);
        hlrc_atomic_fetch_add(step, 1);
        await_atomic(step, (uint64_t)nodes);
        hlrc_unlock(held);
    } else {
        await_atomic(step, 1);
        struct hlrc_stats before = stats();
        for (int k = 0; k < 20; k++)
            expect(hlrc_trylock(held) == -EBUSY, "a lock that is held could be taken");
        expect_word(*x, 0, "x, seen by a node that has acquired nothing");
        struct hlrc_stats after = stats();
        expect_word(after.invalidations, before.invalidations, "the number of revoked pages");
        expect_word(after.lock_acquires, before.lock_acquires, "the number of locks taken");
        expect_word(after.read_faults, before.read_faults, "the number of faults");
        hlrc_atomic_fetch_add(step, 1);
    }
    hlrc_barrier();
    expect(me == 0 || hlrc_trylock((hlrc_lock_t)(held + 100 + (hlrc_lock_t)me)) == 0,
           "a free lock could not be taken");
    if (me != 0)
        hlrc_unlock((hlrc_lock_t)(held + 100 + (hlrc_lock_t)me));
    expect_word(*x, 1, "x in the end");
}

static void held_here(int thread)
{
    expect(thread == 1 || hlrc_trylock(lock) == -EBUSY,
           "a lock that another thread of the node holds could be taken");
}

void litmus_run(void)
{
    counter = shared_words(2 * PAGE_WORDS);
    volatile uint64_t *x = shared_words(4 * PAGE_WORDS);
    if (me == 0)
        place(x, 4 * PAGE, 0); /* its home would see x at once */
    hlrc_barrier();
    /* managed by each node in turn */
    for (hlrc_lock_t l = 200; l < 200 + (hlrc_lock_t)nodes; l++) {
        uint64_t before = (l - 200) * COUNT * THREADS * (uint64_t)nodes;
        lock = l;
        expect_word(counter[0], before, "the counter before");
        hlrc_barrier();
        in_threads(THREADS, count_up);
        hlrc_barrier();
        expect_word(counter[0], before + COUNT * THREADS * (uint64_t)nodes,
                    "the counter of all nodes");
        hlrc_barrier();
        if (me == 0) {
            hlrc_lock(lock);
            in_threads(1, held_here);
            hlrc_unlock(lock);
        }
        hlrc_barrier();
    }
    for (int k = 0; nodes > 1 && k < nodes; k++)
        failure_changes_nothing(x + k % 4 * (int)PAGE_WORDS + k, 300 + (hlrc_lock_t)k,
                                400 + (hlrc_lock_t)k);
}
