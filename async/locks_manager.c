/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locks_manager.c - locks by their managers' handlers (--locks manager). Invariants: lock.h. */
#include "hlrc/probe/probe.h"
#include "hlrc/sync/lock.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/diag.h"
#include "base/fence.h"
#include "base/futex.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/policy/policy_lock.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/progress/worker.h"

enum { MOVED = 1, WAITING = 2, HELD = 4, TRYING = 8, LISTED = 16 };

/* Mode of a lock [lock.fast-mode]. OPEN is 0, as memory starts. TAKEN: plus the holder's index. */
enum { OPEN, GUARDED, FREE, TAKEN };

struct locks_manager_lock {
    _Atomic uint16_t mode; /* GUARDED guards the rest */
    /* HELD: overridden by `mode` where that is FREE or TAKEN [lock.fast-mode]; MOVED: HAVE,
     * inverted at the manager; TRYING: manager, a try is in progress */
    uint8_t flags;
    uint8_t local_run; /* hand-overs since `next` is set */
    uint8_t stays;     /* unlocks since it came here, up to 255 [lock.biased] */
    /* times in a row that it was acquired past the waiters here [lock.overtaking] */
    uint8_t overtaken;
    uint16_t waiters;      /* threads of this node that sleep on `turn` */
    uint16_t last;         /* manager: node + 1 of the last in the queue; 0: the manager itself */
    uint16_t holder;       /* HELD: index of the thread that took it */
    uint32_t next;         /* request to be granted at unlock [lock.successor]: reference + 1 */
    uint32_t kept;         /* manager: first request held back by a try: reference + 1 */
    _Atomic uint32_t turn; /* futex word: raised when a waiting thread may try again */
    uint32_t tried;        /* a try that found it unpublished: reference + 1 */
    uint32_t list_next;    /* next lock in `listed`, + 1 */
    /* interval_mark of the last unlock [lock.flush-first]; written by the holder */
    _Atomic uint64_t mark;
};

static struct locks_manager_lock *table;
static uint32_t *kept_next; /* by reference: the next request in a kept list: reference + 1 */

static uint32_t limit;           /* number of locks */
static spin_lock_word list_lock; /* guards `listed`; taken after a lock's guard */
static uint32_t listed;          /* locks for the worker: the last added + 1 [lock.biased] */

static size_t locks_manager_table_bytes(void)
{
    return (size_t)limit * sizeof(struct locks_manager_lock);
}

static size_t locks_manager_kept_bytes(void)
{
    return (size_t)engine.nodes * engine.tokens * sizeof *kept_next;
}

static void locks_manager_serve(struct request *req);
static void locks_manager_publish_listed(void);

static uint32_t locks_manager_holder(uint32_t lock)
{
    const struct locks_manager_lock *l = &table[lock]; /* without its guard */
    unsigned mode = GUARDED;
    for (int i = 0; i < 100 && mode == GUARDED; i++) /* else `flags` may be stale */
        mode = atomic_load_explicit(&l->mode, memory_order_acquire);
    return mode >= TAKEN ? mode - TAKEN + 1 : mode == OPEN && l->flags & HELD ? l->holder + 1u : 0;
}

static const void *locks_manager_entry(uint32_t lock)
{
    return &table[lock];
}

static int locks_manager_init(uint32_t locks)
{
    limit = locks;
    for (int type = REQUEST_LOCK; type <= REQUEST_TRY_RESULT; type++)
        msg_handle((enum request_type)type, locks_manager_serve);
    worker_handle(locks_manager_publish_listed);
    table = reserve(locks_manager_table_bytes());
    kept_next = reserve(locks_manager_kept_bytes());
    return table && kept_next ? 0 : -ENOMEM;
}

static void locks_manager_end(void)
{
    reserve_end(table, locks_manager_table_bytes());
    reserve_end(kept_next, locks_manager_kept_bytes());
}

static int locks_manager_of(uint32_t lock)
{
    return (int)policy_lock_manager(lock, (uint32_t)engine.nodes);
}

/* A request that is at this node, as a number. */
static uint32_t locks_manager_reference(const struct request *req)
{
    return (uint32_t)req->from * engine.tokens + req->token;
}

static struct request *locks_manager_referenced(uint32_t ref)
{
    return msg_slot((int)(ref / engine.tokens), ref % engine.tokens);
}

static bool locks_manager_here(const struct locks_manager_lock *l, uint32_t lock)
{
    return ((l->flags & MOVED) != 0) != (locks_manager_of(lock) == engine.node);
}

