/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mcs.c - see mcs.h for the invariants. */
#include "hlrc/sync/mcs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/lock.h"

/* In the control window of its owner; a vector time follows. */
struct mcs_node {
    _Atomic uint64_t next;    /* name of the successor; 0 none yet */
    _Atomic uint64_t granted; /* 0 until granted */
};

/* By thread: a queue node that it has freed, + 1. */
static uint32_t *spare;
/* By queue node: its vector time was read at the home, and is still there [mcs.time-first]. */
static bool *at_home;
static spin_lock_word nodes_lock; /* guards the three below */
static uint32_t *returned;        /* queue nodes that were used, and are free */
static uint32_t returned_count, fresh;

static size_t mcs_returned_bytes(void)
{
    return (size_t)LOCK_QUEUE_NODES * sizeof *returned;
}

int mcs_init(void)
{
    returned_count = fresh = 0;
    spare = calloc(thread_max(), sizeof *spare);
    returned = reserve(mcs_returned_bytes());
    at_home = reserve((size_t)LOCK_QUEUE_NODES);
    return returned && spare && at_home ? 0 : -ENOMEM;
}

void mcs_end(void)
{
    free(spare);
    spare = NULL;
    reserve_end(returned, mcs_returned_bytes());
    returned = NULL;
    reserve_end(at_home, (size_t)LOCK_QUEUE_NODES);
    at_home = NULL;
}

static size_t mcs_queue_node_at(uint32_t k)
{
    return engine.at.lock_nodes + (size_t)k * engine.at.lock_node_size;
}

static struct mcs_node *mcs_queue_node(uint32_t k)
{
    return engine_control_at(mcs_queue_node_at(k));
}

uint64_t *mcs_time(uint32_t k)
{
    return engine_control_at(mcs_queue_node_at(k) + sizeof(struct mcs_node));
}

uint64_t mcs_name(uint32_t k)
{
    return (uint64_t)(engine.node + 1) << 32 | k;
}

int mcs_name_node(uint64_t name)
{
    return (int)(name >> 32) - 1;
}

size_t mcs_name_next(uint64_t name)
{
    return mcs_queue_node_at((uint32_t)name) + offsetof(struct mcs_node, next);
}

static uint32_t mcs_another_node(void)
{
    spin_lock(&nodes_lock);
    bool used = returned_count > 0, none = !used && fresh == LOCK_QUEUE_NODES;
    uint32_t k = used ? returned[--returned_count] : none ? 0 : fresh++;
    spin_unlock(&nodes_lock);
    if (none)
        diag_fatal(1,
                   "more than %d locks and mutexes are held or waited for at this node; hold fewer "
                   "at a time, or use --locks manager",
                   LOCK_QUEUE_NODES);
    if (!used)
        fabric_window_prepare(engine.fabric, engine.control.id, mcs_queue_node_at(k),
                              engine.at.lock_node_size);
    return k;
}

/* [mcs.node-clear] */
uint32_t mcs_take_node(void)
{
    uint32_t *mine = &spare[thread_self()->index], k = *mine ? *mine - 1 : mcs_another_node();
    *mine = 0;
    at_home[k] = false;
    struct mcs_node *q = mcs_queue_node(k);
    atomic_store_explicit(&q->next, 0, memory_order_relaxed);
    atomic_store_explicit(&q->granted, 0, memory_order_relaxed);
    /* orders them before the tail names it, by an operation of the fabric */
    atomic_thread_fence(memory_order_release);
    return k;
}

void mcs_give_node(uint32_t k)
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

/* ---- acquire ---- */

/* Into the queue node. */
static void mcs_read_time(const struct mcs *q, uint32_t k, struct fabric_op *op)
{
    if (q->timed)
        fabric_read(engine.fabric, q->home, engine.control.id, q->at + sizeof(uint64_t),
                    mcs_time(k), VT_BYTES(engine.nodes), op);
}

bool mcs_take_free(const struct mcs *q, uint32_t k, uint64_t *tail)
{
    struct fabric_op op = FABRIC_OP_INIT;
    bool together = engine.fabric->caps & FABRIC_READ_ORDERED;
    fabric_cas(engine.fabric, q->home, engine.control.id, q->at, 0, mcs_name(k), tail, &op);
    if (together)
        mcs_read_time(q, k, &op); /* [mcs.time-first] */
    fabric_wait(engine.fabric, &op);
    if (!together && *tail == 0) {
        PROBE(lock_taken);
        mcs_read_time(q, k, &op); /* [mcs.time-first] */
        fabric_wait(engine.fabric, &op);
    }
    at_home[k] = *tail == 0;
    return *tail == 0;
}

