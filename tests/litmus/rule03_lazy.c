/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 3, locks whose unlock publishes nothing ([lock.flush-first], [lock.biased], lock.h): who
 * gets the lock gets the writes, though the node that made them calls nothing meanwhile; so does a
 * try, so does who gets a lock that was let go of later; and threads of a node hand it on.
 */
#include "tests/litmus/litmus.h"

#include <sched.h>

#include <stdatomic.h>

LITMUS("rule 3, unlocks that publish nothing", 2, 3)

#define ROUNDS 20u
#define PAGES  6u   /* of nodes 0, 1 and the last one in turn */
#define TURNS  200u /* of each thread or node */
enum { A = 3, B = 4 };

static volatile uint64_t *data, *sum, *alone;

LITMUS_SET(LOCKS, "manager")
LITMUS_SET(LAZY_RELEASE, "2")
LITMUS_SET(MOVE_HOMES, "off")
LITMUS_SET(EXCLUSIVE_PAGES, "on")
LITMUS_SET(AHEAD, "0")

static uint64_t lazy_releases(void)
{
    return stats().lazy_releases;
}

/* Afterwards the lock is presumed to stay here. */
static void settle(hlrc_lock_t lock)
{
    for (int i = 0; i < 3; i++) {
        hlrc_lock(lock);
        hlrc_unlock(lock);
    }
}

static void write_all(uint64_t value)
{
    for (uint64_t p = 0; p < PAGES; p++)
        data[p * PAGE_WORDS] = value;
}

static void expect_all(uint64_t value, const char *what)
{
    for (uint64_t p = 0; p < PAGES; p++)
        expect_word(data[p * PAGE_WORDS], value, "%s: page %ju", what, (uintmax_t)p);
}

/* Under locks that stay; nothing of it is published when this returns, but what a page's first
 * fault and others' requests may have led to. */
static void write_lazily(hlrc_lock_t lock, uint64_t value)
{
    settle(lock);
    uint64_t before = lazy_releases();
    hlrc_lock(lock);
    write_all(value);
    hlrc_unlock(lock);
    expect(lazy_releases() == before + 1, "unlock %u has published", lock);
}

/* Node 0 writes, and stands outside while `taker` gets the lock and looks. */
static void granted(uint64_t k, int taker)
{
    if (me == 0)
        write_lazily(A, k);
    meet_outside();
    if (me == taker) {
        hlrc_lock(A);
        expect_all(k, "granted");
        write_all(k + 1);
        hlrc_unlock(A);
    }
    meet_outside();
    if (me == 0) {
        hlrc_lock(A);
        expect_all(k + 1, "taken back");
        hlrc_unlock(A);
    }
    hlrc_barrier();
}

static void tried(uint64_t k, int taker)
{
    if (me == 0)
        write_lazily(A, k);
    meet_outside();
    if (me == taker) {
        expect(hlrc_trylock(A) == 0, "a try of a lock that nobody has failed");
        expect_all(k, "tried");
        hlrc_unlock(A);
    }
    meet_outside();
    hlrc_barrier();
}

/* What was written under A is ordered before the unlock of B that comes later. */
static void by_another_lock(uint64_t k, int taker)
{
    if (me == 0) {
        settle(B);
        write_lazily(A, k);
        settle(B);
    }
    meet_outside();
    if (me == taker) {
        hlrc_lock(B);
        expect_all(k, "by another lock");
        hlrc_unlock(B);
    }
    meet_outside();
    hlrc_barrier();
}

/* Two requests at about one time, the second while the worker closes for the first. */
static void two_asked_for(uint64_t k)
{
    if (me == 0) {
        settle(B);
        write_lazily(A, k);
        write_lazily(B, k + 1);
    }
    meet_outside();
    if (me == 1 || me == nodes - 1) {
        hlrc_lock_t lock = me == 1 ? A : B;
        hlrc_lock(lock);
        for (uint64_t p = 0; p < PAGES; p++)
            expect(data[p * PAGE_WORDS] >= (lock == A ? k : k + 1), "one of two: page %ju",
                   (uintmax_t)p);
        hlrc_unlock(lock);
    }
    meet_outside();
    hlrc_barrier();
}

/* Pages that nobody writes any more rest: none is on a dirty list, so an unlock closes nothing. */
static void rest(void)
{
    for (int k = 0; k < 40; k++)
        hlrc_barrier();
}

