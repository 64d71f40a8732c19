/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barrier.c - see barrier.h for the invariants. */
#include "hlrc/sync/barrier.h"

#include <hlrc.h>
#include <stdatomic.h>

#include "base/diag.h"
#include "base/race.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/interval.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "hlrc/races/races.h"
#include "hlrc/report/deadlock_collect.h"
#include "hlrc/sync/homes.h"

/* of this node's next arrival; one thread acts for the node, and the monitor reads both */
static _Atomic uint64_t epoch;
static _Atomic enum meeting last_call; /* of the last arrival */
static _Atomic bool between;           /* arrived and not yet departed */
static _Atomic bool deferred;          /* at the next arrival */

static void (*before_arrival)(void);

void barrier_before(void (*run)(void))
{
    before_arrival = run;
}

static void barrier_report_arrivals(struct report_draft *d)
{
    d->head.arrivals = atomic_load(&epoch);
    d->head.call = (uint8_t)atomic_load(&last_call);
}

int barrier_init(void)
{
    atomic_store(&epoch, 0);
    deadlock_collect_reporter_add(barrier_report_arrivals);
    atomic_store(&between, false);
    atomic_store(&deferred, false);
    return engine.protocol.barrier->init();
}

/* True if this call flushed, rather than an earlier one. */
static bool sync_barrier_arrive(bool waits, enum meeting call)
{
    if (atomic_exchange(&between, true))
        diag_fatal(1, "hlrc_barrier_arrive: this node has already arrived; call "
                      "hlrc_barrier_depart first, from one thread");
    race_release();
    if (engine.alone) {
        atomic_store_explicit(&epoch, atomic_load(&epoch) + 1, memory_order_relaxed);
        return true;
    }
    uint64_t vt[NODES_MAX];
    struct thread *t = thread_enter();
    uint64_t number = atomic_load_explicit(&epoch, memory_order_relaxed);
    PROBE(barrier_called, number);
    bool left = atomic_exchange(&deferred, false);
    if (left)
        waits = false;
    else
        interval_close(false);
    if (call != MEETING_MOVES)
        PROBE(barrier_arrived, waits); /* after the flush */
    interval_vt(vt);
    enum parts_arrival kind = !waits                ? ARRIVAL_PLAIN
                              : homes_offer(number) ? ARRIVAL_MOVES
                                                    : ARRIVAL_WAITS;
    atomic_store_explicit(&last_call, call, memory_order_relaxed);
    atomic_store_explicit(&epoch, number + 1, memory_order_relaxed);
    engine.protocol.barrier->arrive(number, vt, kind, call);
    thread_leave(t);
    return !left;
}

static uint64_t barrier_number_of_last(void)
{
    return atomic_load_explicit(&epoch, memory_order_relaxed) - 1;
}

/* `closed`: this call flushed before it. */
static bool sync_barrier_depart(bool closed)
{
    bool moves = false;
    if (!atomic_load(&between))
        diag_fatal(
            1, "hlrc_barrier_depart: this node has not arrived; call hlrc_barrier_arrive first");
    if (!engine.alone) {
        uint64_t vt[NODES_MAX];
        struct thread *t = thread_enter();
        struct probe_span span = PROBE_BEGIN(barrier_await);
        moves = engine.protocol.barrier->await(vt);
        PROBE_END(barrier_await, span);
        span = PROBE_BEGIN(acquire_pages);
        interval_met();
        progress_settle(); /* diffs applied already need no revocation */
        interval_unstored(closed);
        interval_acquire(vt, OCCASION_MEETING);
        interval_unstored(false);
        if (first_write_races_checked())
            races_met(vt);
        /* [barrier.diffs-served]: a writer's diffs arrive before its notices, which are here now */
        progress_settle();
        PROBE_END(acquire_pages, span);
        PROBE(barrier_departed, barrier_number_of_last(),
              atomic_load_explicit(&last_call, memory_order_relaxed) != MEETING_MOVES);
        thread_leave(t);
    }
    race_acquire();
    atomic_store(&between, false);
    return moves;
}

static void barrier_prepare(void)
{
    if (before_arrival && !engine.alone)
        before_arrival();
}

void barrier_arrive(enum meeting call)
{
    struct probe_span span = PROBE_BEGIN(barrier_arrive);
    barrier_prepare();
    (void)sync_barrier_arrive(false, call);
    PROBE_END(barrier_arrive, span, barrier_number_of_last());
}

void barrier_meet(enum meeting call)
{
    bool closed = sync_barrier_arrive(false, call);
    (void)sync_barrier_depart(closed);
}

void barrier_depart(void)
{
    struct probe_span span = PROBE_BEGIN(barrier_depart);
    (void)sync_barrier_depart(false);
    PROBE_END(barrier_depart, span, barrier_number_of_last());
}

static void barrier_let_handler_serve(bool all)
{
    if (engine.alone)
        return;
    struct thread *t = thread_enter();
    progress_wake_on_all(all);
    thread_leave(t);
}

void hlrc_defer_release(void)
{
    call_check("hlrc_defer_release");
    atomic_store(&deferred, true);
}

void hlrc_barrier_arrive(void)
{
    call_check("hlrc_barrier_arrive");
    struct probe_span span = PROBE_BEGIN(barrier_call);
    barrier_arrive(MEETING_BARRIER);
    barrier_let_handler_serve(true); /* this thread continues its program, so the handler serves */
    PROBE_END(barrier_call, span);
}

int hlrc_barrier_test(void)
{
    call_check("hlrc_barrier_test");
    if (!atomic_load(&between))
        diag_fatal(1,
                   "hlrc_barrier_test: this node has not arrived; call hlrc_barrier_arrive first");
    if (engine.alone)
        return 1;
    struct thread *t = thread_enter();
    progress_poll();
    bool over = engine.protocol.barrier->over();
    thread_leave(t);
    return over;
}

void hlrc_barrier_depart(void)
{
    call_check("hlrc_barrier_depart");
    struct probe_span span = PROBE_BEGIN(barrier_call);
    barrier_let_handler_serve(false);
    barrier_depart();
    PROBE_END(barrier_call, span);
}

void barrier_all(enum meeting call)
{
    struct probe_span span = PROBE_BEGIN(barrier_all);
    barrier_prepare();
    bool closed = sync_barrier_arrive(true, call);
    if (sync_barrier_depart(closed)) /* [home-migration.full-barrier] */
        homes_move(barrier_number_of_last());
    PROBE_END(barrier_all, span, barrier_number_of_last());
}

void hlrc_barrier(void)
{
    call_check("hlrc_barrier");
    barrier_all(MEETING_BARRIER);
}