static void locks_manager_set_here(struct locks_manager_lock *l, uint32_t lock, bool yes)
{
    bool moved = yes != (locks_manager_of(lock) == engine.node);
    l->flags = (uint8_t)((l->flags & ~MOVED) | (moved ? MOVED : 0));
}

/* CACHED: here, not held, promised to no node. */
static bool locks_manager_idle(const struct locks_manager_lock *l, uint32_t lock)
{
    return locks_manager_here(l, lock) && !(l->flags & (HELD | WAITING)) && l->next == 0;
}

/* What was written under it is published [lock.flush-first]. */
static bool locks_manager_published(const struct locks_manager_lock *l)
{
    return interval_published(atomic_load_explicit(&l->mark, memory_order_relaxed));
}

#ifdef HLRC_DEBUG
/* ASSUMPTION: guarded. */
static void locks_manager_assert_state(const struct locks_manager_lock *l, uint32_t lock)
{
    assert(!(l->flags & HELD) || locks_manager_here(l, lock)); /* [lock.one-node] */
    assert(!(l->flags & WAITING) || !locks_manager_here(l, lock));
    /* [lock.successor]: a waiting thread takes it first; [lock.biased] */
    assert(l->next == 0 || (l->flags & (WAITING | HELD | LISTED)) || l->waiters > 0);
    assert(l->next == 0 || l->tried == 0);
    assert(!(l->flags & TRYING) || locks_manager_of(lock) == engine.node);
    assert(l->last <= engine.nodes);
}
#else
#    define locks_manager_assert_state(l, lock) ((void)(l), (void)(lock))
#endif

/* ASSUMPTION: guarded. */
static void locks_manager_hold(struct locks_manager_lock *l, uint32_t thread)
{
    l->holder = (uint16_t)thread;
    l->flags |= HELD;
}

