/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rule 3, release and acquire without a lock: what was written or seen before a release is seen
 * after an acquire that follows it, in whatever way the program knows that it follows. */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

LITMUS("rule 3, release and acquire without a lock", 2, 3, 4)

#define LAPS    60u
#define THREADS 2

static volatile uint64_t *own, *common; /* a page of each node, and one for all */
static struct {
    hlrc_atomic_t step, phase;
} words;
static _Atomic uint64_t checked; /* by the threads of this node, of all turns */

static uint64_t last_turn(uint64_t at, uint64_t node)
{
    return at > node ? at - 1 - (at - 1 - node) % (uint64_t)nodes : UINT64_MAX;
}

/* The turn's number is the only communication, and orders nothing. Thread 1 also acquires at other
 * times. */
static void check(uint64_t at, int thread)
{
    while (hlrc_atomic_load(words.step) < at)
        if (thread == 0 || !hlrc_acquire())
            sched_yield();
    (void)hlrc_acquire();
    for (uint64_t n = 0; n < (uint64_t)nodes; n++) {
        uint64_t value = last_turn(at, n) + 1;
        expect_word(own[n * PAGE_WORDS], value, "turn %ju, page of node %ju", (uintmax_t)at,
                    (uintmax_t)n);
        expect_word(common[n], value, "turn %ju, common page, node %ju", (uintmax_t)at,
                    (uintmax_t)n);
    }
    atomic_fetch_add(&checked, 1);
}

static void take_turn(uint64_t at, uint64_t number)
{
    while (atomic_load(&checked) < number * THREADS)
        sched_yield();
    own[(uint64_t)me * PAGE_WORDS] = at + 1;
    common[me] = at + 1;
    hlrc_release();
    hlrc_atomic_fetch_add(words.step, 1);
}

static void turns(int thread)
{
    uint64_t number = 0;
    for (uint64_t at = (uint64_t)me; at < LAPS * (uint64_t)nodes; at += (uint64_t)nodes) {
        check(at, thread);
        number++;
        if (thread == 0)
            take_turn(at, number);
        else
            while (hlrc_atomic_load(words.step) <= at)
                sched_yield();
    }
}

/* Node 1 learns by a lock what node 0 wrote, and releases; node 0 releases nothing. */
static void learnt(hlrc_atomic_t phase)
{
    for (uint64_t k = 1; nodes > 2 && k <= 10; k++) {
        if (me == 0) {
            hlrc_lock(5);
            own[2] = k;
            hlrc_unlock(5);
            hlrc_atomic_fetch_add(phase, 1);
        } else if (me == 1) {
            await_atomic(phase, 3 * k - 2);
            hlrc_lock(5);
            hlrc_unlock(5);
            hlrc_release();
            hlrc_atomic_fetch_add(phase, 1);
        } else if (me == 2) {
            await_atomic(phase, 3 * k - 1);
            (void)hlrc_acquire();
            expect_word(own[2], k, "written by node 0, which node 1 learnt of by a lock");
            hlrc_atomic_fetch_add(phase, 1);
        }
        if (me == 0)
            await_atomic(phase, 3 * k);
    }
}

/* An acquire that finds no new release, and one that does. */
static void results(void)
{
    while (hlrc_acquire())
        ;
    hlrc_barrier();
    expect(!hlrc_acquire(), "a release of which there was none");
    hlrc_barrier();
    if (me == 0) {
        own[1]++;
        hlrc_release();
    }
    hlrc_barrier();
    if (me != 0)
        expect(hlrc_acquire() == 1, "no release, of node 0");
}

void litmus_run(void)
{
    const char *fabric = getenv("HLRC_FABRIC");
    if (fabric && strcmp(fabric, "shm-noread") == 0) {
        expect(hlrc_acquire() == -ENOTSUP, "an acquire without reads");
        return;
    }
    own = shared_words((uint64_t)nodes * PAGE_WORDS);
    common = shared_words(PAGE_WORDS);
    if (me == 0)
        expect(hlrc_atomic_create(&words.step, 0) == 0 && hlrc_atomic_create(&words.phase, 0) == 0,
               "hlrc_atomic_create");
    expect(hlrc_broadcast(&words, sizeof words, 0) == 0, "hlrc_broadcast");
    in_threads(THREADS, turns);
    hlrc_barrier();
    learnt(words.phase);
    hlrc_barrier();
    results();
}
