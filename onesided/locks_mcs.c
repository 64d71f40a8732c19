/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * locks_mcs.c - locks by remote atomics (--locks queue), in which no remote CPU takes part.
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
#include "base/perturb.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/mcs.h"

#define LOCAL_RUN 8  /* [lock.overtaking] */
#define OVERTAKEN 64 /* [lock.overtaking] */

enum { BUSY = 1, HERE = 2, HELD = 4 };

/* A lock at this node. BUSY: a thread holds, acquires or releases it; HERE: the node has it; HELD:
 * a thread holds it. */
struct lock {
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

static struct lock *table;
static uint32_t limit; /* number of locks */

static size_t table_bytes(void)
{
    return (size_t)limit * sizeof *table;
}

static int init(uint32_t locks)
{
    limit = locks;
    table = reserve(table_bytes());
    return table ? 0 : -ENOMEM;
}

static void end(void)
{
    reserve_end(table, table_bytes());
}

/* ---- between nodes ---- */

static struct mcs queue_of(uint32_t lock)
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
static void fetch(struct lock *l, uint32_t lock)
{
    struct mcs q = queue_of(lock);
    l->node = mcs_take_node();
    perturb(lock_asking);
    mcs_acquire(&q, l->node);
    interval_acquire(mcs_time(l->node), lock);
}

/* [lock.failed-try] */
static bool try_fetch(struct lock *l, uint32_t lock)
{
    struct mcs q = queue_of(lock);
    uint64_t tail;
    l->node = mcs_take_node();
    perturb(lock_trying);
    bool taken = mcs_take_free(&q, l->node, &tail);
    if (taken)
        interval_acquire(mcs_time(l->node), lock);
    else
        mcs_give_node(l->node);
    return taken;
}

/* The lock leaves this node. ASSUMPTION: BUSY, by this thread, and HERE; published
 * [lock.flush-first]. */
static void let_go(uint32_t lock, uint32_t k)
{
    struct mcs q = queue_of(lock);
    uint64_t vt[NODES_MAX];
    interval_hand_on(vt);
    mcs_release(&q, k, vt);
}

/* ---- between the threads of this node ---- */

/* ASSUMPTION: guarded, before and after. */
static void await_turn(struct lock *l, uint32_t lock)
{
    l->waiters++;
    uint32_t seen = atomic_load(&l->turn);
    spin_unlock(&l->guard);
    struct watch_note before = watch_begin((struct wait_for){ WAITS_LOCK, lock, 0 });
    watch_sleeps();
    futex_wait(&l->turn, seen, -1);
    watch_end(before);
    spin_lock(&l->guard);
    l->waiters--;
}

static unsigned flags_of(const struct lock *l)
{
    return atomic_load_explicit(&l->flags, memory_order_relaxed);
}

static void set_flags(struct lock *l, unsigned flags)
{
    atomic_store_explicit(&l->flags, (uint8_t)flags, memory_order_relaxed);
}

/* [locks-mcs.queue-node]: ends this thread's use. ASSUMPTION: guarded; the guard is released. */
static void pass_turn(struct lock *l, unsigned flags)
{
    bool wake = l->waiters > 0;
    set_flags(l, flags);
    if (wake)
        atomic_fetch_add(&l->turn, 1);
    spin_unlock(&l->guard);
    if (wake)
        futex_wake(&l->turn, 1);
}

/* The lock is here, and this thread now holds it. ASSUMPTION: BUSY by this thread, or guarded. */
static void hold(struct lock *l)
{
    l->holder = (uint16_t)thread_self()->index;
    set_flags(l, BUSY | HERE | HELD);
}

/* True if the lock is here, and this thread now holds it. ASSUMPTION: guarded, not BUSY. */
static bool begin(struct lock *l)
{
    bool here = flags_of(l) & HERE || engine.alone;
    if (here)
        hold(l);
    else
        set_flags(l, BUSY);
    return here;
}

static uint32_t queue_holder(uint32_t lock)
{
    const struct lock *l = &table[lock]; /* without its guard */
    return flags_of(l) & HELD ? l->holder + 1u : 0;
}

static const void *queue_entry(uint32_t lock)
{
    return &table[lock];
}

static bool queue_take(uint32_t lock, uint32_t thread)
{
    (void)lock, (void)thread;
    return false;
}

/* Reserved for the waiters: the last pass_turn has woken one. A hint unless guarded. */
static bool is_promised(const struct lock *l)
{
    return atomic_load_explicit(&l->waiters, memory_order_relaxed) &&
           /* [lock.overtaking] */
           atomic_load_explicit(&l->overtaken, memory_order_relaxed) >= OVERTAKEN;
}

/* Called by a thread that has `waited` for it or not. ASSUMPTION: guarded. */
static void count_overtaken(struct lock *l, bool waited)
{
    unsigned times = atomic_load_explicit(&l->overtaken, memory_order_relaxed);
    times = waited || !l->waiters ? 0 : times < OVERTAKEN ? times + 1 : times;
    atomic_store_explicit(&l->overtaken, (uint8_t)times, memory_order_relaxed);
}

/* [locks-mcs.queue-node] */
static void queue_acquire(uint32_t lock)
{
    struct lock *l = &table[lock];
    bool waited = false;
    spin_lock(&l->guard);
    while ((flags_of(l) & BUSY) || (!waited && is_promised(l))) {
        if (flags_of(l) & HELD)
            lock_check_again(lock, l->holder);
        await_turn(l, lock);
        waited = true;
    }
    count_overtaken(l, waited);
    bool here = begin(l);
    spin_unlock(&l->guard);
    if (here)
        return;
    fetch(l, lock);
    hold(l);
}

/* [locks-mcs.queue-node], [lock.failed-try] */
static int queue_try(uint32_t lock)
{
    struct lock *l = &table[lock];
    spin_lock(&l->guard);
    bool busy = flags_of(l) & BUSY;
    if (!busy)
        count_overtaken(l, false);
    bool here = !busy && begin(l);
    spin_unlock(&l->guard);
    if (busy || here)
        return busy ? -EBUSY : 0;
    if (try_fetch(l, lock)) {
        hold(l);
        return 0;
    }
    spin_lock(&l->guard);
    pass_turn(l, 0);
    return -EBUSY;
}

/* True if a remote operation is a copy by this CPU. */
static bool in_memory(void)
{
    return engine.fabric->round_trip_ns == 0;
}

static bool queue_acquire_soon(uint32_t lock)
{
    return in_memory() && !is_promised(&table[lock]) && queue_try(lock) == 0;
}

static bool queue_drop(uint32_t lock, uint32_t thread)
{
    (void)lock, (void)thread;
    return false;
}

/* True if a successor node is linked. ASSUMPTION: guarded, HERE. */
static bool awaited(const struct lock *l)
{
    return !engine.alone && mcs_awaited(l->node);
}

/* [lock.overtaking]. ASSUMPTION: guarded, HERE. */
static bool stays(const struct lock *l)
{
    return engine.alone || (l->waiters && (!awaited(l) || l->local_run < LOCAL_RUN));
}

static void check_held(const struct lock *l, uint32_t lock)
{
    if (!(flags_of(l) & HELD))
        diag_fatal(
            1, "hlrc_unlock(%u): this node does not hold the lock; pair each unlock with a lock",
            lock);
}

/* After everything is published [lock.flush-first]. ASSUMPTION: BUSY, by this thread, HERE, and not
 * guarded. */
static void leave(struct lock *l, uint32_t lock)
{
    set_flags(l, BUSY | HERE);
    perturb(lock_dropping);
    let_go(lock, l->node);
    spin_lock(&l->guard);
    l->local_run = 0;
    pass_turn(l, 0);
}

static void queue_release(uint32_t lock)
{
    struct lock *l = &table[lock];
    check_held(l, lock);
    spin_lock(&l->guard);
    if (stays(l)) { /* [lock.overtaking] */
        l->local_run = (uint8_t)(awaited(l) ? l->local_run + 1 : 0);
        pass_turn(l, HERE);
        return;
    }
    spin_unlock(&l->guard);
    interval_close(true); /* [lock.flush-first] */
    leave(l, lock);
}

static bool queue_release_soon(uint32_t lock)
{
    struct lock *l = &table[lock];
    check_held(l, lock);
    if (!in_memory() || engine.alone || awaited(l) || !interval_clean()) /* [lock.flush-first] */
        return false;
    if (atomic_load_explicit(&l->waiters, memory_order_relaxed)) /* later waiters wait longer */
        return false;
    leave(l, lock);
    return true;
}

const struct lock_protocol locks_by_mcs = {
    .name = "queue",
    .caps = FABRIC_READ | FABRIC_ATOMICS,
    .init = init,
    .end = end,
    .take = queue_take,
    .acquire = queue_acquire,
    .try = queue_try,
    .drop = queue_drop,
    .release = queue_release,
    .acquire_soon = queue_acquire_soon,
    .release_soon = queue_release_soon,
    .holder = queue_holder,
    .entry = queue_entry,
};
