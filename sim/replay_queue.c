/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_queue.c - locks and barriers that use only remote operations: hlrc/sync/mcs.c,
 * [mcs.node-clear], [mcs.time-first], locks_mcs.c, [locks-mcs.queue-node], [lock.flush-first],
 * barrier_counter.c, [barrier-counter.epochs], of two nodes pairs.c.
 */
#include <stdlib.h>
#include <string.h>

#include "hlrc/policy/policy_gather.h"
#include "sim/fail.h"
#include "sim/replay.h"

static uint64_t replay_queue_vector_bytes(const struct replay *r)
{
    return 8 * (uint64_t)r->nodes;
}

/* ---- locks ---- */

/* An atomic operation on the word at the home of a lock. */
struct replay_queue_at_tail {
    struct replay_node *node;
    uint32_t lock;
    unsigned expected, value, found; /* node + 1; 0: none */
    bool swaps;                      /* unconditionally */
};

/* Queues that guard condition variables, and mutexes, have separate numbers and no vector time. */
#define GUARD   (UINT32_C(1) << 31)
#define MUTEX   (UINT32_C(1) << 30)
#define UNTIMED (GUARD | MUTEX)
#define MUTEXES 1024u /* hlrc_rma.h */

static struct replay_node *replay_queue_home_of(const struct replay_node *n, uint32_t lock)
{
    return &n->r->node[(lock & ~UNTIMED) % n->r->nodes];
}

static void replay_queue_change_tail(void *self, uint64_t arg)
{
    struct replay_queue_at_tail *a = self;
    struct replay_lock_here *l = replay_lock_of(replay_queue_home_of(a->node, a->lock), a->lock);

    (void)arg;
    a->found = (unsigned)l->last;
    if (a->swaps || a->found == a->expected)
        l->last = (int)a->value;
}

static unsigned replay_queue_operate(struct replay_node *n, uint32_t lock, unsigned expected,
                                     unsigned value, bool swaps)
{
    struct replay_queue_at_tail a = { n, lock, expected, value, 0, swaps };

    replay_atomic(n, replay_queue_home_of(n, lock), replay_queue_change_tail, &a);
    return a.found;
}

static unsigned replay_queue_compare(struct replay_node *n, uint32_t lock, unsigned expected,
                                     unsigned value)
{
    return replay_queue_operate(n, lock, expected, value, false);
}

/* [mcs.time-first]: reads the vector time that the lock had when it became free. */
static void replay_queue_read_time(struct replay_node *n, uint32_t lock)
{
    const uint32_t *time = replay_lock_of(replay_queue_home_of(n, lock), lock)->time;
    uint32_t *got = replay_vt_copy(n->r, time);

    if (n->r->m.reads_ordered) {
        n->debt += n->r->m.post_ns * SIM_NS; /* it arrives with the answer of the atomic */
    } else {
        replay_read_now(n, replay_queue_home_of(n, lock), replay_queue_vector_bytes(n->r));
    }
    struct replay_lock_here *l = replay_lock_of(n, lock);
    free(l->got);
    l->got = got;
}

struct replay_queue_told {
    struct replay_node *to;
    uint32_t lock, *vt;
    unsigned who;
};

static void replay_queue_take_name(void *self, uint64_t arg)
{
    struct replay_queue_told *t = self;

    (void)arg;
    replay_lock_of(t->to, t->lock)->next = (int)t->who;
    t->to->named = true;
    replay_wake(t->to);
    free(t);
}

/* [mcs.node-clear]: true if the lock was free. */
static bool replay_queue_enter(struct replay_node *n, uint32_t lock)
{
    replay_lock_of(n, lock)->next = 0;
    if (replay_queue_compare(n, lock, 0, n->id + 1) == 0)
        return true;
    unsigned before = replay_queue_operate(n, lock, 0, n->id + 1, true);
    if (before == 0)
        return true;
    n->answered = false;
    struct replay_queue_told *t =
        FAIL_NEW(struct replay_queue_told, &n->r->node[before - 1], lock, NULL, n->id + 1);
    replay_post(n, 1);
    replay_write_wake(n, t->to, 8, replay_queue_take_name, t, 0);
    replay_await(n, &n->answered);
    return false;
}

