/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rwlock.c - locks for readers and writers, made of what is there: two locks, a condition variable
 * and a counter.
 *
 *   to read    turn taken | guard taken, readers + 1, dropped | turn dropped | reads
 *              guard taken, readers - 1, at 0 the condition signalled, dropped
 *   to write   turn taken | guard taken, waits while there are readers, dropped | writes
 *              turn dropped
 *
 * Invariants
 *   RW1  Who writes holds the turn, which who comes to read needs: nobody reads. The turn is given
 *        in the order of lock.h, so who waits to write waits for those who read already.
 *   RW2  The counter changes, and is waited for, under the guard. So a writer has acquired from all
 *        who read before it, and who reads from the writer before, by the turn.
 */
#include <errno.h>
#include <hlrc.h>

int hlrc_rwlock_create(hlrc_rwlock_t *lock)
{
    hlrc_rwlock_t made;
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
    hlrc_atomic_destroy(lock.readers);
    hlrc_cond_destroy(lock.none);
    hlrc_lock_destroy(lock.guard);
    hlrc_lock_destroy(lock.turn);
}

/* RW2. ASSUMPTION: the turn is this thread's. */
static void enter(hlrc_rwlock_t lock)
{
    hlrc_lock(lock.guard);
    hlrc_atomic_fetch_add(lock.readers, 1);
    hlrc_unlock(lock.guard);
    hlrc_unlock(lock.turn);
}

void hlrc_rwlock_rdlock(hlrc_rwlock_t lock)
{
    hlrc_lock(lock.turn); /* RW1 */
    enter(lock);
}

int hlrc_rwlock_tryrdlock(hlrc_rwlock_t lock)
{
    int rc = hlrc_trylock(lock.turn);
    if (rc == 0)
        enter(lock);
    return rc;
}

void hlrc_rwlock_rdunlock(hlrc_rwlock_t lock)
{
    hlrc_lock(lock.guard);
    if (hlrc_atomic_fetch_add(lock.readers, (uint64_t)-1) == 1)
        hlrc_cond_signal(lock.none);
    hlrc_unlock(lock.guard);
}

void hlrc_rwlock_wrlock(hlrc_rwlock_t lock)
{
    hlrc_lock(lock.turn); /* RW1 */
    hlrc_lock(lock.guard);
    while (hlrc_atomic_load(lock.readers) != 0)
        hlrc_cond_wait(lock.none, lock.guard); /* RW2 */
    hlrc_unlock(lock.guard);
}

int hlrc_rwlock_trywrlock(hlrc_rwlock_t lock)
{
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
    hlrc_unlock(lock.turn);
}
