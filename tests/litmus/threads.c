/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several threads per process: they fault, lock and wait at once, on pages that are shared among
 * the threads of a node and among nodes.
 */
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

LITMUS("several threads per process", 1, 2, 3, 4)

#define THREADS  4
#define PAGES    24u
#define COUNT    40u
#define COUNTERS 12u

static volatile uint64_t *data, *counter;
static pthread_barrier_t together;
static uint64_t round_now;

static uint64_t worker_of(int thread)
{
    return (uint64_t)(me * THREADS + thread);
}

/* All threads of all nodes touch all pages at the same time, in different orders, each its own
 * word. */
static void fault_at_once(int thread)
{
    uint64_t i = worker_of(thread), workers = THREADS * (uint64_t)nodes;
    pthread_barrier_wait(&together);
    for (uint64_t k = 0; k < PAGES; k++) {
        uint64_t p = thread % 2 ? PAGES - 1 - k : k;
        if (round_now > 1)
            expect_word(data[p * PAGE_WORDS + (i + 1) % workers], round_now - 1,
                        "page %ju, the neighbour's word", (uintmax_t)p);
    }
    pthread_barrier_wait(&together);
    if (thread == 0)
        hlrc_barrier(); /* one thread speaks for the node: all have read */
    pthread_barrier_wait(&together);
    for (uint64_t k = 0; k < PAGES; k++) {
        uint64_t p = thread % 2 ? k : PAGES - 1 - k;
        data[p * PAGE_WORDS + i] = round_now;
    }
}

/* Counters in three pages, each under its own lock; the threads of a node meet in them as well as
 * the nodes. */
static void count_up(int thread)
{
    uint64_t seed = worker_of(thread) + 1;
    for (uint64_t k = 0; k < COUNT * COUNTERS; k++) {
        uint64_t c = (k + worker_of(thread) * 5) % COUNTERS, at = c % 3 * PAGE_WORDS + c;
        hlrc_lock((hlrc_lock_t)(600 + c));
        counter[at]++;
        hlrc_unlock((hlrc_lock_t)(600 + c));
        seed = seed * 6364136223846793005u + 1;
        if (seed >> 60 == 0)
            sched_yield();
    }
}

/* One lock for everybody. */
static void in_one_lock(int thread)
{
    for (uint64_t k = 0; k < COUNT; k++) {
        hlrc_lock(640);
        uint64_t value = counter[100];
        expect_word(counter[PAGE_WORDS + 100], value, "the second counter, in thread %d", thread);
        counter[100] = value + 1;
        counter[PAGE_WORDS + 100] = value + 1;
        hlrc_unlock(640);
    }
}

/* Threads hand data to threads of other nodes while their own node's other threads are in the
 * library, too. */
static void pairs(int thread)
{
    volatile uint64_t *word = counter + (uint64_t)(4 + thread) * PAGE_WORDS;
    hlrc_lock_t lock = (hlrc_lock_t)(650 + thread);
    uint64_t n = (uint64_t)nodes, end = 6 * n;
    for (uint64_t at = 0; at < end; sched_yield()) {
        hlrc_lock(lock);
        at = word[0];
        if (at < end && at % n == (uint64_t)me) {
            expect_word(word[8 + at % 64], at, "what the node before wrote for thread %d", thread);
            word[8 + (at + 1) % 64] = at + 1;
            word[0] = at + 1;
        }
        hlrc_unlock(lock);
    }
}

/* Node 1 holds the lock. A thread of node 0 waits for it, another one waits beside it in the
 * barrier, and longer. */
static void wait_beside(int thread)
{
    if (thread == 0) {
        hlrc_lock(670);
        hlrc_unlock(670);
    } else {
        sleep_ms(2);
        hlrc_barrier();
    }
}

static void lock_beside_barrier(void)
{
    if (me == 1)
        hlrc_lock(670);
    hlrc_barrier();
    if (me == 0) {
        in_threads(2, wait_beside);
    } else {
        sleep_ms(4);
        if (me == 1)
            hlrc_unlock(670);
        sleep_ms(4);
        hlrc_barrier();
    }
    hlrc_barrier(); /* node 1 does not take the lock again before the thread of node 0 has had it */
}

/* Threads come and go: each gets what a new one needs, many times over. */
static void short_lived(int thread)
{
    hlrc_lock((hlrc_lock_t)(660 + thread));
    counter[200 + thread]++;
    hlrc_unlock((hlrc_lock_t)(660 + thread));
}

void litmus_run(void)
{
    uint64_t workers = THREADS * (uint64_t)nodes;
    data = shared_words(PAGES * PAGE_WORDS);
    counter = shared_words(9 * PAGE_WORDS);
    pthread_barrier_init(&together, NULL, THREADS);
    for (round_now = 1; round_now <= 8; round_now++) {
        in_threads(THREADS, fault_at_once);
        hlrc_barrier();
    }
    in_threads(THREADS, count_up);
    in_threads(THREADS, in_one_lock);
    in_threads(THREADS, pairs);
    for (int k = 0; k < 5; k++)
        lock_beside_barrier();
    for (int k = 0; k < 40; k++)
        in_threads(THREADS, short_lived);
    hlrc_barrier();
    for (uint64_t c = 0; c < COUNTERS; c++)
        expect_word(counter[c % 3 * PAGE_WORDS + c], COUNT * workers, "counter %ju", (uintmax_t)c);
    expect_word(counter[100], COUNT * workers, "the counter of one lock");
    for (int t = 0; t < THREADS; t++)
        expect_word(counter[200 + t], 40 * (uint64_t)nodes, "the counter of short-lived threads");
}
