/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lock.c - the public calls, and the numbers of locks. The transfer of locks:
 * hlrc/core/parts.h. */
#include "hlrc/sync/lock.h"

#include <errno.h>
#include <hlrc.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/race.h"
#include "base/reserve.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/report/deadlock_collect.h"
#include "hlrc/sync/handles.h"
#include "hlrc/sync/lock_soon.h"

/* noinline: keeps the slow path's register saves out of the caller. */
#define SLOW __attribute__((noinline))

static struct handles created; /* numbers of created locks */

uint32_t lock_held_from(uint32_t first, uint32_t *thread)
{
    const struct parts_lock *p = engine.protocol.locks;
    const char *table = p->entry(0), *end = p->entry(created.limit);
    size_t bytes = (size_t)(end - table), each = bytes / created.limit;
    for (uint32_t i = first; i < created.limit; i++) {
        size_t at = i * each;
        if (i == first || at % PAGE_SIZE < each) /* another page */
            i = (uint32_t)(reserve_touched(table, at, bytes) / each);
        *thread = i < created.limit ? p->holder(i) : 0;
        if ((*thread)-- > 0)
            return i;
    }
    return LOCK_NONE;
}

#define HELD_TOLD 8 /* locks that one line names */

/* Writes "3 (thread 0), 5 (thread 1)"; returns how many locks are held. */
static uint32_t lock_list_held(char *line, size_t len)
{
    uint32_t thread, count = 0;
    for (uint32_t at = 0; (at = lock_held_from(at, &thread)) != LOCK_NONE; at++)
        if (count++ < HELD_TOLD)
            dump_append(line, len, "%s%u (thread %u)", count > 1 ? ", " : "", at, thread);
    if (count > HELD_TOLD)
        dump_append(line, len, ", ...");
    return count;
}

static void lock_dump_locks(char *line, size_t len)
{
    dump_append(line, len, "locks held here: ");
    if (lock_list_held(line, len) == 0)
        line[0] = '\0';
}

static void lock_report_locks(struct report_draft *d)
{
    uint32_t thread;
    for (uint32_t at = 0; (at = lock_held_from(at, &thread)) != LOCK_NONE; at++)
        deadlock_collect_add_held(d, at, thread);
}

void lock_tell_held(const char *call)
{
    char line[DIAG_LINE_MAX / 2] = "";
    uint32_t count = engine.unaware ? 0 : lock_list_held(line, sizeof line);
    if (count)
        diag_warn("%s, but this node holds lock%s %s; call hlrc_unlock first", call,
                  count > 1 ? "s" : "", line);
}

int lock_init(void)
{
    handles_init(&created, HANDLES_LOCKS, LOCK_CREATED_FIRST,
                 lock_per_node(engine.nodes, engine.pages));
    dump_add(lock_dump_locks);
    deadlock_collect_reporter_add(lock_report_locks);
    return engine.protocol.locks->init(created.limit);
}

void lock_end(void)
{
    engine.protocol.locks->end();
}

static bool lock_exists(hlrc_lock_t lock)
{
    return lock < HLRC_STATIC_LOCKS || handles_assigned(&created, lock);
}

_Noreturn static void lock_refuse(const char *call, hlrc_lock_t lock)
{
    call_check(call);
    diag_fatal(1, "%s(%u): no such lock; use 0 to %d or one that hlrc_lock_create returned", call,
               lock, HLRC_STATIC_LOCKS - 1);
}

static inline void lock_check(const char *call, hlrc_lock_t lock)
{
    if (call_get() != CALL_RUNNING || !lock_exists(lock))
        lock_refuse(call, lock);
}

/* The table has an entry for it. */
static inline bool lock_may_exist(hlrc_lock_t lock)
{
    return lock < HLRC_STATIC_LOCKS || (lock >= created.first && lock < created.limit);
}

/* Before a fast path, which succeeds only for a lock that exists: one that no thread has ever
 * acquired is not free for it [lock.fast-mode]. */
static inline void lock_check_soon(const char *call, hlrc_lock_t lock)
{
    if (call_get() != CALL_RUNNING || !lock_may_exist(lock))
        lock_refuse(call, lock);
}

int hlrc_lock_create(hlrc_lock_t *lock)
{
    call_check("hlrc_lock_create");
    call_check_given("hlrc_lock_create", "lock", lock);
    return handles_take(&created, lock);
}

