/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lock_mcs.c - locks by remote atomics (--locks queue), in which no remote CPU takes part.
 *
 * The queue of Mellor-Crummey and Scott (Algorithms for Scalable Synchronization on Shared-Memory
 * Multiprocessors, 1991) over nodes. The record of a lock lies at its home, node l mod N: its tail,
 * which names the queue node of the last that came, and the vector time that the lock had when it
 * became free. A queue node lies at the node that waits with it: its successor's name, the word
 * that says that it has the lock, and the vector time that came with it. So who waits looks at its
 * own memory only, and who lets go writes to one other node.
 *
 *   free:    compare-and-swap of the tail, 0 -> me; read of the vector time
 *   taken:   exchange of the tail; my name to the one before; wait for my own word
 *   let go:  nobody behind me: vector time to the record, compare-and-swap of the tail, me -> 0
 *            else:             vector time and word to the queue node behind me
 *
 * Of a node, threads come one at a time: one takes part for all, and hands the lock on to another
 * one that waits for it, without a message. Its interval is closed when the lock leaves the node,
 * which nobody can ask it for later.
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   MQ1  A node takes part in the queue of a lock with one queue node at most; between its threads
 *        the lock is guarded, and BUSY.
 *   MQ2  A queue node is clear before the tail names it, and belongs to its lock until the lock has
 *        been let go of: one name and one grant are written into it at most, and the owner has seen
 *        both by then. So nothing is written into it late.
 *   MQ3  Who exchanges the tail for its own name tells the one that was there, always; who finds by
 *        its compare-and-swap that it is not the last waits for that name.
 *   MQ4  (3) The vector time of a free lock is in the record before the tail is 0 (fabric.h F2),
 *        and is read behind the compare-and-swap that found 0 there.
 *   MQ5  (3) That of a lock that is handed on is in the queue node before the word (F1), which
 *        wakes who sleeps for it.
 *   MQ6  (1) The vector time that leaves with a lock covers all that was written under it here: a
 *        closing lies between. Threads of one node hand a lock on without one.
 *   MQ7  A node hands a lock on among its threads LOCAL_RUN times at most while another one waits.
 *   MQ8  A try takes a free lock or changes nothing: it never enters the queue.
 */
#include "hlrc/sync/lock.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/perturb.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/coherence/interval.h"
#include "hlrc/engine.h"
#include "hlrc/progress/dump.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

#define LOCAL_RUN 8 /* MQ7 */

enum { BUSY = 1, HERE = 2, HELD = 4 };

/* Of a lock, at this node. BUSY: a thread has it, asks for it or lets go of it; HERE: the node has
 * it; HELD: a thread has it. */
struct lock {
    spin_lock_word guard;     /* of the rest */
    _Atomic uint8_t flags;    /* while BUSY the thread that is writes it, without the guard */
    uint8_t local_run;        /* hand-overs since another node waits */
    _Atomic uint16_t waiters; /* threads that sleep on `turn`; changed under the guard */
    _Atomic uint32_t turn;    /* futex word: raised when a waiting thread may try again */
    uint32_t node;            /* queue node, while it takes part */
};

/* The heads of what lies in the control window; a vector time follows. */
struct record {
    _Atomic uint64_t tail; /* 0: free; else name of the last in the queue */
};
struct queue_node {
    _Atomic uint64_t next; /* name of the one behind; 0 none yet */
    _Atomic uint64_t granted;
};

static struct lock *table;
static uint32_t limit; /* number of locks */

/* By thread: a queue node that it has given back; + 1. */
static uint32_t *spare;
static spin_lock_word nodes_lock; /* guards the three below */
static uint32_t *returned;        /* queue nodes that were used, and are free */
static uint32_t returned_count, fresh;

static size_t table_bytes(void)
{
    return (size_t)limit * sizeof *table;
}

static size_t returned_bytes(void)
{
    return (size_t)LOCK_QUEUE_NODES * sizeof *returned;
}

static void dump_locks(char *line, size_t len)
{
    for (uint32_t i = 0; i < LOCK_CREATED_FIRST; i++) {
        const struct lock *l = &table[i]; /* without its guard: DU1 */
        unsigned flags = atomic_load_explicit(&l->flags, memory_order_relaxed);
        if (flags & BUSY)
            dump_append(line, len, "%s %u %s", line[0] ? "," : "locks", i,
                        flags & HELD ? "held here" : "asked for, or let go of");
    }
}

