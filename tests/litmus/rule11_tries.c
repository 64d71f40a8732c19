/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 11, trylock beside waiters: a try, whether it gets the lock or not, leaves no thread asleep
 * that waits for the lock, neither on its own node nor on another one. In each round every thread
 * gets the lock once more before the next round begins, and no thread tries again after that: no
 * later call makes up for a wake-up that is lost, and the job hangs.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

LITMUS("rule 11, trylock beside waiters", 1, 2, 3)

#define THREADS 3
#define ROUNDS  18u
#define TURNS   6u /* of each thread */

static volatile uint64_t *count; /* guarded by the lock of the round */
static uint64_t rounds;          /* so far, of all parts; the same on all nodes */
static hlrc_lock_t lock;
static hlrc_cond_t cond;
static hlrc_atomic_t step;    /* orders no memory */
static _Atomic uint64_t here; /* threads of this node that have begun a round, of all rounds */
static _Atomic uint64_t seen; /* latest turn that a thread of this node has seen, + 1 */

static bool is_holder(int thread)
{
    return me == (int)(rounds % (uint64_t)nodes) && thread == 1;
}

/* The threads of this node begin together. */
static void meet_here(void)
{
    atomic_fetch_add(&here, 1);
    while (atomic_load(&here) < (rounds + 1) * THREADS)
        sched_yield();
}

static void count_turn(void)
{
    hlrc_lock(lock);
    count[0]++;
    hlrc_unlock(lock);
}

/* Waits until all threads of the other nodes sleep, most of them in hlrc_lock. */
static void await_others(void)
{
    for (int n = 0; n < nodes; n++)
        if (n != me)
            await_asleep(n);
}

/* Each round has a lock of its own, managed by each node in turn, and a step that begins at 0. */
static void each_round(void (*fn)(int), uint64_t turns)
{
    for (uint64_t k = 0; k < ROUNDS; k++, rounds++) {
        uint64_t before = count[0];
        lock = (hlrc_lock_t)(100 + rounds);
        hlrc_barrier();
        if (me == 0)
            hlrc_atomic_exchange(step, 0);
        hlrc_barrier();
        in_threads(THREADS, fn);
        hlrc_barrier();
        expect_word(count[0], before + turns, "the number of turns after round %ju", (uintmax_t)k);
    }
}

/* ---- tries that fail ---- */

/* While one thread holds the lock, thread 0 of each node tries, and the others wait for it. */
static void fail_to_try(int thread)
{
    if (is_holder(thread)) {
        hlrc_lock(lock);
        hlrc_atomic_fetch_add(step, 1);
    } else {
        await_atomic(step, 1);
    }
    meet_here();
    if (is_holder(thread)) {
        await_atomic(step, 1 + (uint64_t)nodes);
        count[0]++;
        hlrc_unlock(lock);
    } else if (thread > 0) {
        count_turn();
    } else {
        expect(hlrc_trylock(lock) == -EBUSY, "a lock that is held could be taken");
        hlrc_atomic_fetch_add(step, 1);
    }
}

/* ---- a try that gets the lock ---- */

/* One thread gets the lock by a try. It takes other locks while the threads of all nodes wait, both
 * by waiting and by trying, and releases the first lock last. */
static void succeed_to_try(int thread)
{
    meet_here();
    if (!is_holder(thread)) {
        await_atomic(step, 1);
        hlrc_atomic_fetch_add(step, 1);
        count_turn();
        return;
    }
    expect(hlrc_trylock(lock) == 0, "a lock that no thread holds could not be taken");
    hlrc_atomic_fetch_add(step, 1);
    await_atomic(step, THREADS * (uint64_t)nodes);
    await_others();
    for (hlrc_lock_t k = 0; k < 6; k++) {
        hlrc_lock_t other = lock + 200 + k;
        if (k & 1)
            expect(hlrc_trylock(other) == 0, "another lock could not be taken");
        else
            hlrc_lock(other);
        hlrc_unlock(other);
    }
    count[0]++;
    hlrc_unlock(lock);
}

/* ---- tries beside condition variables ---- */

/* All threads but the last of each node take turns, each of which needs the one before. The last
 * one tries once for each turn that its node has seen. Every second turn is taken by tries. */
static void turn_about(int thread)
{
    uint64_t each = THREADS - 1, all = each * (uint64_t)nodes;
    uint64_t from = (rounds - 2 * ROUNDS) * TURNS * all;
    meet_here();
    for (uint64_t k = 0; k < TURNS; k++) {
        uint64_t mine = from + k * all + (uint64_t)me * each + (uint64_t)thread;
        if (thread == THREADS - 1) {
            while (atomic_load(&seen) < mine - each)
                sched_yield();
            if (hlrc_trylock(lock) == 0)
                hlrc_unlock(lock);
            continue;
        }
        bool tries = (mine + k) % 2 == 0;
        while (tries && hlrc_trylock(lock) == -EBUSY)
            sched_yield();
        if (!tries)
            hlrc_lock(lock);
        while (count[1] != mine) {
            atomic_store(&seen, count[1]);
            hlrc_cond_wait(cond, lock);
        }
        count[1]++;
        count[0]++;
        atomic_store(&seen, count[1]);
        hlrc_cond_broadcast(cond);
        hlrc_unlock(lock);
    }
}

void litmus_run(void)
{
    meet_pids();
    count = shared_words(PAGE_WORDS);
    step = shared_atomic();
    if (me == 0)
        expect(hlrc_cond_create(&cond) == 0, "hlrc_cond_create");
    expect(hlrc_broadcast(&cond, sizeof cond, 0) == 0, "hlrc_broadcast");
    each_round(fail_to_try, (THREADS - 1) * (uint64_t)nodes);
    each_round(succeed_to_try, THREADS * (uint64_t)nodes);
    each_round(turn_about, TURNS * (THREADS - 1) * (uint64_t)nodes);
}
