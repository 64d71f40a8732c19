/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rwlock.c - reader-writer locks, made of two locks, a condition variable and a counter.
 *
 *   read      acquire turn | acquire guard, readers + 1, release | release turn | reads
 *             acquire guard, readers - 1, at 0 signal the condition, release
 *   write     acquire turn | acquire guard, wait while there are readers, release | writes
 *             release turn
 *
 * Invariants
 *   - A writer holds the turn, which new readers need: no node reads. The turn is granted in the
 *     order of lock.h, so a writer waits only for readers that read already.
 *   - The counter changes, and is waited for, under the guard. So a writer has acquired from all
 *     earlier readers, and a reader from the earlier writer, by the turn.
 */
#include <errno.h>
#include <hlrc.h>

#include "base/diag.h"
#include "hlrc/core/call.h"

/* A structure of zeros would name a lock that exists. */
static void rwlock_check(const char *call, hlrc_rwlock_t lock)
{
    call_check(call);
    if (lock.turn < HLRC_STATIC_LOCKS || lock.guard < HLRC_STATIC_LOCKS)
        diag_fatal(1, "%s: no such lock; use one that hlrc_rwlock_create returned", call);
}

int hlrc_rwlock_create(hlrc_rwlock_t *lock)
{
    hlrc_rwlock_t made;
    call_check_given("hlrc_rwlock_create", "lock", lock);
    int rc = hlrc_lock_create(&made.turn);
    if (rc)
        return rc;
    if ((rc = hlrc_lock_create(&made.guard)) != 0)
        goto err_destroy_turn;
    if ((rc = hlrc_cond_create(&made.none)) != 0)
        goto err_destroy_guard;
    if ((rc = hlrc_atomic_create(&made.readers, 0)) != 0)
        goto err_destroy_none;
    *lock = made;
    return 0;

err_destroy_none:
    hlrc_cond_destroy(made.none);
err_destroy_guard:
    hlrc_lock_destroy(made.guard);
err_destroy_turn:
    hlrc_lock_destroy(made.turn);
    return rc;
}

void hlrc_rwlock_destroy(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_destroy", lock);
    hlrc_atomic_destroy(lock.readers);
    hlrc_cond_destroy(lock.none);
    hlrc_lock_destroy(lock.guard);
    hlrc_lock_destroy(lock.turn);
}

/* ASSUMPTION: this thread holds the turn. */
static void rwlock_enter(hlrc_rwlock_t lock)
{
    hlrc_lock(lock.guard);
    hlrc_atomic_fetch_add(lock.readers, 1);
    hlrc_unlock(lock.guard);
    hlrc_unlock(lock.turn);
}

void hlrc_rwlock_rdlock(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_rdlock", lock);
    hlrc_lock(lock.turn);
    rwlock_enter(lock);
}

int hlrc_rwlock_tryrdlock(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_tryrdlock", lock);
    int rc = hlrc_trylock(lock.turn);
    if (rc == 0)
        rwlock_enter(lock);
    return rc;
}

void hlrc_rwlock_rdunlock(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_rdunlock", lock);
    hlrc_lock(lock.guard);
    if (hlrc_atomic_fetch_add(lock.readers, (uint64_t)-1) == 1)
        hlrc_cond_signal(lock.none);
    hlrc_unlock(lock.guard);
}

void hlrc_rwlock_wrlock(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_wrlock", lock);
    hlrc_lock(lock.turn);
    hlrc_lock(lock.guard);
    while (hlrc_atomic_load(lock.readers) != 0)
        hlrc_cond_wait(lock.none, lock.guard);
    hlrc_unlock(lock.guard);
}

int hlrc_rwlock_trywrlock(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_trywrlock", lock);
    int rc = hlrc_trylock(lock.turn);
    if (rc)
        return rc;
    hlrc_lock(lock.guard);
    uint64_t readers = hlrc_atomic_load(lock.readers);
    hlrc_unlock(lock.guard);
    if (readers == 0)
        return 0;
    hlrc_unlock(lock.turn);
    return -EBUSY;
}

void hlrc_rwlock_wrunlock(hlrc_rwlock_t lock)
{
    rwlock_check("hlrc_rwlock_wrunlock", lock);
    hlrc_unlock(lock.turn);
}
