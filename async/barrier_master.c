/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barrier_master.c - barriers at the master's handler (--barrier master); see barrier.h. */
#include <stdatomic.h>
#include <string.h>

#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/dump.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"

#define MASTER    0
#define KIND_BITS 2 /* of an arrival's second argument; above them its call */

static struct thread *_Atomic waiting; /* the thread in depart */

/* At the master, by parity of the epoch: no node is two barriers ahead. */
static struct {
    int count;
    uint64_t epoch;
    bool here[NODES_MAX]; /* by node: has arrived */
    uint64_t vt[NODES_MAX];
    bool plain, moves; /* some node's arrival was of this kind */
    int first;         /* the first to arrive, and its call */
    enum meeting call;
} arrivals[2];
static spin_lock_word arrivals_lock;

#ifdef HLRC_DEBUG
static uint64_t next_epoch; /* of this node's next arrival */
#endif

static void barrier_master_serve(struct request *req);
static void barrier_master_wake(void);

/* At the master: the nodes that have not arrived. */
static void barrier_master_dump_arrivals(char *line, size_t len)
{
    for (int i = 0; i < 2; i++) {
        if (arrivals[i].count == 0) /* without the lock */
            continue;
        dump_append(line, len, "barrier %llu: %d of %d nodes have arrived, but not",
                    (unsigned long long)arrivals[i].epoch, arrivals[i].count, engine.nodes);
        for (int n = 0, named = 0; n < engine.nodes; n++)
            if (!arrivals[i].here[n])
                dump_append(line, len, "%s %d", named++ ? "," : " node", n);
    }
}

static int barrier_master_init(void)
{
    dump_add(barrier_master_dump_arrivals);
    memset(arrivals, 0, sizeof arrivals);
    msg_handle(REQUEST_BARRIER, barrier_master_serve);
    msg_handle_barrier(barrier_master_wake);
    return 0;
}

#ifdef HLRC_DEBUG
/* ASSUMPTION: arrivals_lock is held. */
static void barrier_master_assert_state(const struct request *req)
{
    /* for this epoch of ours, the last or the next */
    assert(req->arg[0] - next_epoch + 1 <= 2 || engine.node != MASTER);
    for (int i = 0; i < 2; i++)
        assert(arrivals[i].count >= 0 && arrivals[i].count < engine.nodes);
    /* no node arrives twice before all have arrived once */
    assert(arrivals[0].count == 0 || arrivals[1].count == 0);
}
#else
#    define barrier_master_assert_state(req) ((void)0)
#endif

static void barrier_master_release_all(const uint64_t *vt, bool moves)
{
    for (int n = 0; n < engine.nodes; n++)
        msg_reply(msg_slot(n, msg_token_barrier()), 0, moves, vt);
}

static void barrier_master_serve(struct request *req)
{
    uint64_t vt[NODES_MAX];
    int i = (int)(req->arg[0] & 1);
    enum meeting call = (enum meeting)(req->arg[1] >> KIND_BITS);
    enum parts_arrival kind = (enum parts_arrival)(req->arg[1] & ((1 << KIND_BITS) - 1));
    spin_lock(&arrivals_lock);
    barrier_master_assert_state(req);
    if (arrivals[i].count == 0) {
        arrivals[i].first = req->from;
        arrivals[i].call = call;
    } else if (arrivals[i].call != call) {
        /* [collective.same-call] */
        meeting_refuse(arrivals[i].first, arrivals[i].call, req->from, call);
    }
    for (int w = 0; w < engine.nodes; w++)
        if (arrivals[i].vt[w] < req->vec[w])
            arrivals[i].vt[w] = req->vec[w];
    arrivals[i].epoch = req->arg[0];
    arrivals[i].here[req->from] = true;
    arrivals[i].plain |= kind == ARRIVAL_PLAIN;
    arrivals[i].moves |= kind == ARRIVAL_MOVES;
    bool last = ++arrivals[i].count == engine.nodes, moves = false;
    if (last) {
        moves = arrivals[i].moves && !arrivals[i].plain; /* [home-migration.full-barrier] */
        memcpy(vt, arrivals[i].vt, sizeof vt);
        /* before any release, after which arrivals of this parity may follow */
        memset(&arrivals[i], 0, sizeof arrivals[i]);
    }
    spin_unlock(&arrivals_lock);
    if (last)
        barrier_master_release_all(vt, moves);
}

/* The release has arrived: wakes the waiting thread. */
static void barrier_master_wake(void)
{
    /* orders the release's arrival before the read of `waiting` */
    atomic_thread_fence(memory_order_seq_cst);
    struct thread *t = atomic_load(&waiting);
    if (t)
        thread_wake(t);
}

static void barrier_master_arrive(uint64_t epoch, const uint64_t *vt, enum parts_arrival kind,
                                  enum meeting call)
{
    struct request *req = msg_compose(msg_token_barrier(), REQUEST_BARRIER, (uint32_t)epoch);
    req->arg[0] = epoch;
    req->arg[1] = (uint64_t)kind | (uint64_t)call << KIND_BITS;
#ifdef HLRC_DEBUG
    next_epoch = epoch + 1;
#endif
    memcpy(req->vec, vt, VT_BYTES(engine.nodes));
    PROBE(barrier_arriving);
    msg_send(req, MASTER, true, false);
}

static bool barrier_master_await(uint64_t *vt)
{
    atomic_store(&waiting, thread_self());
    const struct request_reply *rep = msg_wait(msg_token_barrier());
    memcpy(vt, rep->vec, VT_BYTES(engine.nodes));
    atomic_store(&waiting, NULL);
    return rep->arg != 0;
}

static bool barrier_master_over(void)
{
    return msg_done(msg_token_barrier());
}

const struct parts_barrier barrier_by_master = {
    .caps = FABRIC_WRITE_IMM,
    .init = barrier_master_init,
    .arrive = barrier_master_arrive,
    .await = barrier_master_await,
    .over = barrier_master_over,
};