static bool locks_manager_try_guard(void *lock)
{
    struct locks_manager_lock *l = lock;
    uint16_t mode = atomic_load_explicit(&l->mode, memory_order_relaxed);
    if (mode == GUARDED ||
        !atomic_compare_exchange_strong_explicit(&l->mode, &mode, GUARDED, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    if (mode == FREE)
        l->flags &= (uint8_t)~HELD;
    else if (mode >= TAKEN)
        locks_manager_hold(l, mode - TAKEN);
    return true;
}

static void locks_manager_guard(struct locks_manager_lock *l, uint32_t lock)
{
    if (spin_is_wanted(l) || !locks_manager_try_guard(l))
        spin_until(locks_manager_try_guard, l);
    locks_manager_assert_state(l, lock);
}

/* [lock.fast-mode] */
static uint16_t locks_manager_mode_of(const struct locks_manager_lock *l, uint32_t lock)
{
    if (l->flags & (WAITING | LISTED) || l->next || l->waiters)
        return OPEN;
    return (uint16_t)(l->flags & HELD               ? TAKEN + l->holder
                      : locks_manager_here(l, lock) ? FREE
                                                    : OPEN);
}

static void locks_manager_unguard(struct locks_manager_lock *l, uint32_t lock)
{
    locks_manager_assert_state(l, lock);
    atomic_store_explicit(&l->mode, locks_manager_mode_of(l, lock), memory_order_release);
}

static void locks_manager_grant(const struct request *req)
{
    uint64_t vt[NODES_MAX];
    struct probe_span span = PROBE_BEGIN(lock_grant);
    interval_hand_on(vt);
    PROBE(lock_granting);
    msg_reply(req, 0, span.more, vt);
    PROBE_END(lock_grant, span, req->object, req->from);
}

/* ---- requester ---- */

/* Waits until a thread of this node releases the lock or ends its request. ASSUMPTION: guarded,
 * before and after: a woken thread has the lock before another thread can see that it no longer
 * waits. */
static void locks_manager_await_turn(struct locks_manager_lock *l, uint32_t lock)
{
    l->waiters++;
    uint32_t seen = atomic_load(&l->turn);
    locks_manager_unguard(l, lock);
    struct wait_tracker_note before =
        wait_tracker_begin((struct waits_wait){ WAITS_LOCK, lock, 0 });
    wait_tracker_sleeps();
    futex_wait(&l->turn, seen, -1);
    wait_tracker_end(before);
    locks_manager_guard(l, lock);
    l->waiters--;
}

static void locks_manager_pass_turn(struct locks_manager_lock *l)
{
    atomic_fetch_add(&l->turn, 1);
    if (l->waiters)
        futex_wake(&l->turn, 1);
}

/* Requests a lock that is not here; the lock is WAITING, so no other thread requests it. Returns
 * the reply's status. */
static int locks_manager_request(struct locks_manager_lock *l, uint32_t lock,
                                 enum request_type type)
{
    uint32_t token = thread_self()->call_token;
    PROBE(lock_asking);
    msg_send(msg_compose(token, type, lock), locks_manager_of(lock), false, true);
    const struct request_reply *rep = msg_wait(token);
    int status = (int)rep->status;
    if (status == 0) {
        uint64_t vt[NODES_MAX];
        memcpy(vt, rep->vec, VT_BYTES(engine.nodes));
        probe_self()->granted = rep->arg;
        interval_acquire(vt, lock);
    }
    locks_manager_guard(l, lock);
    l->flags &= (uint8_t)~WAITING;
    if (status == 0) {
        locks_manager_set_here(l, lock, true);
        locks_manager_hold(l, thread_self()->index);
        l->stays = 0;
    } else {
        locks_manager_pass_turn(l);
    }
    locks_manager_unguard(l, lock);
    return status;
}

/* [lock.fast-mode] */
static bool locks_manager_take(uint32_t lock, uint32_t thread)
{
    uint16_t mode = FREE;
    return atomic_compare_exchange_strong_explicit(&table[lock].mode, &mode,
                                                   (uint16_t)(TAKEN + thread), memory_order_acquire,
                                                   memory_order_relaxed);
}

/* True if this thread now has it, else it is now WAITING. ASSUMPTION: guarded. */
static bool locks_manager_begin(struct locks_manager_lock *l, uint32_t lock)
{
    bool mine = locks_manager_here(l, lock);
    if (mine)
        locks_manager_hold(l, thread_self()->index);
    else
        l->flags |= WAITING;
    return mine;
}

static void locks_manager_acquire(uint32_t lock)
{
    struct locks_manager_lock *l = &table[lock];
    bool waited = false;
    locks_manager_guard(l, lock);
    /* [lock.overtaking]: the last unlock has woken one waiter */
    while ((l->flags & (HELD | WAITING)) ||
           policy_lock_yields(l->waiters != 0, waited, l->overtaken)) {
        if (l->flags & HELD)
            lock_check_again(lock, l->holder);
        locks_manager_await_turn(l, lock);
        waited = true;
    }
    l->overtaken = (uint8_t)(waited || !l->waiters ? 0 : l->overtaken + 1);
    bool mine = locks_manager_begin(l, lock);
    locks_manager_unguard(l, lock);
    if (!mine)
        locks_manager_request(l, lock, REQUEST_LOCK);
}

static int locks_manager_try(uint32_t lock)
{
    struct locks_manager_lock *l = &table[lock];
    locks_manager_guard(l, lock);
    bool busy = l->flags & (HELD | WAITING), mine = !busy && locks_manager_begin(l, lock);
    locks_manager_unguard(l, lock);
    if (busy || mine)
        return busy ? -EBUSY : 0;
    return locks_manager_request(l, lock, REQUEST_TRY);
}

/* True if it passes to a waiting thread of this node rather than to a requesting node. */
static bool locks_manager_hands_on_here(const struct locks_manager_lock *l)
{
    return policy_lock_stays_here(l->waiters != 0, l->next != 0, l->local_run);
}

/* It was released here so often in a row that it is biased [lock.biased]. */
static bool locks_manager_has_settled(const struct locks_manager_lock *l)
{
    return policy_lock_biased(l->stays, (uint64_t)engine.config.lazy_release);
}

/* True if writes made under it need not be published yet [lock.flush-first], [lock.biased].
 * ASSUMPTION: guarded. */
static bool locks_manager_may_keep(const struct locks_manager_lock *l)
{
    return policy_lock_unpublished(locks_manager_hands_on_here(l), l->next != 0, l->flags & LISTED,
                                   l->stays, (uint64_t)engine.config.lazy_release);
}

/* Before the release. `mark`: covers all that was written under it [lock.flush-first]. */
static void locks_manager_note_unlock(struct locks_manager_lock *l, uint64_t mark)
{
    atomic_store_explicit(&l->mark, mark, memory_order_relaxed);
    l->stays = policy_lock_stayed(l->stays);
}

/* [lock.fast-mode]. The compare-and-swap is also the fence between the stores under the lock and
 * the test for unpublished stores [interval.unpublished-test]. A separate fence would cost as much
 * again. */
static bool locks_manager_drop(uint32_t lock, uint32_t thread)
{
    struct locks_manager_lock *l = &table[lock];
    uint16_t mode = (uint16_t)(TAKEN + thread);
    if (!atomic_compare_exchange_strong(&l->mode, &mode, GUARDED))
        return false;
    fence_after_rmw();
    bool clean = interval_spotless();
    bool done = clean || locks_manager_has_settled(l);
    if (done)
        locks_manager_note_unlock(l, clean ? 0 : interval_next()); /* [lock.flush-first] */
    PROBE(lock_dropping);
    mode = (uint16_t)(done ? FREE : TAKEN + thread);
    atomic_store_explicit(&l->mode, mode, memory_order_release);
    spin_let_in(l);
    if (!clean)
        PROBE(lock_lazy_release, done);
    return done;
}

static void locks_manager_release(uint32_t lock)
{
    struct locks_manager_lock *l = &table[lock];
    fence_full();                    /* [interval.unpublished-test] */
    uint64_t mark = interval_mark(); /* [lock.flush-first] */
    PROBE(lock_dropping);
    locks_manager_guard(l, lock);
    if (!(l->flags & HELD)) {
        locks_manager_unguard(l, lock);
        diag_fatal(
            1, "hlrc_unlock(%u): this node does not hold the lock; pair each unlock with a lock",
            lock);
    }
    if (!locks_manager_may_keep(l)) {
        locks_manager_unguard(l, lock);
        interval_close(true); /* [lock.flush-first] */
        mark = 0;
        PROBE(lock_dropping);
        locks_manager_guard(l, lock);
    }
    const struct request *successor = NULL;
    bool stay = locks_manager_hands_on_here(l);
    locks_manager_note_unlock(l, mark);
    if (mark)
        PROBE(lock_lazy_release, 1);
    l->flags &= (uint8_t)~HELD;
    l->local_run = (uint8_t)(stay && l->next ? l->local_run + 1 : 0);
    if (l->next && !stay) {
        successor = locks_manager_referenced(l->next - 1);
        l->next = 0;
        locks_manager_set_here(l, lock, false); /* [lock.one-node] */
    }
    locks_manager_pass_turn(l);
    locks_manager_unguard(l, lock);
    if (successor)
        locks_manager_grant(successor);
}

/* ---- owner ---- */

/* Leaves a lock to the worker [lock.biased]. ASSUMPTION: guarded. */
static void locks_manager_list_for_worker(struct locks_manager_lock *l, uint32_t lock)
{
    if (l->flags & LISTED)
        return;
    l->flags |= LISTED;
    spin_lock(&list_lock);
    l->list_next = listed;
    listed = lock + 1;
    spin_unlock(&list_lock);
    worker_call();
}

static void locks_manager_serve_owner(struct request *req)
{
    struct locks_manager_lock *l = &table[req->object];
    locks_manager_guard(l, req->object);
    bool free = locks_manager_idle(l, req->object),
         now = free && locks_manager_published(l); /* [lock.flush-first] */
    if (now) {
        locks_manager_set_here(l, req->object, false); /* [lock.one-node] */
    } else {
        debug_assert(l->next == 0); /* [lock.successor] */
        l->next = locks_manager_reference(req) + 1;
        l->local_run = 0;
        if (free)
            locks_manager_list_for_worker(l, req->object); /* [lock.biased] */
    }
    locks_manager_unguard(l, req->object);
    if (now)
        locks_manager_grant(req);
}

static void locks_manager_answer_try(struct request *req, bool yes)
{
    uint64_t vt[NODES_MAX];
    struct probe_span span = yes ? PROBE_BEGIN(lock_grant) : (struct probe_span){ 0 };
    req->arg[0] = yes;
    req->arg[1] = span.more;
    interval_hand_on(vt);
    msg_forward(req, REQUEST_TRY_RESULT, locks_manager_of(req->object), vt);
    if (yes)
        PROBE_END(lock_grant, span, req->object, req->from);
}

static void locks_manager_serve_try_owner(struct request *req)
{
    struct locks_manager_lock *l = &table[req->object];
    locks_manager_guard(l, req->object);
    bool free = locks_manager_idle(l, req->object),
         now = free && locks_manager_published(l); /* [lock.flush-first] */
    if (now) {
        locks_manager_set_here(l, req->object, false);
    } else if (free) {
        l->tried = locks_manager_reference(req) + 1;
        locks_manager_list_for_worker(l, req->object);
    }
    locks_manager_unguard(l, req->object);
    if (now || !free)
        locks_manager_answer_try(req, now);
}

/* For a lock that was LISTED: grants it if it is still free [lock.biased]. ASSUMPTION: writes made
 * under it before it was LISTED are published; the release of a LISTED lock publishes. */
static void locks_manager_grant_listed(struct locks_manager_lock *l, uint32_t lock)
{
    PROBE(lock_published);
    locks_manager_guard(l, lock);
    l->flags &= (uint8_t)~LISTED;
    uint32_t next = l->next, tried = l->tried;
    /* a thread that has taken it, or will, publishes and grants [lock.successor] */
    bool free = !(l->flags & (HELD | WAITING)) && l->waiters == 0;
    if (free && (next || tried)) {
        l->next = 0;
        locks_manager_set_here(l, lock, false); /* [lock.one-node] */
    }
    l->tried = 0;
    locks_manager_unguard(l, lock);
    if (tried)
        locks_manager_answer_try(locks_manager_referenced(tried - 1), free);
    else if (free && next)
        locks_manager_grant(locks_manager_referenced(next - 1));
}

/* Publishes once for all locks LISTED by then [lock.biased]. */
static void locks_manager_publish_listed(void)
{
    spin_lock(&list_lock);
    uint32_t at = listed;
    listed = 0;
    spin_unlock(&list_lock);
    if (at)
        interval_publish();
    while (at) {
        struct locks_manager_lock *l = &table[at - 1];
        uint32_t lock = at - 1;
        at = l->list_next; /* before LISTED is cleared */
        locks_manager_grant_listed(l, lock);
    }
}

/* ---- manager ---- */

/* Holds back a request that arrived during a try. ASSUMPTION: guarded. */
static void locks_manager_keep(struct locks_manager_lock *l, const struct request *req)
{
    uint32_t *at = &l->kept;
    while (*at)
        at = &kept_next[*at - 1];
    *at = locks_manager_reference(req) + 1;
    kept_next[locks_manager_reference(req)] = 0;
}

static struct request *locks_manager_unkeep(struct locks_manager_lock *l, uint32_t lock)
{
    struct request *req = NULL;
    locks_manager_guard(l, lock);
    if (l->kept && !(l->flags & TRYING)) {
        uint32_t ref = l->kept - 1;
        req = locks_manager_referenced(ref);
        l->kept = kept_next[ref];
    }
    locks_manager_unguard(l, lock);
    return req;
}

static void locks_manager_manage_request(struct request *req)
{
    struct locks_manager_lock *l = &table[req->object];
    bool try = req->type == REQUEST_TRY;
    locks_manager_guard(l, req->object);
    if (l->flags & TRYING) {
        locks_manager_keep(l, req);
        locks_manager_unguard(l, req->object);
        return;
    }
    int before = l->last ? l->last - 1 : engine.node;
    if (try)
        l->flags |= TRYING;
    else
        l->last = (uint16_t)(req->from + 1);
    locks_manager_unguard(l, req->object);
    debug_assert(try || before != req->from);
    msg_forward(req, try ? REQUEST_TRY_OWNER : REQUEST_LOCK_OWNER, before, NULL);
}

static void locks_manager_result(struct request *req)
{
    uint32_t lock = req->object;
    struct locks_manager_lock *l = &table[lock];
    locks_manager_guard(l, lock);
    l->flags &= (uint8_t)~TRYING;
    if (req->arg[0])
        l->last = (uint16_t)(req->from + 1);
    locks_manager_unguard(l, lock);
    msg_reply(req, req->arg[0] ? 0 : -EBUSY, req->arg[1], req->arg[0] ? req->vec : NULL);
    for (struct request *kept = locks_manager_unkeep(l, lock); kept;
         kept = locks_manager_unkeep(l, lock))
        locks_manager_manage_request(kept);
}

static void locks_manager_serve(struct request *req)
{
    switch (req->type) {
    case REQUEST_LOCK_OWNER:
        locks_manager_serve_owner(req);
        return;
    case REQUEST_TRY_OWNER:
        locks_manager_serve_try_owner(req);
        return;
    case REQUEST_TRY_RESULT:
        locks_manager_result(req);
        return;
    default:
        locks_manager_manage_request(req);
        return;
    }
}

const struct parts_lock locks_by_manager = {
    .caps = FABRIC_WRITE_IMM,
    .init = locks_manager_init,
    .end = locks_manager_end,
    .take = locks_manager_take,
    .acquire = locks_manager_acquire,
    .try = locks_manager_try,
    .drop = locks_manager_drop,
    .release = locks_manager_release,
    .holder = locks_manager_holder,
    .entry = locks_manager_entry,
};
