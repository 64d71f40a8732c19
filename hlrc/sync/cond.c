/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cond.c - the public calls, and condition variables by their managers; see cond.h for the
 * invariants. */
#include "hlrc/sync/cond.h"

#include <errno.h>
#include <hlrc.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/race.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/report/deadlock_collect.h"
#include "hlrc/sync/handles.h"
#include "hlrc/sync/lock.h"

/* Waiters of a condition variable at its manager: a list of references, linked through
 * next_waiter. */
struct cond_queue {
    uint32_t first, last; /* reference + 1; 0 none */
};

static spin_lock_word queues_lock; /* guards what follows */
static struct cond_queue *queues;
static uint32_t *next_waiter;

static struct handles created; /* numbers of condition variables */

/* Attempts of a wait with a limit before it yields, and before it naps. */
#define SPINS  200u
#define YIELDS 600u
#define NAP_NS 100000

_Atomic int64_t cond_under_way;

/* ---- names of signals, for traces ---- */

#define NAME_SHIFT   48 /* node + 1; below it the number */
#define NUMBER_BITS  31
#define NUMBER_SHIFT (64 - NUMBER_BITS) /* in a message, above the condition variable */

static _Atomic uint64_t signals;

static uint64_t cond_signal_number(uint64_t name)
{
    return name & ((UINT64_C(1) << NAME_SHIFT) - 1);
}

static uint64_t cond_signal_name(int node, uint64_t number)
{
    return (uint64_t)(node + 1) << NAME_SHIFT | number;
}

/* Numbers start at 1 and wrap around. */
static uint64_t cond_next_name(void)
{
    uint64_t most = (UINT64_C(1) << NUMBER_BITS) - 1;
    return probe_records() ? cond_signal_name(engine.node, atomic_fetch_add(&signals, 1) % most + 1)
                           : 0;
}

/* ---- start and end ---- */

/* [deadlock.in-transit] */
static void cond_report_signals(struct report_draft *d)
{
    d->head.signals = atomic_load(&cond_under_way);
}

int cond_init(void)
{
    handles_init(&created, HANDLES_CONDS, 0, CONDS_PER_NODE);
    atomic_store(&signals, 0);
    atomic_store(&cond_under_way, 0);
    deadlock_collect_reporter_add(cond_report_signals);
    return engine.protocol.conds->init(created.limit);
}

void cond_end(void)
{
    engine.protocol.conds->end();
}

/* ---- by managers ---- */

static void cond_serve_wait(struct request *req);
static void cond_serve_signal(int from, const struct bulk *msg);

static size_t cond_queues_bytes(void)
{
    return (size_t)created.limit * sizeof(struct cond_queue);
}

static size_t cond_links_bytes(void)
{
    return (size_t)engine.nodes * engine.tokens * sizeof *next_waiter;
}

static int cond_manager_init(uint32_t conds)
{
    (void)conds;
    msg_handle(REQUEST_COND_WAIT, cond_serve_wait);
    bulk_handle(BULK_SIGNAL, cond_serve_signal);
    queues = reserve(cond_queues_bytes());
    next_waiter = reserve(cond_links_bytes());
    return queues && next_waiter ? 0 : -ENOMEM;
}

static void cond_manager_end(void)
{
    reserve_end(queues, cond_queues_bytes());
    reserve_end(next_waiter, cond_links_bytes());
}

static int cond_manager_of(uint32_t cond)
{
    return (int)(cond % (uint32_t)engine.nodes);
}

static void cond_serve_wait(struct request *req)
{
    if (req->arg[0] >= engine.tokens)
        diag_fatal(1, "node %d waits on token %llu of %u; do all nodes run the same version?",
                   (int)req->from, (unsigned long long)req->arg[0], engine.tokens);
    uint32_t token = (uint32_t)req->arg[0], ref = (uint32_t)req->from * engine.tokens + token;
    *msg_slot(req->from, token) =
        (struct request){ .type = REQUEST_COND_WAIT, .from = req->from, .token = token };
    spin_lock(&queues_lock);
    struct cond_queue *q = &queues[req->object];
    next_waiter[ref] = 0;
    if (q->last)
        next_waiter[q->last - 1] = ref + 1;
    else
        q->first = ref + 1;
    q->last = ref + 1;
    spin_unlock(&queues_lock);
    msg_reply(req, 0, 0, NULL); /* [cond.registered-first] */
}