static uint64_t round_of_pages;
static _Atomic uint64_t unlocked, closing; /* rounds in which node 0 has, and is about to */

/* Node 0: the first thread writes a page that nobody tracks; then the other one closes an interval,
 * which finds that a reader has come. */
static void write_and_meet(int thread)
{
    uint64_t p = round_of_pages;
    hlrc_lock_t fresh = (hlrc_lock_t)nodes * (20 + (hlrc_lock_t)p); /* has not come to stay */
    if (thread == 0) {
        hlrc_lock(A);
        alone[p * PAGE_WORDS] = 5;
        hlrc_unlock(A);
        unlocked = p + 1;
        while (closing <= p)
            sched_yield();
        sleep_ms(1);
        meet_outside();
        return;
    }
    while (unlocked <= p)
        sched_yield();
    hlrc_lock(fresh);
    data[0]++;
    closing = p + 1;
    hlrc_unlock(fresh);
}

/* Pages that only their home has ever read are not on the dirty list: who grants the lock looks
 * whether a reader has come [unshared.new-readers], also where a closing has found that and not
 * announced the page yet [unshared.new-readers]. */
static void of_untracked_pages(void)
{
    for (uint64_t k = 1; k <= 4; k++) {
        for (uint64_t p = 0; me == 0 && p < ROUNDS; p++)
            alone[p * PAGE_WORDS] = k;
        hlrc_barrier();
    }
    for (uint64_t p = 0; p < ROUNDS; p++) {
        int taker = 1 + (int)(p % (uint64_t)(nodes - 1));
        rest();
        if (me == taker)
            expect_word(alone[p * PAGE_WORDS], 4, "page %ju before", (uintmax_t)p);
        meet_outside();
        round_of_pages = p;
        if (me == 0 && p % 2 == 0) {
            hlrc_lock(A);
            alone[p * PAGE_WORDS] = 5;
            hlrc_unlock(A);
            meet_outside();
        } else if (me == 0) {
            in_threads(2, write_and_meet);
        } else {
            meet_outside();
        }
        if (me == taker) {
            hlrc_lock(A);
            expect_word(alone[p * PAGE_WORDS], 5, "page %ju, untracked", (uintmax_t)p);
            hlrc_unlock(A);
        }
        meet_outside();
    }
    hlrc_barrier();
}

/* Long enough for a request to arrive, or for the worker to wake. */
static void linger(void)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
}

/* Takes the lock so often in a row that it stays, again and again, while others ask for it: when it
 * is free, and taken again before the worker comes to grant it. */
static void turns(int thread)
{
    for (uint64_t k = 0; k < TURNS; k++) {
        hlrc_lock(A);
        uint64_t before = sum[0];
        if (me == 0)
            linger();
        sum[0] = before + 1;
        sum[(1 + (uint64_t)thread) * PAGE_WORDS]++;
        hlrc_unlock(A);
        if (me == 0)
            linger();
        else if (k % 8 == 0)
            sleep_ms(1);
    }
}

static void contended(int threads)
{
    uint64_t before = sum[0];
    hlrc_barrier();
    in_threads(threads, turns);
    hlrc_barrier();
    expect_word(sum[0], before + TURNS * (uint64_t)(threads * nodes), "sum of %d threads", threads);
    hlrc_barrier();
}

void litmus_run(void)
{
    data = shared_words(PAGES * PAGE_WORDS);
    sum = shared_words((1 + LITMUS_THREADS) * PAGE_WORDS);
    alone = shared_words(ROUNDS * PAGE_WORDS);
    place(alone, (uint64_t)ROUNDS * PAGE, 0);
    int homes[] = { 0, 1, nodes - 1 };
    for (uint64_t p = 0; p < PAGES; p++)
        place(data + p * PAGE_WORDS, PAGE, homes[p % 3]);
    hlrc_barrier();
    meet_pids();
    for (uint64_t k = 1; k <= ROUNDS; k++) {
        int taker = 1 + (int)(k % (uint64_t)(nodes - 1));
        granted(10 * k, taker);
        tried(10 * k + 2, taker);
        by_another_lock(10 * k + 3, taker);
        two_asked_for(10 * k + 4);
    }
    of_untracked_pages();
    contended(1);
    contended(3);
}
