/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rule 11, condition variables. The waiter is registered before its lock is released: no signal is
 * missed. Memory is ordered by the lock.
 */
#include "tests/litmus/litmus.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

LITMUS("rule 11, condition variables", 1, 2, 3, 4)

#define ITEMS       120u
#define ROOM        4u
#define THREADS     3
#define GENERATIONS 25u
#define EXCHANGES   200u

/* In shared memory: the handles too. */
struct queue {
    hlrc_lock_t lock;
    hlrc_cond_t more, less;
    uint64_t head, tail, made, taken, sum;
    uint64_t item[ROOM];
};

struct gate {
    hlrc_cond_t turn;
    uint64_t generation, arrived;
};

static volatile struct queue *q;
static volatile struct gate *gate;
static volatile uint64_t *beside;
static hlrc_atomic_t registered;
static atomic_bool waiting;

/* Waits, then puts the next item into the queue; false when all were made. */
static bool produce(void)
{
    hlrc_lock(q->lock);
    while (q->tail - q->head == ROOM && q->made < ITEMS)
        hlrc_cond_wait(q->less, q->lock);
    bool more = q->made < ITEMS;
    if (more) {
        q->item[q->tail % ROOM] = ++q->made;
        q->tail++;
        hlrc_cond_signal(q->more);
    }
    if (q->made == ITEMS)
        hlrc_cond_broadcast(q->less); /* other producers have nothing to wait for */
    hlrc_unlock(q->lock);
    return more;
}

static bool consume(void)
{
    hlrc_lock(q->lock);
    while (q->tail == q->head && q->taken < ITEMS)
        hlrc_cond_wait(q->more, q->lock);
    bool more = q->taken < ITEMS;
    if (more) {
        uint64_t item = q->item[q->head % ROOM];
        expect_word(item, q->taken + 1, "an item"); /* in order: there is one lock */
        q->head++;
        q->taken++;
        q->sum += item;
        hlrc_cond_signal(q->less);
    }
    if (q->taken == ITEMS)
        hlrc_cond_broadcast(q->more);
    hlrc_unlock(q->lock);
    return more;
}

static void worker(int thread)
{
    bool producer = nodes == 1 ? thread == 0 : (me + thread) % 2 == 0;
    while (producer ? produce() : consume())
        ;
}

/* A barrier of all threads of all nodes, made of a lock and a condition variable; the last one
 * broadcasts. */
static void generations(int thread)
{
    (void)thread;
    for (uint64_t k = 1; k <= GENERATIONS; k++) {
        hlrc_lock(q->lock);
        expect_word(gate->generation, k - 1, "the generation before");
        if (++gate->arrived == THREADS * (uint64_t)nodes) {
            gate->arrived = 0;
            gate->generation = k;
            hlrc_cond_broadcast(gate->turn);
        }
        while (gate->generation < k)
            hlrc_cond_wait(gate->turn, q->lock);
        hlrc_unlock(q->lock);
    }
}

/* Two threads wake each other, by signals alone: one that is missed leaves both asleep. */
static void back_and_forth(int thread)
{
    uint64_t turn = nodes == 1 ? (uint64_t)thread : (uint64_t)me;
    if (turn > 1 || (nodes > 1 && thread > 0))
        return;
    hlrc_lock(q->lock);
    for (uint64_t k = 0; k < EXCHANGES; k++) {
        while (gate->arrived % 2 != turn)
            hlrc_cond_wait(turn ? q->more : q->less, q->lock);
        gate->arrived++;
        hlrc_cond_signal(turn ? q->less : q->more);
    }
    hlrc_unlock(q->lock);
}

/* The other thread gets the lock once the first one waits. The lock stays at the node. */
static void wait_for_signal(int thread)
{
    if (thread == 0) {
        hlrc_lock(q->lock);
        atomic_store(&waiting, true);
        hlrc_cond_wait(q->more, q->lock);
    } else {
        while (!atomic_load(&waiting))
            sleep_ms(1);
        hlrc_lock(q->lock);
        hlrc_atomic_fetch_add(registered, 1);
    }
    hlrc_unlock(q->lock);
}

/* A signal alone orders memory: what was written before it is seen by the waiter that it wakes. */
static void signal_orders(uint64_t k)
{
    expect_word(*beside, k - 1, "the word before");
    hlrc_barrier();
    if (me == 0) {
        atomic_store(&waiting, false);
        in_threads(2, wait_for_signal);
        expect_word(*beside, k, "what was written before the signal");
    } else if (me == 1) {
        await_atomic(registered, k);
        *beside = k;
        hlrc_cond_signal(q->more);
    }
    hlrc_barrier();
}

/* Those who wait go on, and wait again, while the broadcast that woke them is still under way: it
 * is made without the lock. */
static void wait_again(int thread)
{
    (void)thread;
    for (uint64_t k = 1; k <= GENERATIONS; k++) {
        hlrc_lock(q->lock);
        while (gate->generation < k)
            hlrc_cond_wait(gate->turn, q->lock);
        gate->arrived++;
        hlrc_unlock(q->lock);
    }
}

static void broadcast_outside(void)
{
    for (uint64_t k = 1; k <= GENERATIONS; k++) {
        hlrc_lock(q->lock);
        gate->generation = k;
        hlrc_unlock(q->lock);
        hlrc_cond_broadcast(gate->turn);
        for (uint64_t all = 0; all < k * THREADS * (uint64_t)(nodes - 1);) {
            hlrc_lock(q->lock);
            all = gate->arrived;
            hlrc_unlock(q->lock);
            sleep_ms(0);
        }
    }
}

static void make(void)
{
    int rc = hlrc_lock_create((hlrc_lock_t *)(uintptr_t)&q->lock); /* straight into shared memory */
    rc = rc ? rc : hlrc_cond_create((hlrc_cond_t *)(uintptr_t)&q->more);
    rc = rc ? rc : hlrc_cond_create((hlrc_cond_t *)(uintptr_t)&q->less);
    rc = rc ? rc : hlrc_cond_create((hlrc_cond_t *)(uintptr_t)&gate->turn);
    expect(rc == 0, "creating a lock and condition variables: %s", strerror(-rc));
}

void litmus_run(void)
{
    q = (volatile struct queue *)(uintptr_t)shared_words(sizeof *q / 8 + 1);
    gate = (volatile struct gate *)(uintptr_t)shared_words(sizeof *gate / 8 + 1);
    beside = shared_words(1);
    registered = shared_atomic();
    if (me == nodes - 1)
        make();
    hlrc_barrier();
    hlrc_cond_signal(gate->turn); /* nobody waits: nothing happens, nothing is kept */
    hlrc_cond_broadcast(gate->turn);
    hlrc_barrier();
    in_threads(THREADS, worker);
    hlrc_barrier();
    expect_word(q->sum, (uint64_t)ITEMS * (ITEMS + 1) / 2, "the sum of all items");
    expect_word(q->taken, ITEMS, "the number of items");
    in_threads(THREADS, generations);
    hlrc_barrier();
    in_threads(2, back_and_forth);
    hlrc_barrier();
    expect_word(gate->arrived, 2 * EXCHANGES, "the number of turns");
    hlrc_barrier();
    for (uint64_t k = 1; nodes > 1 && k <= 5; k++)
        signal_orders(k);
    if (me == 0)
        gate->arrived = gate->generation = 0;
    hlrc_barrier();
    if (me == 0)
        broadcast_outside();
    else
        in_threads(THREADS, wait_again);
    hlrc_barrier();
    if (me == 0) {
        hlrc_cond_destroy(gate->turn);
        hlrc_lock_destroy(q->lock);
    }
}