/* Takes the first waiter off the list, or all; returns a list linked through next_waiter. */
static uint32_t cond_unlink_waiters(uint32_t cond, bool all)
{
    struct cond_queue *q = &queues[cond];
    uint32_t first = q->first;
    if (first == 0 || all) {
        *q = (struct cond_queue){ 0, 0 };
        return first;
    }
    q->first = next_waiter[first - 1];
    if (q->first == 0)
        q->last = 0;
    next_waiter[first - 1] = 0;
    return first;
}

static void cond_wake_waiters(uint32_t cond, bool all, const uint64_t *vt, uint64_t name)
{
    spin_lock(&queues_lock);
    uint32_t at = cond_unlink_waiters(cond, all);
    spin_unlock(&queues_lock);
    while (at) {
        uint32_t ref = at - 1;
        at = next_waiter[ref]; /* before the answer: the waiter may register again at once */
        cond_count(1);         /* [deadlock.in-transit] */
        struct probe_span span = PROBE_BEGIN(cond_wake);
        int node = (int)(ref / engine.tokens);
        msg_reply(msg_slot(node, ref % engine.tokens), (int64_t)name, span.more, vt);
        PROBE_END(cond_wake, span, cond, node);
    }
    cond_count(-1); /* [deadlock.in-transit] */
}

static void cond_serve_signal(int from, const struct bulk *msg)
{
    uint64_t vt[NODES_MAX], number = msg->interval >> NUMBER_SHIFT;
    memcpy(vt, msg->payload, VT_BYTES(engine.nodes));
    cond_wake_waiters((uint32_t)(msg->interval >> 1), msg->interval & 1, vt,
                      number ? cond_signal_name(from, number) : 0);
}

static void cond_manager_signal(uint32_t cond, bool all, const uint64_t *vt, uint64_t name)
{
    if (cond_manager_of(cond) == engine.node) {
        cond_wake_waiters(cond, all, vt, name);
        return;
    }
    uint64_t copy[(sizeof(struct bulk) + VT_BYTES(NODES_MAX)) / 8];
    struct bulk *msg = (struct bulk *)(void *)copy;
    *msg = (struct bulk){ .type = BULK_SIGNAL,
                          .bytes = (uint32_t)VT_BYTES(engine.nodes),
                          .interval = name << NUMBER_SHIFT | (uint64_t)cond << 1 | (uint64_t)all };
    memcpy(msg->payload, vt, VT_BYTES(engine.nodes));
    bulk_send(cond_manager_of(cond), msg, true, NULL);
}

/* [cond.registered-first]. */
static uint32_t cond_manager_enter(uint32_t cond)
{
    const struct thread *t = thread_self();
    msg_expect(t->cond_token, REQUEST_COND_WAIT, cond);
    struct request *req = msg_compose(t->call_token, REQUEST_COND_WAIT, cond);
    req->arg[0] = t->cond_token;
    msg_send(req, cond_manager_of(cond), false, true);
    msg_wait(t->call_token);
    return t->cond_token;
}

static bool cond_manager_signalled(uint32_t place)
{
    return msg_done(place);
}

static uint64_t cond_manager_await(uint32_t cond, uint32_t place, uint64_t *vt)
{
    struct waits_wait what = { WAITS_SIGNAL, cond, 0 };
    const struct request_reply *rep = msg_wait_as(place, what);
    memcpy(vt, rep->vec, VT_BYTES(engine.nodes));
    probe_self()->granted = rep->arg;
    return (uint64_t)rep->status;
}

const struct parts_cond conds_by_manager = {
    .init = cond_manager_init,
    .end = cond_manager_end,
    .enter = cond_manager_enter,
    .signalled = cond_manager_signalled,
    .await = cond_manager_await,
    .signal = cond_manager_signal,
};

/* ---- the calls ---- */

