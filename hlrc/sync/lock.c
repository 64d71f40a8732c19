/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lock.c - the public calls, and the numbers of locks; how a lock moves: hlrc/protocol/parts.h. */
#include "hlrc/sync/lock.h"

#include <hlrc.h>

#include "base/diag.h"
#include "hlrc/call.h"
#include "hlrc/engine.h"
#include "hlrc/progress/stats.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/handles.h"

static struct handles created; /* numbers of created locks */

int lock_init(void)
{
    handles_init(&created, LOCK_CREATED_FIRST, LOCKS_PER_NODE);
    return engine.protocol.locks->init(created.limit);
}

void lock_end(void)
{
    engine.protocol.locks->end();
}

static void check(const char *call, hlrc_lock_t lock)
{
    call_check(call);
    if (lock >= created.limit || (lock >= HLRC_STATIC_LOCKS && lock < LOCK_CREATED_FIRST))
        diag_fatal(1, "%s(%u): no such lock; use 0 to %d or one that hlrc_lock_create made", call,
                   lock, HLRC_STATIC_LOCKS - 1);
}

int hlrc_lock_create(hlrc_lock_t *lock)
{
    call_check("hlrc_lock_create");
    uint32_t number;
    int rc = handles_take(&created, &number);
    if (rc == 0)
        *lock = number;
    return rc;
}

void hlrc_lock_destroy(hlrc_lock_t lock)
{
    check("hlrc_lock_destroy", lock);
    if (lock >= LOCK_CREATED_FIRST)
        handles_give(&created, lock);
}

void hlrc_lock(hlrc_lock_t lock)
{
    check("hlrc_lock", lock);
    struct thread *t = thread_enter();
    trace(TRACE_LOCK, lock);
    if (!engine.protocol.locks->take(lock)) { /* without a look at the clock */
        enum stats_category before = stats_enter(t, STATS_LOCK);
        engine.protocol.locks->acquire(lock);
        stats_enter(t, before);
    }
    trace(TRACE_LOCKED, lock);
    stats_count(STAT_LOCK_ACQUIRES, 1);
    thread_leave(t);
}

int hlrc_trylock(hlrc_lock_t lock)
{
    check("hlrc_trylock", lock);
    struct thread *t = thread_enter();
    int rc = 0;
    if (!engine.protocol.locks->take(lock)) {
        enum stats_category before = stats_enter(t, STATS_LOCK);
        rc = engine.protocol.locks->try(lock);
        stats_enter(t, before);
    }
    if (rc == 0) {
        trace(TRACE_LOCKED, lock);
        stats_count(STAT_LOCK_ACQUIRES, 1);
    }
    thread_leave(t);
    return rc;
}

void hlrc_unlock(hlrc_lock_t lock)
{
    check("hlrc_unlock", lock);
    struct thread *t = thread_enter();
    if (!engine.protocol.locks->drop(lock)) {
        enum stats_category before = stats_enter(t, STATS_LOCK);
        engine.protocol.locks->release(lock);
        stats_enter(t, before);
    }
    trace(TRACE_UNLOCK, lock);
    thread_leave(t);
}