void hlrc_lock_destroy(hlrc_lock_t lock)
{
    lock_check("hlrc_lock_destroy", lock);
    if (lock >= LOCK_CREATED_FIRST)
        handles_give(&created, lock);
}

/* A slot that a thread has left may still name it as holder; then the deadlock detector finds
 * it. */
void lock_check_again(hlrc_lock_t lock, uint32_t holder)
{
    const struct thread *t = thread_self();
    if (t->index == holder && !t->reused)
        diag_fatal(STATUS_DEADLOCK,
                   "deadlock: node %d waits for lock %u, which it holds itself: thread %u calls "
                   "hlrc_lock twice; unlock it in between, locks are not recursive",
                   engine.node, lock, t->index);
}

SLOW static void lock_slowly(struct thread *t, hlrc_lock_t lock)
{
    const struct parts_lock *p = engine.protocol.locks;
    lock_check("hlrc_lock", lock);
    PROBE(lock_ask, lock);
    thread_enter();
    if (!p->acquire_soon || !p->acquire_soon(lock)) {
        struct probe_span span = PROBE_BEGIN(lock_wait);
        p->acquire(lock);
        PROBE_END(lock_wait, span);
    }
    thread_leave(t);
    race_acquire();
}

SLOW static int lock_try_slowly(struct thread *t, hlrc_lock_t lock)
{
    lock_check("hlrc_trylock", lock);
    PROBE(lock_try);
    thread_enter();
    struct probe_span span = PROBE_BEGIN(lock_wait);
    int rc = engine.protocol.locks->try(lock);
    PROBE_END(lock_wait, span);
    thread_leave(t);
    if (rc == 0)
        race_acquire();
    else
        PROBE(lock_busy, lock);
    return rc;
}

SLOW static void lock_unlock_slowly(struct thread *t, hlrc_lock_t lock)
{
    const struct parts_lock *p = engine.protocol.locks;
    lock_check("hlrc_unlock", lock);
    PROBE(lock_try);
    thread_enter();
    if (!p->release_soon || !p->release_soon(lock)) {
        struct probe_span span = PROBE_BEGIN(lock_wait);
        p->release(lock);
        PROBE_END(lock_wait, span);
    }
    thread_leave(t);
}

/* Fast path: a lock that was last held on this node and has no waiter is acquired and released
 * without timestamps. No thread_enter is needed, since nothing else is held and no request is sent
 * [thread.no-fault]. */

void hlrc_lock(hlrc_lock_t lock)
{
    lock_check_soon("hlrc_lock", lock);
    struct thread *t = thread_self();
    if (!engine.protocol.locks->take(lock, t->index))
        lock_slowly(t, lock);
    race_lock(lock);
    PROBE_OF(&t->probe, lock_acquired, lock);
}

/* The thread has a slot, and no listener is called. */
bool hlrc_lock_soon(hlrc_lock_t lock)
{
    struct thread *t = thread_current;
    if (!t || call_get() != CALL_RUNNING || !lock_may_exist(lock) || race_watched() ||
        (probe_on & PROBE_LISTENERS_lock_acquired) || !engine.protocol.locks->take(lock, t->index))
        return false;
    PROBE_OF(&t->probe, lock_acquired, lock);
    return true;
}

int hlrc_trylock(hlrc_lock_t lock)
{
    lock_check_soon("hlrc_trylock", lock);
    struct thread *t = thread_self();
    if (!engine.protocol.locks->take(lock, t->index)) {
        int rc = lock_try_slowly(t, lock);
        if (rc)
            return rc;
    }
    race_lock(lock);
    PROBE_OF(&t->probe, lock_acquired, lock);
    return 0;
}

int hlrc_lock_for(hlrc_lock_t lock, int64_t timeout)
{
    int64_t end = clock_after(timeout);
    if (timeout < 0) {
        hlrc_lock(lock);
        return 0;
    }
    for (unsigned tries = 0;; tries++) {
        if (hlrc_trylock(lock) == 0)
            return 0;
        if (clock_ns() >= end)
            return -ETIMEDOUT;
        backoff_pause(tries, 100, 200, 100000);
    }
}

void hlrc_unlock(hlrc_lock_t lock)
{
    lock_check_soon("hlrc_unlock", lock);
    struct thread *t = thread_self();
    race_unlock(lock);
    if (!engine.protocol.locks->drop(lock, t->index))
        lock_unlock_slowly(t, lock);
    PROBE(lock_released, lock);
}