void replay_queue_lock(struct replay_node *n, uint32_t lock)
{
    COUNT(n, rdma_reads, n->r->m.reads_ordered); /* posted in any case */
    bool mine = replay_queue_enter(n, lock);
    if (mine)
        replay_queue_read_time(n, lock);
    struct replay_lock_here *l = replay_lock_of(n, lock);
    uint32_t *vt = mine ? replay_vt_copy(n->r, l->got) : n->answer;
    if (!mine) {
        free(l->got);
        l->got = NULL;
    }
    replay_acquire(n, vt, lock);
    free(vt);
}

/* [lock.failed-try] */
void replay_queue_try(struct replay_node *n, uint32_t lock)
{
    /* to read the time: [mcs.time-first] */
    n->debt += n->r->m.reads_ordered ? n->r->m.post_ns * SIM_NS : 0;
    COUNT(n, rdma_reads, n->r->m.reads_ordered);
    replay_atomic(n, replay_queue_home_of(n, lock), NULL, NULL);
}

/* [mcs.time-first] */
static void replay_queue_hand_on(struct replay_node *n, uint32_t lock)
{
    bool timed = !(lock & UNTIMED);

    while (replay_lock_of(n, lock)->next == 0) { /* [mcs.node-clear] */
        n->named = false;
        replay_await(n, &n->named);
    }
    struct replay_node *to = &n->r->node[replay_lock_of(n, lock)->next - 1];
    uintptr_t vt = timed ? (uintptr_t)replay_vt_copy(n->r, n->vt) : 0;
    replay_post(n, timed ? 2 : 1);
    COUNT(n, rdma_writes, timed);
    replay_write_wake(n, to, (timed ? replay_queue_vector_bytes(n->r) : 0) + 8, replay_answered, to,
                      vt);
}

/* [mcs.time-first]: publishes the vector time of a lock that may become free. */
static void replay_queue_write_time(struct replay_node *n, uint32_t lock)
{
    struct replay_lock_here *l = replay_lock_of(n, lock), *there;

    if (l->got != NULL && memcmp(l->got, n->vt, n->r->nodes * sizeof *l->got) == 0)
        return;
    there = replay_lock_of(replay_queue_home_of(n, lock), lock);
    free(there->time);
    there->time = replay_vt_copy(n->r, n->vt); /* no node reads it before the word is 0 */
    n->debt += n->r->m.post_ns * SIM_NS;
    COUNT(n, rdma_writes, 1);
}

static void replay_queue_leave(struct replay_node *n, uint32_t lock)
{
    if (replay_lock_of(n, lock)->next == 0) {
        if (!(lock & UNTIMED))
            replay_queue_write_time(n, lock);
        if (replay_queue_compare(n, lock, n->id + 1, 0) == n->id + 1)
            return;
    }
    replay_queue_hand_on(n, lock);
}

/* [lock.flush-first] */
void replay_queue_unlock(struct replay_node *n, uint32_t lock)
{
    if (!replay_clean(n, true))
        replay_close(n);
    replay_queue_leave(n, lock);
}

void replay_guard(struct replay_node *n, uint32_t cond, bool enter)
{
    if (enter)
        (void)replay_queue_enter(n, cond | GUARD);
    else
        replay_queue_leave(n, cond | GUARD);
}

void replay_mutex(struct replay_node *n, const struct script_op *op)
{
    uint32_t nodes = n->r->nodes, number = (uint32_t)(op->arg[0] % MUTEXES);
    uint32_t queue = number * nodes + (uint32_t)(op->arg[1] % nodes);

    replay_settle(n);
    if (op->kind == RECORD_MUTEX)
        (void)replay_queue_enter(n, queue | MUTEX);
    else
        replay_queue_leave(n, queue | MUTEX);
}

/* ---- barriers ---- */

/* An arrival at a gathering. */
struct replay_queue_gathering {
    struct replay_node *node; /* the node that arrives */
    struct policy_gather at;
    unsigned parity, arrives;
    uint32_t *vt;
    bool last;
};

static struct replay_meeting *replay_queue_meeting_of(const struct replay_queue_gathering *g)
{
    return &g->node->r->gathered[g->at.number * 2 + g->parity];
}

/* [barrier-counter.epochs] */
static void replay_queue_add_arrival(void *self, uint64_t arg)
{
    struct replay_queue_gathering *g = self;
    struct replay *r = g->node->r;
    struct replay_meeting *m = replay_queue_meeting_of(g);

    (void)arg;
    if (m->vt == NULL)
        m->vt = replay_vt_copy(r, NULL);
    replay_vt_merge(r, m->vt, g->vt);
    m->arrives |= g->arrives;
    g->last = ++m->arrived == g->at.members;
}

