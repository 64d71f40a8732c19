/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locks_mcs.c - locks by remote atomics (--locks mcs), in which no remote CPU takes part.
 *
 * The record of a lock lies at its home, node l mod N: the tail of a queue, and the vector time of
 * the last release to free (mcs.h). One thread of a node enters the queue for all its threads, and
 * hands the lock to another waiting thread of the node without a message. The interval is flushed
 * when the lock leaves the node; no other node can request it later.
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [locks-mcs.queue-node] A node is in the queue of a lock with at most one queue node; between
 *       its threads the lock is guarded, and BUSY. A thread that ends BUSY, also after a failed
 *       try, wakes a thread of the node that began to wait before.
 *   - (1) The vector time that leaves with a lock covers all that was written under it here: the
 *     node flushes first. Threads of one node hand a lock over without a flush. [lock.flush-first]
 *   - A node hands a lock over among its threads at most LOCAL_RUN times while another node waits.
 *     [lock.overtaking]
 *   - A try takes a free lock or changes nothing: it never enters the queue. [lock.failed-try]
 */
#include "hlrc/sync/lock.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/diag.h"
#include "base/futex.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/mcs.h"

#define LOCAL_RUN 8  /* [lock.overtaking] */
#define OVERTAKEN 64 /* [lock.overtaking] */

enum { BUSY = 1, HERE = 2, HELD = 4 };

/* A lock at this node. BUSY: a thread holds, acquires or releases it; HERE: the node has it; HELD:
 * a thread holds it. */
struct locks_mcs_lock {
    spin_lock_word guard;  /* guards the rest */
    _Atomic uint8_t flags; /* written by the BUSY thread, without the guard */
    uint8_t local_run;     /* hand-overs since another node waits */
    /* times in a row that it was acquired past the waiters here [lock.overtaking] */
    _Atomic uint8_t overtaken;
    _Atomic uint16_t waiters; /* threads that sleep on `turn`; changed under the guard */
    uint16_t holder;          /* HELD: index of the thread that took it */
    _Atomic uint32_t turn;    /* futex word: raised when a waiting thread may try again */
    uint32_t node;            /* queue node, while in the queue */
};

static struct locks_mcs_lock *table;
static uint32_t limit; /* number of locks */

static size_t locks_mcs_table_bytes(void)
{
    return (size_t)limit * sizeof *table;
}

static int locks_mcs_init(uint32_t locks)
{
    limit = locks;
    table = reserve(locks_mcs_table_bytes());
    return table ? 0 : -ENOMEM;
}

static void locks_mcs_end(void)
{
    reserve_end(table, locks_mcs_table_bytes());
}

/* ---- between nodes ---- */

static struct mcs locks_mcs_queue_of(uint32_t lock)
{
    return (struct mcs){
        .home = (int)(lock % (uint32_t)engine.nodes),
        .at = engine.at.lock_records +
              (size_t)(lock / (uint32_t)engine.nodes) * engine.at.lock_record_size,
        .timed = true,
        .what = WAITS_LOCK,
        .next = WAITS_LOCK_NEXT,
        .object = lock,
    };
}

/* ASSUMPTION: BUSY, by this thread, and not HERE. */
static void locks_mcs_fetch(struct locks_mcs_lock *l, uint32_t lock)
{
    struct mcs q = locks_mcs_queue_of(lock);
    l->node = mcs_take_node();
    PROBE(lock_asking);
    mcs_acquire(&q, l->node);
    interval_acquire(mcs_time(l->node), lock);
}

/* [lock.failed-try] */
static bool locks_mcs_try_fetch(struct locks_mcs_lock *l, uint32_t lock)
{
    struct mcs q = locks_mcs_queue_of(lock);
    uint64_t tail;
    l->node = mcs_take_node();
    PROBE(lock_trying);
    bool taken = mcs_take_free(&q, l->node, &tail);
    if (taken)
        interval_acquire(mcs_time(l->node), lock);
    else
        mcs_give_node(l->node);
    return taken;
}

/* The lock leaves this node. ASSUMPTION: BUSY, by this thread, and HERE; published
 * [lock.flush-first]. */
static void locks_mcs_let_go(uint32_t lock, uint32_t k)
{
    struct mcs q = locks_mcs_queue_of(lock);
    uint64_t vt[NODES_MAX];
    interval_hand_on(vt);
    mcs_release(&q, k, vt);
}

