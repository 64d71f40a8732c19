/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barrier.c - see barrier.h for the invariants. */
#include "hlrc/sync/barrier.h"

#include <hlrc.h>
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "base/perturb.h"
#include "base/spin.h"
#include "hlrc/call.h"
#include "hlrc/coherence/interval.h"
#include "hlrc/engine.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/stats.h"
#include "hlrc/progress/thread.h"

#define MASTER 0

/* of this node's next arrival; one thread speaks for the node */
static uint64_t epoch;
static _Atomic bool between;           /* arrived and not yet departed */
static struct thread *_Atomic waiting; /* the thread in depart */

/* At the master, by parity of the epoch: nobody is two barriers ahead (R2). */
static struct {
    int count;
    uint64_t vt[NODES_MAX];
} arrivals[2];
static spin_lock_word arrivals_lock;

static void (*before_arrival)(void);

void barrier_before(void (*run)(void))
{
    before_arrival = run;
}

int barrier_init(void)
{
    epoch = 0;
    atomic_store(&between, false);
    memset(arrivals, 0, sizeof arrivals);
    msg_handle(REQUEST_BARRIER, barrier_serve);
    msg_handle_barrier(barrier_wake);
    return 0;
}

#ifdef HLRC_DEBUG
/* ASSUMPTION: arrivals_lock is held. */
static void barrier_assert_state(const struct request *req)
{
    /* R2: for this epoch of ours, the last or the next */
    assert(req->arg[0] - epoch + 1 <= 2 || engine.node != MASTER);
    for (int i = 0; i < 2; i++)
        assert(arrivals[i].count >= 0 && arrivals[i].count < engine.nodes);
    /* nobody arrives twice before all have arrived once */
    assert(arrivals[0].count == 0 || arrivals[1].count == 0);
}
#else
#    define barrier_assert_state(req) ((void)0)
#endif

static void release_all(const uint64_t *vt)
{
    for (int n = 0; n < engine.nodes; n++)
        msg_reply(msg_slot(n, msg_token_barrier()), 0, 0, vt);
}

void barrier_serve(struct request *req)
{
    uint64_t vt[NODES_MAX];
    int i = (int)(req->arg[0] & 1);
    spin_lock(&arrivals_lock);
    barrier_assert_state(req);
    for (int w = 0; w < engine.nodes; w++)
        if (arrivals[i].vt[w] < req->vec[w])
            arrivals[i].vt[w] = req->vec[w];
    bool last = ++arrivals[i].count == engine.nodes;
    if (last) {
        memcpy(vt, arrivals[i].vt, sizeof vt);
        /* before any release: the next arrivals of this parity follow one */
        memset(&arrivals[i], 0, sizeof arrivals[i]);
    }
    spin_unlock(&arrivals_lock);
    if (last)
        release_all(vt);
}

void barrier_wake(void)
{
    /* orders the release's arrival before the read of `waiting` */
    atomic_thread_fence(memory_order_seq_cst);
    struct thread *t = atomic_load(&waiting);
    if (t)
        thread_wake(t);
}

void barrier_arrive(void)
{
    if (atomic_exchange(&between, true))
        diag_fatal(1, "hlrc_barrier_arrive: this node has arrived already; call "
                      "hlrc_barrier_depart, in one thread");
    if (engine.alone)
        return;
    if (before_arrival)
        before_arrival();
    struct thread *t = thread_enter();
    interval_close(false);
    struct request *req = msg_compose(msg_token_barrier(), REQUEST_BARRIER, (uint32_t)epoch);
    req->arg[0] = epoch++;
    interval_vt(req->vec);
    perturb(barrier_arriving);
    msg_send(req, MASTER, true, false);
    thread_leave(t);
}

void barrier_depart(void)
{
    if (!atomic_load(&between))
        diag_fatal(
            1, "hlrc_barrier_depart: this node has not arrived; call hlrc_barrier_arrive first");
    if (!engine.alone) {
        uint64_t vt[NODES_MAX];
        struct thread *t = thread_enter();
        atomic_store(&waiting, t);
        const struct reply *rep = msg_wait(msg_token_barrier());
        memcpy(vt, rep->vec, VT_BYTES(engine.nodes));
        atomic_store(&waiting, NULL);
        perturb(barrier_released);
        interval_met();
        progress_settle(); /* what is applied already needs no revoking */
        interval_acquire(vt);
        progress_settle(); /* R4: a writer's diffs arrive before its notices, which are here now */
        thread_leave(t);
    }
    stats_count(STAT_BARRIERS, 1);
    atomic_store(&between, false);
}

static void let_handler_serve(bool all)
{
    if (engine.alone)
        return;
    struct thread *t = thread_enter();
    progress_wake_on_all(all);
    thread_leave(t);
}

void hlrc_barrier_arrive(void)
{
    call_check("hlrc_barrier_arrive");
    struct thread *t = thread_self();
    enum stats_category before = stats_enter(t, STATS_BARRIER);
    barrier_arrive();
    let_handler_serve(true); /* R3: this thread goes on, the handler stands in for it */
    stats_enter(t, before);
}

void hlrc_barrier_depart(void)
{
    call_check("hlrc_barrier_depart");
    struct thread *t = thread_self();
    enum stats_category before = stats_enter(t, STATS_BARRIER);
    let_handler_serve(false);
    barrier_depart();
    stats_enter(t, before);
}

void hlrc_barrier(void)
{
    call_check("hlrc_barrier");
    struct thread *t = thread_self();
    enum stats_category before = stats_enter(t, STATS_BARRIER);
    barrier_arrive();
    barrier_depart();
    stats_enter(t, before);
}