static void cond_check(const char *call, hlrc_cond_t cond)
{
    call_check(call);
    if (!handles_assigned(&created, cond.id))
        diag_fatal(1, "%s(%u): no such condition variable; use one that hlrc_cond_create returned",
                   call, cond.id);
}

int hlrc_cond_create(hlrc_cond_t *cond)
{
    call_check("hlrc_cond_create");
    call_check_given("hlrc_cond_create", "cond", cond);
    return handles_take(&created, &cond->id);
}

void hlrc_cond_destroy(hlrc_cond_t cond)
{
    cond_check("hlrc_cond_destroy", cond);
    handles_give(&created, cond.id);
}

static void cond_signal_waiters(uint32_t cond, bool all, uint64_t name)
{
    uint64_t vt[NODES_MAX];
    interval_close(true); /* [cond.signal-time] */
    interval_hand_on(vt);
    PROBE(cond_signalling);
    cond_count(1); /* [deadlock.in-transit] */
    engine.protocol.conds->signal(cond, all, vt, name);
}

/* [cond.own-wake]. The thread does not count as waiting: the deadlock detector does not
 * report it. */
static bool cond_signalled_until(uint32_t cond, uint32_t place, int64_t end)
{
    for (unsigned tries = 0; !engine.protocol.conds->signalled(place); tries++) {
        if (clock_ns() >= end) {
            cond_signal_waiters(cond, true, cond_next_name());
            return false;
        }
        progress_poll();
        backoff_pause(tries, SPINS, YIELDS, NAP_NS);
    }
    return true;
}

/* False if the time `end` came before a signal. */
static bool cond_wait_until(const char *call_name, hlrc_cond_t cond, hlrc_lock_t lock, int64_t end)
{
    cond_check(call_name, cond);
    const struct parts_cond *conds = engine.protocol.conds;
    race_unlock(lock);
    struct thread *t = thread_enter();
    struct probe_span call = PROBE_BEGIN(cond_wait), wait = PROBE_BEGIN(cond_await);
    uint64_t vt[NODES_MAX];
    uint32_t place = conds->enter(cond.id); /* [cond.registered-first] */
    PROBE(cond_waiting, cond.id);
    struct probe_span span = PROBE_BEGIN(cond_unlock);
    engine.protocol.locks->release(lock);
    PROBE_END(cond_unlock, span, cond.id, lock); /* after the flush */
    bool signalled = end == INT64_MAX || cond_signalled_until(cond.id, place, end);
    uint64_t name = conds->await(cond.id, place, vt);
    cond_count(-1); /* [deadlock.in-transit] */
    uint64_t number = probe_granted();
    if (!engine.alone)
        interval_acquire(vt, OCCASION_SIGNAL);
    PROBE_END(cond_await, wait, cond.id, number);
    span = PROBE_BEGIN(cond_relock);
    engine.protocol.locks->acquire(lock);
    PROBE_END(cond_relock, span, lock, probe_granted());
    PROBE_END(cond_wait, call, lock, name >> NAME_SHIFT, cond_signal_number(name));
    thread_leave(t);
    race_acquire();
    race_lock(lock);
    return signalled;
}

void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock)
{
    (void)cond_wait_until("hlrc_cond_wait", cond, lock, INT64_MAX);
}

int hlrc_cond_wait_for(hlrc_cond_t cond, hlrc_lock_t lock, int64_t timeout)
{
    int64_t end = clock_after(timeout);
    return cond_wait_until("hlrc_cond_wait_for", cond, lock, end) ? 0 : -ETIMEDOUT;
}

static void cond_signal_call(const char *call, hlrc_cond_t cond, bool all)
{
    cond_check(call, cond);
    race_release();
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(cond_signal);
    PROBE(cond_signal_called, cond.id);
    uint64_t name = cond_next_name();
    cond_signal_waiters(cond.id, all, name);
    PROBE_END(cond_signal, span, cond.id, all, cond_signal_number(name)); /* after the flush */
    thread_leave(t);
}

void hlrc_cond_signal(hlrc_cond_t cond)
{
    cond_signal_call("hlrc_cond_signal", cond, false);
}

void hlrc_cond_broadcast(hlrc_cond_t cond)
{
    cond_signal_call("hlrc_cond_broadcast", cond, true);
}
