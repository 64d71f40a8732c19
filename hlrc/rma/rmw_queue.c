/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rmw_queue.c - see rmw_queue.h.
 *
 * A fabric that changes words at once takes the whole list. On other fabrics all operations are in
 * flight together: sums as fetch-and-add, others as compare-and-swap, in rounds. The first round
 * expects 0, so it reads the other words. A word that another operation has changed takes
 * another round.
 */
#include "hlrc/rma/rmw_queue.h"

#include <pthread.h>

#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"

struct rmw_queue {
    uint32_t count;
    struct fabric_update update[RMW_QUEUE];
    struct handle *handle[RMW_QUEUE];
};

static struct rmw_queue queues[2];
static int window;          /* of the fabric: one for all operations */
static unsigned filling;    /* which of them; written with both locks held */
static spin_lock_word lock; /* guards the queue that fills */
static pthread_mutex_t performing = PTHREAD_MUTEX_INITIALIZER; /* guards the other one; first */

_Atomic uint32_t rmw_queue_pending;

/* ---- by fetch-and-add and compare-and-swap ---- */

static uint64_t rmw_queue_result(const struct fabric_update *u, uint64_t old)
{
    switch (u->change) {
    case FABRIC_AND:
        return old & u->value;
    case FABRIC_OR:
        return old | u->value;
    case FABRIC_XOR:
        return old ^ u->value;
    default:
        return u->value;
    }
}

/* Of the operations that are not done: indices in the list, guesses, and values found. */
struct rmw_queue_rounds {
    uint32_t count, index[RMW_QUEUE];
    uint64_t guess[RMW_QUEUE], seen[RMW_QUEUE];
};

/* Drops from the rounds what has found its guess, and notes its old value. */
static void rmw_queue_keep(struct rmw_queue_rounds *r, const struct fabric_update *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct fabric_update *u = &list[r->index[i]];
        if (r->seen[i] == r->guess[i]) {
            if (u->old)
                *u->old = r->seen[i];
            continue;
        }
        r->index[kept] = r->index[i];
        r->guess[kept++] = r->seen[i];
    }
    r->count = kept;
}

static void rmw_queue_by_rounds(const struct fabric_update *list, uint32_t count)
{
    static struct rmw_queue_rounds r; /* guarded by `performing` */
    static uint64_t sums[RMW_QUEUE];
    struct fabric_op op = FABRIC_OP_INIT;
    r.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct fabric_update *u = &list[i];
        if (u->change == FABRIC_ADD) {
            fabric_fetch_add(engine.fabric, u->peer, window, u->off, u->value,
                             u->old ? u->old : &sums[i], &op);
            continue;
        }
        r.index[r.count] = i;
        r.guess[r.count++] = 0;
    }
    while (r.count) {
        for (uint32_t i = 0; i < r.count; i++) {
            const struct fabric_update *u = &list[r.index[i]];
            fabric_cas(engine.fabric, u->peer, window, u->off, r.guess[i],
                       rmw_queue_result(u, r.guess[i]), &r.seen[i], &op);
        }
        fabric_wait(engine.fabric, &op);
        rmw_queue_keep(&r, list);
    }
    fabric_wait(engine.fabric, &op);
}

/* ---- the queue ---- */

static struct rmw_queue *rmw_queue_swap(void)
{
    spin_lock(&lock);
    struct rmw_queue *q = &queues[filling];
    filling = !filling;
    spin_unlock(&lock);
    return q;
}

static void rmw_queue_complete(struct rmw_queue *q)
{
    for (uint32_t i = 0; i < q->count; i++) {
        if (q->handle[i])
            atomic_fetch_sub_explicit(&q->handle[i]->op.pending, 1, memory_order_release);
        if (probe_records())
            PROBE(value_changed, q->update[i].peer, q->update[i].change == FABRIC_ADD ? 1 : 2);
    }
    spin_lock(&lock);
    uint32_t left = atomic_load_explicit(&rmw_queue_pending, memory_order_relaxed) - q->count;
    atomic_store_explicit(&rmw_queue_pending, left, memory_order_release);
    q->count = 0;
    spin_unlock(&lock);
}

void rmw_queue_perform(void)
{
    PROBE(computing_suspended);
    (void)pthread_mutex_lock(&performing);
    struct thread *t = thread_enter();
    struct rmw_queue *q = rmw_queue_swap();
    if (engine.fabric->ops.update)
        engine.fabric->ops.update(engine.fabric, window, q->update, q->count);
    else
        rmw_queue_by_rounds(q->update, q->count);
    rmw_queue_complete(q);
    thread_leave(t);
    (void)pthread_mutex_unlock(&performing);
    PROBE(computing_resumed);
}

void rmw_queue_add(int win, const struct fabric_update *u, struct handle *h)
{
    uint32_t count;
    for (;;) {
        spin_lock(&lock);
        window = win;
        struct rmw_queue *q = &queues[filling];
        count = q->count;
        if (count < RMW_QUEUE) {
            q->update[count] = *u;
            q->handle[count] = h;
            q->count = ++count;
            uint32_t all = atomic_load_explicit(&rmw_queue_pending, memory_order_relaxed) + 1;
            atomic_store_explicit(&rmw_queue_pending, all, memory_order_relaxed);
            spin_unlock(&lock);
            break;
        }
        spin_unlock(&lock);
        rmw_queue_perform();
    }
    if (count == RMW_QUEUE)
        rmw_queue_perform();
}