static int mcs_init(uint32_t locks)
{
    limit = locks;
    returned_count = fresh = 0;
    dump_add(dump_locks);
    spare = calloc(threads_max(), sizeof *spare);
    table = reserve(table_bytes());
    returned = reserve(returned_bytes());
    return table && returned && spare ? 0 : -ENOMEM;
}

static void mcs_end(void)
{
    free(spare);
    spare = NULL;
    reserve_end(table, table_bytes());
    reserve_end(returned, returned_bytes());
}

/* ---- records and queue nodes ---- */

static int home_of(uint32_t lock)
{
    return (int)(lock % (uint32_t)engine.nodes);
}

static size_t record_at(uint32_t lock)
{
    return engine.at.lock_records +
           (size_t)(lock / (uint32_t)engine.nodes) * engine.at.lock_record_size;
}

static size_t queue_node_at(uint32_t k)
{
    return engine.at.lock_nodes + (size_t)k * engine.at.lock_node_size;
}

static struct queue_node *queue_node(uint32_t k)
{
    return control_at(queue_node_at(k));
}

/* The vector time in a queue node of this node's. */
static uint64_t *time_of(uint32_t k)
{
    return control_at(queue_node_at(k) + sizeof(struct queue_node));
}

static uint64_t name(int node, uint32_t k)
{
    return (uint64_t)(node + 1) << 32 | k;
}

static int node_named(uint64_t of)
{
    return (int)(of >> 32) - 1;
}

static size_t place_named(uint64_t of)
{
    return queue_node_at((uint32_t)of);
}

static uint32_t another_queue_node(void)
{
    spin_lock(&nodes_lock);
    bool used = returned_count > 0, none = !used && fresh == LOCK_QUEUE_NODES;
    uint32_t k = used ? returned[--returned_count] : none ? 0 : fresh++;
    spin_unlock(&nodes_lock);
    if (none)
        diag_fatal(1,
                   "more than %d locks are held or waited for at this node; hold fewer at a "
                   "time, or use --locks handler",
                   LOCK_QUEUE_NODES);
    if (!used)
        fabric_window_prepare(engine.fabric, engine.control.id, queue_node_at(k),
                              engine.at.lock_node_size);
    return k;
}

/* MQ2: clear. */
static uint32_t take_queue_node(void)
{
    uint32_t *mine = &spare[thread_self()->index], k = *mine ? *mine - 1 : another_queue_node();
    *mine = 0;
    struct queue_node *q = queue_node(k);
    atomic_store_explicit(&q->next, 0, memory_order_relaxed);
    atomic_store_explicit(&q->granted, 0, memory_order_relaxed);
    /* orders them before the tail names it, by an operation of the fabric */
    atomic_thread_fence(memory_order_release);
    return k;
}

static void give_queue_node(uint32_t k)
{
    uint32_t *mine = &spare[thread_self()->index];
    if (*mine == 0) {
        *mine = k + 1;
        return;
    }
    spin_lock(&nodes_lock);
    returned[returned_count++] = k;
    spin_unlock(&nodes_lock);
}

/* ---- between nodes ---- */

static uint64_t swap_tail(uint32_t lock, uint64_t expect, uint64_t desired)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;
    fabric_cas(engine.fabric, home_of(lock), engine.control.id, record_at(lock), expect, desired,
               &old, &op);
    fabric_wait(engine.fabric, &op);
    return old;
}

/* Into the queue node. */
static void read_time(uint32_t lock, uint32_t k, struct fabric_op *op)
{
    fabric_read(engine.fabric, home_of(lock), engine.control.id,
                record_at(lock) + sizeof(struct record), time_of(k), VT_BYTES(engine.nodes), op);
}

/* If the lock is free, this node has it: true, and the queue node has its vector time. *tail: what
 * was there. */
static bool take_free(uint32_t lock, uint32_t k, uint64_t *tail)
{
    struct fabric_op op = FABRIC_OP_INIT;
    bool together = engine.fabric->caps & FABRIC_READ_ORDERED;
    fabric_cas(engine.fabric, home_of(lock), engine.control.id, record_at(lock), 0,
               name(engine.node, k), tail, &op);
    if (together)
        read_time(lock, k, &op); /* MQ4 */
    fabric_wait(engine.fabric, &op);
    if (!together && *tail == 0) {
        perturb(lock_taken);
        read_time(lock, k, &op); /* MQ4 */
        fabric_wait(engine.fabric, &op);
    }
    return *tail == 0;
}

