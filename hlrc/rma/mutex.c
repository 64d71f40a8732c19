/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mutex.c - mutexes by number at a node: queues of mcs.h without a vector time.
 *
 * Each requesting thread is in the queue with a queue node; that of the holder is recorded.
 * Mutexes order no memory of the shared space.
 */
#include "hlrc/rma/mutex.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>

#include "base/diag.h"
#include "base/reserve.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/mcs.h"

static _Atomic uint32_t *held; /* by node and mutex: the queue node of the holder here, + 1 */

static size_t mutex_held_bytes(void)
{
    return (size_t)engine.nodes * HLRC_MUTEXES * sizeof *held;
}

int mutex_mutexes_start(void)
{
    held = reserve(mutex_held_bytes());
    return held ? 0 : -ENOMEM;
}

void mutex_mutexes_stop(void)
{
    reserve_end((void *)held, mutex_held_bytes());
    held = NULL;
}

static struct mcs mutex_queue_of(unsigned mutex, int node)
{
    return (struct mcs){ .home = node,
                         .at = engine.at.mutexes + (size_t)mutex * 8,
                         .what = WAITS_MUTEX,
                         .next = WAITS_MUTEX_NEXT,
                         .object = mutex };
}

static _Atomic uint32_t *mutex_check(const char *call, unsigned mutex, int node)
{
    call_check(call);
    if (node < 0 || node >= engine.nodes || mutex >= HLRC_MUTEXES)
        diag_fatal(1, "%s(%u, %d): no such mutex; nodes are 0 to %d, mutexes of each 0 to %d", call,
                   mutex, node, engine.nodes - 1, HLRC_MUTEXES - 1);
    if (!(engine.fabric->caps & FABRIC_ATOMICS))
        diag_fatal(1, "%s: fabric %s has no atomics; choose another --fabric", call,
                   engine.config.fabric);
    return &held[(size_t)node * HLRC_MUTEXES + mutex];
}

void hlrc_mutex_lock(unsigned mutex, int node)
{
    _Atomic uint32_t *mine = mutex_check("hlrc_mutex_lock", mutex, node);
    struct mcs q = mutex_queue_of(mutex, node);
    PROBE(computing_suspended);
    struct thread *t = thread_enter();
    uint32_t k = mcs_take_node();
    mcs_acquire(&q, k);
    atomic_store_explicit(mine, k + 1, memory_order_relaxed);
    thread_leave(t);
    PROBE(mutex_locked, mutex, node);
}

void hlrc_mutex_unlock(unsigned mutex, int node)
{
    _Atomic uint32_t *mine = mutex_check("hlrc_mutex_unlock", mutex, node);
    uint32_t k = atomic_exchange_explicit(mine, 0, memory_order_relaxed);
    if (k == 0)
        diag_fatal(1, "hlrc_mutex_unlock(%u, %d): no thread of this node holds it; lock it first",
                   mutex, node);
    struct mcs q = mutex_queue_of(mutex, node);
    PROBE(mutex_unlocked, mutex, node);
    struct thread *t = thread_enter();
    mcs_release(&q, k - 1, NULL);
    thread_leave(t);
    PROBE(computing_resumed);
}