/* ---- between the threads of this node ---- */

/* ASSUMPTION: guarded, before and after. */
static void locks_mcs_await_turn(struct locks_mcs_lock *l, uint32_t lock)
{
    l->waiters++;
    uint32_t seen = atomic_load(&l->turn);
    spin_unlock(&l->guard);
    struct wait_tracker_note before =
        wait_tracker_begin((struct waits_wait){ WAITS_LOCK, lock, 0 });
    wait_tracker_sleeps();
    futex_wait(&l->turn, seen, -1);
    wait_tracker_end(before);
    spin_lock(&l->guard);
    l->waiters--;
}

static unsigned locks_mcs_flags_of(const struct locks_mcs_lock *l)
{
    return atomic_load_explicit(&l->flags, memory_order_relaxed);
}

static void locks_mcs_set_flags(struct locks_mcs_lock *l, unsigned flags)
{
    atomic_store_explicit(&l->flags, (uint8_t)flags, memory_order_relaxed);
}

/* [locks-mcs.queue-node]: ends this thread's use. ASSUMPTION: guarded; the guard is released. */
static void locks_mcs_pass_turn(struct locks_mcs_lock *l, unsigned flags)
{
    bool wake = l->waiters > 0;
    locks_mcs_set_flags(l, flags);
    if (wake)
        atomic_fetch_add(&l->turn, 1);
    spin_unlock(&l->guard);
    if (wake)
        futex_wake(&l->turn, 1);
}

/* The lock is here, and this thread now holds it. ASSUMPTION: BUSY by this thread, or guarded. */
static void locks_mcs_hold(struct locks_mcs_lock *l)
{
    l->holder = (uint16_t)thread_self()->index;
    locks_mcs_set_flags(l, BUSY | HERE | HELD);
}

/* True if the lock is here, and this thread now holds it. ASSUMPTION: guarded, not BUSY. */
static bool locks_mcs_begin(struct locks_mcs_lock *l)
{
    bool here = locks_mcs_flags_of(l) & HERE || engine.alone;
    if (here)
        locks_mcs_hold(l);
    else
        locks_mcs_set_flags(l, BUSY);
    return here;
}

static uint32_t locks_mcs_queue_holder(uint32_t lock)
{
    const struct locks_mcs_lock *l = &table[lock]; /* without its guard */
    return locks_mcs_flags_of(l) & HELD ? l->holder + 1u : 0;
}

static const void *locks_mcs_queue_entry(uint32_t lock)
{
    return &table[lock];
}

static bool locks_mcs_queue_take(uint32_t lock, uint32_t thread)
{
    (void)lock, (void)thread;
    return false;
}

/* Reserved for the waiters: the last locks_mcs_pass_turn has woken one. A hint unless guarded. */
static bool locks_mcs_is_promised(const struct locks_mcs_lock *l)
{
    return atomic_load_explicit(&l->waiters, memory_order_relaxed) &&
           /* [lock.overtaking] */
           atomic_load_explicit(&l->overtaken, memory_order_relaxed) >= OVERTAKEN;
}

/* Called by a thread that has `waited` for it or not. ASSUMPTION: guarded. */
static void locks_mcs_count_overtaken(struct locks_mcs_lock *l, bool waited)
{
    unsigned times = atomic_load_explicit(&l->overtaken, memory_order_relaxed);
    times = waited || !l->waiters ? 0 : times < OVERTAKEN ? times + 1 : times;
    atomic_store_explicit(&l->overtaken, (uint8_t)times, memory_order_relaxed);
}

/* [locks-mcs.queue-node] */
static void locks_mcs_queue_acquire(uint32_t lock)
{
    struct locks_mcs_lock *l = &table[lock];
    bool waited = false;
    spin_lock(&l->guard);
    while ((locks_mcs_flags_of(l) & BUSY) || (!waited && locks_mcs_is_promised(l))) {
        if (locks_mcs_flags_of(l) & HELD)
            lock_check_again(lock, l->holder);
        locks_mcs_await_turn(l, lock);
        waited = true;
    }
    locks_mcs_count_overtaken(l, waited);
    bool here = locks_mcs_begin(l);
    spin_unlock(&l->guard);
    if (here)
        return;
    locks_mcs_fetch(l, lock);
    locks_mcs_hold(l);
}