static bool is_granted(void *arg)
{
    return atomic_load_explicit(&((struct queue_node *)arg)->granted, memory_order_acquire) != 0;
}

/* Behind the one that `tail` names, or the one that came since; true when the lock was free by
 * then. */
static bool enter_queue(uint32_t lock, uint32_t k, uint64_t tail)
{
    uint64_t me = name(engine.node, k);
    uint64_t before =
        fabric_exchange(engine.fabric, home_of(lock), engine.control.id, record_at(lock), me, tail);
    perturb(lock_queued);
    if (before == 0)
        return true;
    fabric_write(engine.fabric, node_named(before), engine.control.id,
                 place_named(before) + offsetof(struct queue_node, next), &me, sizeof me,
                 NULL); /* MQ3 */
    progress_wait((struct wait_for){ "lock", lock }, is_granted, queue_node(k), WAIT_STATE);
    return false;
}

/* ASSUMPTION: BUSY, by this thread, and not HERE. */
static void fetch(struct lock *l, uint32_t lock)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t tail;
    l->node = take_queue_node();
    perturb(lock_asking);
    if (!take_free(lock, l->node, &tail) && enter_queue(lock, l->node, tail)) {
        read_time(lock, l->node, &op); /* MQ4 */
        fabric_wait(engine.fabric, &op);
    }
    interval_acquire(time_of(l->node));
}

/* MQ5 */
static void grant(uint64_t successor, const uint64_t *vt)
{
    static const uint64_t yes = 1;
    int node = node_named(successor), win = engine.control.id;
    size_t at = place_named(successor), word = at + offsetof(struct queue_node, granted);
    fabric_write(engine.fabric, node, win, at + sizeof(struct queue_node), vt,
                 VT_BYTES(engine.nodes), NULL);
    perturb(lock_granting);
    if (engine.fabric->caps & FABRIC_WRITE_IMM)
        fabric_write_wake(engine.fabric, node, win, word, &yes, sizeof yes, NULL);
    else
        fabric_write(engine.fabric, node, win, word, &yes, sizeof yes, NULL);
}

static uint64_t successor_of(uint32_t k)
{
    return atomic_load_explicit(&queue_node(k)->next, memory_order_acquire);
}

static bool has_successor(void *arg)
{
    return successor_of(*(uint32_t *)arg) != 0;
}

/* Nobody has said to be behind: true when nobody is, and the lock is free. MQ3, MQ4 */
static bool set_free(uint32_t lock, uint32_t k, const uint64_t *vt)
{
    uint64_t me = name(engine.node, k);
    fabric_write(engine.fabric, home_of(lock), engine.control.id,
                 record_at(lock) + sizeof(struct record), vt, VT_BYTES(engine.nodes), NULL);
    perturb(lock_leaving);
    return swap_tail(lock, me, 0) == me;
}

/* The lock leaves this node. ASSUMPTION: BUSY, by this thread, and HERE; published (MQ6). */
static void let_go(uint32_t lock, uint32_t k)
{
    uint64_t vt[NODES_MAX];
    interval_hand_on(vt);
    if (successor_of(k) || !set_free(lock, k, vt)) {
        progress_wait((struct wait_for){ "the next in the queue of lock", lock }, has_successor, &k,
                      WAIT_STATE); /* MQ3 */
        grant(successor_of(k), vt);
    }
    give_queue_node(k); /* MQ2 */
}

/* ---- between the threads of this node ---- */