/* True for the last to arrive at its gathering; it has merged all vector times. */
static bool replay_queue_arrive_at(struct replay_queue_gathering *g)
{
    struct replay_node *n = g->node;
    struct replay *r = n->r;
    struct replay_meeting *m = replay_queue_meeting_of(g);
    struct replay_node *home = &r->node[g->at.home];

    n->debt += 2 * r->m.post_ns * SIM_NS;
    COUNT(n, rdma_writes, 2);
    replay_atomic(n, home, replay_queue_add_arrival, g);
    if (!g->last)
        return false;
    if (home != n)
        for (unsigned i = 0; i < g->at.members; i++)
            replay_post_read(n, home, replay_queue_vector_bytes(r) + 8);
    replay_await_reads(n);
    memcpy(g->vt, m->vt, r->nodes * sizeof *g->vt);
    g->arrives = m->arrives;
    m->arrived = m->arrives = 0;
    memset(m->vt, 0, r->nodes * sizeof *m->vt);
    return true;
}

/* [barrier-counter.epochs] */
static void replay_queue_release_all(struct replay_node *n, uint32_t *vt, unsigned arrives)
{
    struct replay *r = n->r;
    struct replay_release *all = replay_release_new(vt, r->nodes, arrives);

    n->debt += 2 * r->nodes * r->m.post_ns * SIM_NS;
    replay_settle(n);
    COUNT(n, rdma_writes, r->nodes);
    for (unsigned i = 0; i < r->nodes; i++)
        replay_write_wake(n, &r->node[i], replay_queue_vector_bytes(r) + 8, replay_take_release,
                          &r->node[i], (uintptr_t)all);
}

/* A barrier of two nodes, which is --barrier pairs: [barrier-pairs.word-last],
 * [barrier-pairs.two-slots]. */
static void replay_queue_end_pair(struct replay_node *n, uint64_t epoch)
{
    uint32_t *vt = n->partner[epoch & 1];

    if (vt == NULL || n->epoch != epoch + 1)
        return;
    n->partner[epoch & 1] = NULL;
    replay_take_release(n, (uintptr_t)replay_release_new(vt, 1,
                                                         n->arrives | n->partner_is[epoch & 1]));
}

static void replay_queue_take_partner(void *self, uint64_t arg)
{
    struct replay_queue_told *t = self;

    t->to->partner[arg & 1] = t->vt;
    t->to->partner_is[arg & 1] = t->who;
    replay_queue_end_pair(t->to, arg);
    free(t);
}

static void replay_queue_meet_partner(struct replay_node *n)
{
    struct replay_queue_told *t = FAIL_NEW(struct replay_queue_told, &n->r->node[1 - n->id], 0,
                                           replay_vt_copy(n->r, n->vt), n->arrives);
    uint64_t epoch = n->epoch;

    replay_post(n, 2);
    n->got_release = false;
    n->epoch = epoch + 1;
    COUNT(n, rdma_writes, 1);
    replay_write_wake(n, t->to, replay_queue_vector_bytes(n->r) + 8, replay_queue_take_partner, t,
                      epoch);
    replay_queue_end_pair(n, epoch);
}

/* Gathers by a tree of counters: --barrier tree. */
static void replay_queue_gather(struct replay_node *n)
{
    struct replay *r = n->r;
    struct policy_gather_climb climb =
        policy_gather_begin(n->id, r->nodes, (uint32_t)r->set[RECORD_SET_barrier_fan]);
    struct replay_queue_gathering g = { .node = n,
                                        .parity = (unsigned)(n->epoch++ & 1),
                                        .arrives = n->arrives };

    if (r->gathered == NULL)
        r->gathered = fail_alloc(4 * (size_t)r->nodes, sizeof *r->gathered);
    g.vt = replay_vt_copy(r, n->vt);
    n->got_release = false;
    while (policy_gather_next(&climb, &g.at))
        if (g.at.members > 1 && !replay_queue_arrive_at(&g)) {
            free(g.vt);
            return;
        }
    replay_queue_release_all(n, g.vt, g.arrives);
}

void replay_gather(struct replay_node *n)
{
    if (n->r->nodes == 2)
        replay_queue_meet_partner(n);
    else
        replay_queue_gather(n);
}
