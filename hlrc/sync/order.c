/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order.c - see order.h for the invariants. */
#include "hlrc/sync/order.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/fence.h"
#include "base/race.h"
#include "base/spin.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

#define ORDER_HEAD 64 /* the number of releases, in a cache line; then the vector time */

static spin_lock_word order_lock;            /* guards this node's number and vector time */
static _Atomic uint64_t acquired[NODES_MAX]; /* number of the last release acquired, by node */

size_t order_bytes(int nodes)
{
    return ORDER_HEAD + VT_BYTES(nodes);
}

int order_init(void)
{
    memset((void *)acquired, 0, sizeof acquired);
    return 0;
}

/* ---- release ---- */

/* ASSUMPTION: locked. Another thread may have written more than `vt` has. */
static void order_write(const uint64_t *vt)
{
    _Atomic uint64_t *number = engine_control_at(engine.at.order);
    _Atomic uint64_t *time = engine_control_at(engine.at.order + ORDER_HEAD);
    bool news = false;
    for (int w = 0; w < engine.nodes; w++) {
        if (atomic_load_explicit(&time[w], memory_order_relaxed) >= vt[w])
            continue;
        atomic_store_explicit(&time[w], vt[w], memory_order_relaxed);
        news = true;
    }
    PROBE(order_written);
    if (news) /* [order.number-last] */
        atomic_store_explicit(number, atomic_load(number) + 1, memory_order_release);
}

void hlrc_release(void)
{
    call_check("hlrc_release");
    if (engine.alone)
        return;
    struct thread *t = thread_enter();
    uint64_t vt[NODES_MAX];
    race_release();
    interval_close(true);
    interval_hand_on(vt); /* [order.published-first] */
    spin_lock(&order_lock);
    order_write(vt);
    spin_unlock(&order_lock);
    fence_full(); /* [order.read-last] */
    thread_leave(t);
}

/* ---- acquire ---- */

/* True if a node has released since this node acquired from it. */
static bool order_read_numbers(uint64_t *number)
{
    struct fabric_op op = FABRIC_OP_INIT;
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node)
            fabric_read(engine.fabric, n, engine.control.id, engine.at.order, &number[n],
                        sizeof *number, &op);
    fabric_wait(engine.fabric, &op);
    number[engine.node] = 0;
    for (int n = 0; n < engine.nodes; n++)
        if (number[n] > atomic_load(&acquired[n]))
            return true;
    return false;
}

/* [order.number-last] */
static void order_read_time(int node, uint64_t *vt)
{
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_read(engine.fabric, node, engine.control.id, engine.at.order + ORDER_HEAD, vt,
                VT_BYTES(engine.nodes), &op);
    fabric_wait(engine.fabric, &op);
}

/* [order.acquired-first] */
static void order_raise(_Atomic uint64_t *of, uint64_t number)
{
    uint64_t before = atomic_load(of);
    while (before < number && !atomic_compare_exchange_weak(of, &before, number))
        ;
}

static void order_acquire(const uint64_t *number)
{
    uint64_t want[NODES_MAX] = { 0 }, vt[NODES_MAX];
    for (int n = 0; n < engine.nodes; n++) {
        if (number[n] <= atomic_load(&acquired[n]))
            continue;
        order_read_time(n, vt);
        interval_vt_raise(want, vt);
    }
    interval_acquire(want, OCCASION_ORDER);
    for (int n = 0; n < engine.nodes; n++)
        order_raise(&acquired[n], number[n]);
}

int hlrc_acquire(void)
{
    call_check("hlrc_acquire");
    if (engine.alone)
        return 0;
    if (!(engine.fabric->caps & FABRIC_READ))
        return -ENOTSUP;
    struct thread *t = thread_enter();
    uint64_t number[NODES_MAX];
    fence_full(); /* [order.read-last] */
    bool risen = order_read_numbers(number);
    if (risen) {
        struct probe_span span = PROBE_BEGIN(lock_wait);
        order_acquire(number);
        PROBE_END(lock_wait, span);
    } else {
        progress_poll(); /* what the thread may wait for may need this node */
    }
    race_acquire();
    thread_leave(t);
    return risen;
}

int hlrc_flush(void)
{
    hlrc_release();
    return hlrc_acquire();
}