/* ASSUMPTION: guarded, before and after. */
static void await_turn(struct lock *l, uint32_t lock)
{
    l->waiters++;
    uint32_t seen = atomic_load(&l->turn);
    spin_unlock(&l->guard);
    struct watch_note before =
        watch_begin(thread_self(), "another thread of this node to let go of lock", lock);
    futex_wait_private(&l->turn, seen, -1);
    watch_end(thread_self(), before);
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

/* Ends what this thread did with it. ASSUMPTION: guarded, which it is not afterwards. */
static void pass_turn(struct lock *l, unsigned flags)
{
    bool wake = l->waiters > 0;
    set_flags(l, flags);
    if (wake)
        atomic_fetch_add(&l->turn, 1);
    spin_unlock(&l->guard);
    if (wake)
        futex_wake_private(&l->turn, 1);
}

/* ASSUMPTION: guarded, not BUSY. Whether the lock is here, and this thread has it now. */
static bool begin(struct lock *l)
{
    bool here = flags_of(l) & HERE || engine.alone;
    set_flags(l, here ? BUSY | HERE | HELD : BUSY);
    return here;
}

static bool mcs_take(uint32_t lock)
{
    (void)lock;
    return false;
}

/* MQ1 */
static void mcs_acquire(uint32_t lock)
{
    struct lock *l = &table[lock];
    spin_lock(&l->guard);
    while (flags_of(l) & BUSY)
        await_turn(l, lock);
    bool here = begin(l);
    spin_unlock(&l->guard);
    if (here)
        return;
    fetch(l, lock);
    set_flags(l, BUSY | HERE | HELD);
}

/* MQ8: a queue node that was named nowhere is given back (MQ2). */
static bool try_fetch(struct lock *l, uint32_t lock)
{
    uint64_t tail;
    l->node = take_queue_node();
    bool taken = take_free(lock, l->node, &tail);
    if (taken)
        interval_acquire(time_of(l->node));
    else
        give_queue_node(l->node);
    return taken;
}

/* MQ1, MQ8 */
static int mcs_try(uint32_t lock)
{
    struct lock *l = &table[lock];
    spin_lock(&l->guard);
    bool busy = flags_of(l) & BUSY, here = !busy && begin(l);
    spin_unlock(&l->guard);
    if (busy || here)
        return busy ? -EBUSY : 0;
    if (try_fetch(l, lock)) {
        set_flags(l, BUSY | HERE | HELD);
        return 0;
    }
    spin_lock(&l->guard);
    pass_turn(l, 0);
    return -EBUSY;
}

/* Where a remote operation is a copy by this CPU. */
static bool in_memory(void)
{
    return engine.fabric->round_trip_ns == 0;
}

static bool mcs_acquire_soon(uint32_t lock)
{
    return in_memory() && mcs_try(lock) == 0;
}

static bool mcs_drop(uint32_t lock)
{
    (void)lock;
    return false;
}

/* By another node, as far as this one knows. ASSUMPTION: guarded, HERE. */
static bool awaited(const struct lock *l)
{
    return !engine.alone && successor_of(l->node) != 0;
}

/* MQ7. ASSUMPTION: guarded, HERE. */
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

/* Once everything is published (MQ6). ASSUMPTION: BUSY, by this thread, HERE, and not guarded. */
static void leave(struct lock *l, uint32_t lock)
{
    set_flags(l, BUSY | HERE);
    perturb(lock_dropping);
    let_go(lock, l->node);
    spin_lock(&l->guard);
    l->local_run = 0;
    pass_turn(l, 0);
}

static void mcs_release(uint32_t lock)
{
    struct lock *l = &table[lock];
    check_held(l, lock);
    spin_lock(&l->guard);
    if (stays(l)) { /* MQ7 */
        l->local_run = (uint8_t)(awaited(l) ? l->local_run + 1 : 0);
        pass_turn(l, HERE);
        return;
    }
    spin_unlock(&l->guard);
    interval_close(true); /* MQ6 */
    leave(l, lock);
}

static bool mcs_release_soon(uint32_t lock)
{
    struct lock *l = &table[lock];
    check_held(l, lock);
    if (!in_memory() || engine.alone || awaited(l) || !interval_clean()) /* MQ6 */
        return false;
    if (atomic_load_explicit(&l->waiters, memory_order_relaxed)) /* who comes now waits longer */
        return false;
    leave(l, lock);
    return true;
}

const struct lock_protocol locks_by_mcs = {
    .name = "queue",
    .caps = FABRIC_READ | FABRIC_ATOMICS,
    .init = mcs_init,
    .end = mcs_end,
    .take = mcs_take,
    .acquire = mcs_acquire,
    .try = mcs_try,
    .drop = mcs_drop,
    .release = mcs_release,
    .acquire_soon = mcs_acquire_soon,
    .release_soon = mcs_release_soon,
};