/* [locks-mcs.queue-node], [lock.failed-try] */
static int locks_mcs_queue_try(uint32_t lock)
{
    struct locks_mcs_lock *l = &table[lock];
    spin_lock(&l->guard);
    bool busy = locks_mcs_flags_of(l) & BUSY;
    if (!busy)
        locks_mcs_count_overtaken(l, false);
    bool here = !busy && locks_mcs_begin(l);
    spin_unlock(&l->guard);
    if (busy || here)
        return busy ? -EBUSY : 0;
    if (locks_mcs_try_fetch(l, lock)) {
        locks_mcs_hold(l);
        return 0;
    }
    spin_lock(&l->guard);
    locks_mcs_pass_turn(l, 0);
    return -EBUSY;
}

/* True if a remote operation is a copy by this CPU. */
static bool locks_mcs_in_memory(void)
{
    return engine.fabric->round_trip_ns == 0;
}

static bool locks_mcs_queue_acquire_soon(uint32_t lock)
{
    return locks_mcs_in_memory() && !locks_mcs_is_promised(&table[lock]) &&
           locks_mcs_queue_try(lock) == 0;
}

static bool locks_mcs_queue_drop(uint32_t lock, uint32_t thread)
{
    (void)lock, (void)thread;
    return false;
}

/* True if a successor node is linked. ASSUMPTION: guarded, HERE. */
static bool locks_mcs_awaited(const struct locks_mcs_lock *l)
{
    return !engine.alone && mcs_awaited(l->node);
}

/* [lock.overtaking]. ASSUMPTION: guarded, HERE. */
static bool locks_mcs_stays(const struct locks_mcs_lock *l)
{
    return engine.alone || (l->waiters && (!locks_mcs_awaited(l) || l->local_run < LOCAL_RUN));
}

static void locks_mcs_check_held(const struct locks_mcs_lock *l, uint32_t lock)
{
    if (!(locks_mcs_flags_of(l) & HELD))
        diag_fatal(
            1, "hlrc_unlock(%u): this node does not hold the lock; pair each unlock with a lock",
            lock);
}

/* After everything is published [lock.flush-first]. ASSUMPTION: BUSY, by this thread, HERE, and not
 * guarded. */
static void locks_mcs_leave(struct locks_mcs_lock *l, uint32_t lock)
{
    locks_mcs_set_flags(l, BUSY | HERE);
    PROBE(lock_dropping);
    locks_mcs_let_go(lock, l->node);
    spin_lock(&l->guard);
    l->local_run = 0;
    locks_mcs_pass_turn(l, 0);
}

static void locks_mcs_queue_release(uint32_t lock)
{
    struct locks_mcs_lock *l = &table[lock];
    locks_mcs_check_held(l, lock);
    spin_lock(&l->guard);
    if (locks_mcs_stays(l)) { /* [lock.overtaking] */
        l->local_run = (uint8_t)(locks_mcs_awaited(l) ? l->local_run + 1 : 0);
        locks_mcs_pass_turn(l, HERE);
        return;
    }
    spin_unlock(&l->guard);
    interval_close(true); /* [lock.flush-first] */
    locks_mcs_leave(l, lock);
}

static bool locks_mcs_queue_release_soon(uint32_t lock)
{
    struct locks_mcs_lock *l = &table[lock];
    locks_mcs_check_held(l, lock);
    if (!locks_mcs_in_memory() || engine.alone || locks_mcs_awaited(l) ||
        !interval_clean()) /* [lock.flush-first] */
        return false;
    if (atomic_load_explicit(&l->waiters, memory_order_relaxed)) /* later waiters wait longer */
        return false;
    locks_mcs_leave(l, lock);
    return true;
}

const struct parts_lock locks_by_mcs = {
    .caps = FABRIC_READ | FABRIC_ATOMICS,
    .init = locks_mcs_init,
    .end = locks_mcs_end,
    .take = locks_mcs_queue_take,
    .acquire = locks_mcs_queue_acquire,
    .try = locks_mcs_queue_try,
    .drop = locks_mcs_queue_drop,
    .release = locks_mcs_queue_release,
    .acquire_soon = locks_mcs_queue_acquire_soon,
    .release_soon = locks_mcs_queue_release_soon,
    .holder = locks_mcs_queue_holder,
    .entry = locks_mcs_queue_entry,
};
