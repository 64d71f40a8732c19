/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native_sync.c - static locks and condition variables of native.h: futexes in memory that all
 * nodes share.
 *
 * A lock's word is 0 while it is free, 1 while it is held, 2 while it is held and a node may sleep
 * on it: only then does its unlock make a system call. A condition variable's word counts signals.
 * A waiter sleeps while the word has the value read before the lock was released, so no later
 * signal is missed. Each word has its own cache line, as a lock of a program on such a machine
 * would have.
 *
 * Process-shared pthreads objects are not used: glibc's condition variables before 2.41 can lose a
 * signal (its bug 25847).
 */
#include <errno.h>
#include <hlrc.h>
#include <limits.h>
#include <stdatomic.h>

#include "apps/native.h"

#define MAX_CONDS 64

enum { FREE, HELD, CONTENDED };

struct slot {
    _Alignas(64) _Atomic uint32_t word;
    _Atomic uint32_t waiters; /* of a condition variable; 0: a signal makes no system call */
};

static struct table {
    struct slot lock[HLRC_STATIC_LOCKS], cond[MAX_CONDS];
    _Atomic uint32_t conds; /* number created */
} * table;

void native_sync_init(void)
{
    table = native_map("locks", sizeof *table);
}

static struct slot *lock_slot(hlrc_lock_t lock)
{
    if (lock >= HLRC_STATIC_LOCKS)
        native_die("lock %u does not exist; choose 0 to %d", (unsigned)lock, HLRC_STATIC_LOCKS - 1);
    return &table->lock[lock];
}

static struct slot *cond_slot(hlrc_cond_t cond)
{
    if (cond.id >= atomic_load(&table->conds))
        native_die("condition variable %u does not exist; create it first", (unsigned)cond.id);
    return &table->cond[cond.id];
}

/* After sleeping, the new holder must assume that others still sleep. */
void hlrc_lock(hlrc_lock_t lock)
{
    _Atomic uint32_t *word = &lock_slot(lock)->word;
    uint32_t expected = FREE;

    if (atomic_compare_exchange_strong(word, &expected, HELD))
        return;
    while (atomic_exchange(word, CONTENDED) != FREE)
        native_sleep(word, CONTENDED);
}

void hlrc_unlock(hlrc_lock_t lock)
{
    _Atomic uint32_t *word = &lock_slot(lock)->word;
    uint32_t before = atomic_exchange(word, FREE);

    if (before == FREE)
        native_die("hlrc_unlock: lock %u is not held; lock it first", (unsigned)lock);
    if (before == CONTENDED)
        native_wake(word, 1);
}

int hlrc_cond_create(hlrc_cond_t *cond)
{
    uint32_t created = atomic_fetch_add(&table->conds, 1);

    if (created >= MAX_CONDS)
        return -ENOMEM;
    cond->id = created;
    return 0;
}

/* Reads the count, and counts this waiter, before it releases the lock: see the head. */
void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock)
{
    struct slot *slot = cond_slot(cond);
    uint32_t signals = atomic_load(&slot->word);

    if (hlrc_node_count() == 1)
        native_die("hlrc_cond_wait: no other node that could signal; test the condition before "
                   "the wait");
    atomic_fetch_add(&slot->waiters, 1);
    hlrc_unlock(lock);
    native_sleep(&slot->word, signals);
    hlrc_lock(lock);
    atomic_fetch_sub(&slot->waiters, 1);
}

static void signal_some(hlrc_cond_t cond, int sleepers)
{
    struct slot *slot = cond_slot(cond);

    atomic_fetch_add(&slot->word, 1);
    if (atomic_load(&slot->waiters) != 0)
        native_wake(&slot->word, sleepers);
}

void hlrc_cond_signal(hlrc_cond_t cond)
{
    signal_some(cond, 1);
}

void hlrc_cond_broadcast(hlrc_cond_t cond)
{
    signal_some(cond, INT_MAX);
}