static bool mcs_is_granted(void *arg)
{
    return atomic_load_explicit(&((struct mcs_node *)arg)->granted, memory_order_acquire) != 0;
}

bool mcs_granted(uint32_t k)
{
    return mcs_is_granted(mcs_queue_node(k));
}

void mcs_await(uint32_t k, struct waits_wait what)
{
    struct mcs_node *mine = mcs_queue_node(k);
    progress_wait(what, mcs_is_granted, mine, WAIT_STATE);
    probe_self()->granted = atomic_load_explicit(&mine->granted, memory_order_relaxed);
}

/* Links after the node that `tail` names, or the current tail if that has changed; true if the
 * queue was free by then. */
static bool mcs_enter_queue(const struct mcs *q, uint32_t k, uint64_t tail)
{
    uint64_t me = mcs_name(k);
    uint64_t before = fabric_exchange(engine.fabric, q->home, engine.control.id, q->at, me, tail);
    PROBE(lock_queued);
    if (before == 0)
        return true;
    fabric_write(engine.fabric, mcs_name_node(before), engine.control.id, mcs_name_next(before),
                 &me, sizeof me, NULL); /* [mcs.node-clear] */
    mcs_await(k, (struct waits_wait){ q->what, q->object, q->home });
    return false;
}

void mcs_acquire(const struct mcs *q, uint32_t k)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t tail;
    if (!mcs_take_free(q, k, &tail) && mcs_enter_queue(q, k, tail)) {
        mcs_read_time(q, k, &op); /* [mcs.time-first] */
        fabric_wait(engine.fabric, &op);
        at_home[k] = true;
    }
}

/* ---- release ---- */

/* [mcs.time-first] */
uint64_t mcs_grant(uint64_t name, const uint64_t *vt, uint64_t told)
{
    uint64_t number = probe_grant(), yes = number ? number : told ? told : 1;
    int node = mcs_name_node(name), win = engine.control.id;
    size_t at = mcs_queue_node_at((uint32_t)name), word = at + offsetof(struct mcs_node, granted);
    if (vt)
        fabric_write_copied(engine.fabric, node, win, at + sizeof(struct mcs_node), vt,
                            VT_BYTES(engine.nodes));
    PROBE(lock_granting);
    if (engine.fabric->caps & FABRIC_WRITE_IMM)
        fabric_write_wake(engine.fabric, node, win, word, &yes, sizeof yes, NULL);
    else
        fabric_write(engine.fabric, node, win, word, &yes, sizeof yes, NULL);
    return number;
}

static uint64_t mcs_successor_of(uint32_t k)
{
    return atomic_load_explicit(&mcs_queue_node(k)->next, memory_order_acquire);
}

static bool mcs_has_successor(void *arg)
{
    return mcs_successor_of(*(uint32_t *)arg) != 0;
}

bool mcs_awaited(uint32_t k)
{
    return mcs_successor_of(k) != 0;
}

/* No successor is linked yet. True if there is none, and the queue is now free. [mcs.node-clear],
 * [mcs.time-first] */
static bool mcs_set_free(const struct mcs *q, uint32_t k, const uint64_t *vt)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t me = mcs_name(k), old = 0;
    if (q->timed && !(at_home[k] && memcmp(vt, mcs_time(k), VT_BYTES(engine.nodes)) == 0))
        fabric_write_copied(engine.fabric, q->home, engine.control.id, q->at + sizeof(uint64_t), vt,
                            VT_BYTES(engine.nodes));
    PROBE(lock_leaving);
    fabric_cas(engine.fabric, q->home, engine.control.id, q->at, me, 0, &old, &op);
    fabric_wait(engine.fabric, &op);
    return old == me;
}

void mcs_release(const struct mcs *q, uint32_t k, const uint64_t *vt)
{
    if (mcs_successor_of(k) || !mcs_set_free(q, k, vt)) {
        progress_wait((struct waits_wait){ q->next, q->object, q->home }, mcs_has_successor, &k,
                      WAIT_STATE); /* [mcs.node-clear] */
        struct probe_span span = PROBE_BEGIN(lock_pass);
        uint64_t next = mcs_successor_of(k), number = mcs_grant(next, q->timed ? vt : NULL, 0);
        if (q->timed)
            PROBE_END(lock_pass, span, q->object, mcs_name_node(next), number);
    }
    mcs_give_node(k); /* [mcs.node-clear] */
}
