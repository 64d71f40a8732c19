/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_sync.c - locks and barriers; by handlers: async/locks_manager.c, [lock.one-node],
 * [lock.successor], [lock.flush-first], [lock.failed-try], [lock.biased], [lock.fast-mode],
 * [lock.overtaking] and barrier_master.c, [barrier.arrival-time], [barrier.diffs-served]. */
#include <stdlib.h>
#include <string.h>

#include "hlrc/policy/policy_lock.h"
#include "sim/fail.h"
#include "sim/replay.h"

#define MASTER 0

static uint64_t replay_sync_vector_bytes(const struct replay *r)
{
    return 48 + 8 * (uint64_t)r->nodes;
}

static uint32_t *replay_sync_copy_vt(const struct replay_node *n)
{
    uint32_t *vt = fail_alloc(n->r->nodes, sizeof *vt);

    memcpy(vt, n->vt, n->r->nodes * sizeof *vt);
    return vt;
}

/* ---- locks ---- */

struct replay_lock_here *replay_lock_of(struct replay_node *n, uint32_t lock)
{
    bool is_new;
    uint32_t i = map_index(&n->lock_map, lock, &is_new);

    n->lock = map_grow(n->lock, &n->locks_room, i + 1, sizeof *n->lock);
    if (is_new)
        n->lock[i].lock = lock;
    return &n->lock[i];
}

static unsigned replay_sync_manager_of(const struct replay *r, uint32_t lock)
{
    return policy_lock_manager(lock, r->nodes);
}

static bool replay_sync_here(const struct replay_node *n, const struct replay_lock_here *l)
{
    return l->moved != (replay_sync_manager_of(n->r, l->lock) == n->id);
}

static void replay_sync_set_here(const struct replay_node *n, struct replay_lock_here *l, bool yes)
{
    l->moved = yes != (replay_sync_manager_of(n->r, l->lock) == n->id);
}

/* A request for a lock, in transit. */
struct replay_sync_ask {
    struct replay_node *from;
    uint32_t lock;
};

static void replay_sync_take_grant(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    n->grant = (uint32_t *)(uintptr_t)arg;
    n->granted = true;
    replay_wake(n);
}

static void replay_sync_grant(struct replay_node *n, struct replay_lock_here *l,
                              struct replay_node *to)
{
    replay_sync_set_here(n, l, false); /* [lock.one-node] */
    replay_message(n, to, replay_sync_vector_bytes(n->r), replay_sync_take_grant, to,
                   (uintptr_t)replay_sync_copy_vt(n));
}

/* [lock.flush-first] */
static bool replay_sync_published(const struct replay_node *n, const struct replay_lock_here *l)
{
    return !(n->exclusive_count > 0 && n->arrivals != n->seen) &&
           (n->closes >= l->mark || n->dirty_count == 0);
}

/* [lock.biased] */
static void replay_sync_grant_listed(struct replay_node *n)
{
    for (uint32_t i = 0; i < n->lock_map.count; i++) {
        struct replay_lock_here *l = &n->lock[i];
        if (!l->listed)
            continue;
        l->listed = false;
        if (l->held || l->waiting || l->next == 0)
            continue;
        int next = l->next;
        l->next = 0;
        replay_sync_grant(n, l, &n->r->node[next - 1]);
    }
}

/* The runtime's thread that flushes on behalf of another node's request: it takes the program's
 * time. One flush at a time [interval.covers-dirty]. */
static void replay_sync_work(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    if (n->closing) {
        event_after(&n->r->loop, SIM_US, replay_sync_work, n, arg);
        return;
    }
    n->worker = false;
    n->in_event = true;
    replay_close(n);
    n->in_event = false;
    replay_sync_grant_listed(n);
}

static void replay_sync_call_worker(struct replay_node *n)
{
    if (!n->worker)
        event_after(&n->r->loop, n->r->m.wake_ns * SIM_NS, replay_sync_work, n, 0);
    n->worker = true;
}

static void replay_sync_serve_owner(void *self, uint64_t at)
{
    struct replay_sync_ask *a = self;
    struct replay_node *n = &a->from->r->node[at];
    struct replay_lock_here *l = replay_lock_of(n, a->lock);
    bool idle = replay_sync_here(n, l) && !l->held && !l->waiting && l->next == 0;

    if (idle && replay_sync_published(n, l)) {
        replay_sync_grant(n, l, a->from);
    } else {
        l->next = (int)a->from->id + 1; /* [lock.successor] */
        l->listed = idle;
        if (idle)
            replay_sync_call_worker(n); /* [lock.biased] */
    }
    free(a);
}

static void replay_sync_manage(void *self, uint64_t arg)
{
    struct replay_sync_ask *a = self;
    struct replay *r = a->from->r;
    struct replay_node *n = &r->node[replay_sync_manager_of(r, a->lock)];
    struct replay_lock_here *l = replay_lock_of(n, a->lock);
    unsigned before = l->last > 0 ? (unsigned)l->last - 1 : n->id;

    (void)arg;
    l->last = (int)a->from->id + 1;
    COUNT(n, messages, before != n->id);
    replay_message(n, &r->node[before], replay_sync_vector_bytes(r), replay_sync_serve_owner, a,
                   before);
}

static void replay_sync_request(struct replay_node *n, struct replay_lock_here *l)
{
    struct replay *r = n->r;
    unsigned manager = replay_sync_manager_of(r, l->lock);
    struct replay_sync_ask *a = fail_alloc(1, sizeof *a);
    uint32_t lock = l->lock, *vt;

    *a = (struct replay_sync_ask){ n, lock };
    l->waiting = true;
    n->granted = false;
    n->debt += r->m.post_ns * SIM_NS;
    replay_settle(n);
    COUNT(n, messages, manager != n->id);
    replay_message(n, &r->node[manager], 64, replay_sync_manage, a, 0);
    replay_await(n, &n->granted);
    vt = n->grant;
    replay_acquire(n, vt, lock);
    free(vt);
    l = replay_lock_of(n, lock);
    l->waiting = false;
    replay_sync_set_here(n, l, true);
    l->stays = 0;
}

void replay_lock_again(struct replay_node *n, uint32_t lock)
{
    struct replay_lock_here *l = replay_lock_of(n, lock);
    sim_time begun;

    replay_settle(n);
    begun = n->r->loop.now;
    if (n->r->protocol == REPLAY_ONESIDED)
        replay_queue_lock(n, lock);
    else if (!replay_sync_here(n, l))
        replay_sync_request(n, l);
    replay_lock_of(n, lock)->held = true;
    n->spent[1] += n->r->loop.now - begun;
}

void replay_lock(struct replay_node *n, uint32_t lock)
{
    COUNT(n, lock_acquires, 1);
    replay_lock_again(n, lock);
}

/* ---- tries ---- */

static void replay_sync_take_refusal(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    n->answered = true;
    replay_wake(n);
}

/* locks_manager.c manage_result */
static void replay_sync_serve_result(void *self, uint64_t arg)
{
    struct replay_sync_ask *a = self;
    struct replay *r = a->from->r;

    (void)arg;
    replay_message(&r->node[replay_sync_manager_of(r, a->lock)], a->from, 16,
                   replay_sync_take_refusal, a->from, 0);
    free(a);
}

/* [lock.failed-try] */
static void replay_sync_serve_try_owner(void *self, uint64_t at)
{
    struct replay_sync_ask *a = self;
    struct replay_node *n = &a->from->r->node[at];
    unsigned manager = replay_sync_manager_of(n->r, a->lock);

    COUNT(n, messages, manager != n->id);
    replay_message(n, &n->r->node[manager], replay_sync_vector_bytes(n->r),
                   replay_sync_serve_result, a, 0);
}

static void replay_sync_manage_try(void *self, uint64_t arg)
{
    struct replay_sync_ask *a = self;
    struct replay *r = a->from->r;
    struct replay_node *n = &r->node[replay_sync_manager_of(r, a->lock)];
    const struct replay_lock_here *l = replay_lock_of(n, a->lock);
    unsigned owner = l->last > 0 ? (unsigned)l->last - 1 : n->id;

    (void)arg;
    COUNT(n, messages, owner != n->id);
    replay_message(n, &r->node[owner], 64, replay_sync_serve_try_owner, a, owner);
}

static void replay_sync_request_try(struct replay_node *n, uint32_t lock)
{
    unsigned manager = replay_sync_manager_of(n->r, lock);
    struct replay_sync_ask *a = fail_alloc(1, sizeof *a);

    *a = (struct replay_sync_ask){ n, lock };
    n->answered = false;
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    COUNT(n, messages, manager != n->id);
    replay_message(n, &n->r->node[manager], 64, replay_sync_manage_try, a, 0);
    replay_await(n, &n->answered);
}

void replay_try(struct replay_node *n, uint32_t lock)
{
    sim_time begun;

    replay_settle(n);
    begun = n->r->loop.now;
    if (n->r->protocol == REPLAY_ONESIDED)
        replay_queue_try(n, lock);
    else if (!replay_sync_here(n, replay_lock_of(n, lock)))
        replay_sync_request_try(n, lock);
    n->spent[1] += n->r->loop.now - begun;
}

void replay_unlock(struct replay_node *n, uint32_t lock)
{
    struct replay_lock_here *l = replay_lock_of(n, lock);
    uint64_t lazy = n->r->set[RECORD_SET_lazy_release];
    uint8_t stays = l->stays;

    replay_settle(n);
    if (n->r->protocol == REPLAY_ONESIDED) {
        l->held = false;
        replay_queue_unlock(n, lock);
        return;
    }
    l->mark = 0;
    if (!replay_clean(n, l->next > 0)) {
        if (policy_lock_unpublished(false, l->next != 0, l->listed, stays, lazy)) {
            l->mark = n->closes + 1; /* [lock.flush-first], [lock.biased] */
            COUNT(n, lazy_releases, 1);
        } else {
            replay_close(n);
            l = replay_lock_of(n, lock);
        }
    }
    l->held = false;
    l->stays = policy_lock_stayed(l->stays);
    if (l->next == 0)
        return;
    int next = l->next;
    l->next = 0;
    l->listed = false;
    replay_sync_grant(n, l, &n->r->node[next - 1]);
}

/* ---- barriers ---- */

struct replay_sync_arrival {
    struct replay_node *from;
    uint64_t epoch;
    uint32_t *vt;
    enum replay_arrives arrives;
};

bool replay_moves(unsigned arrives)
{
    /* [home-migration.full-barrier] */
    return (arrives & (ARRIVES_MOVING | ARRIVES_PLAIN)) == ARRIVES_MOVING;
}

static void replay_sync_take_release(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    n->release = (struct replay_release *)(uintptr_t)arg;
    n->got_release = true;
    replay_wake(n);
}

static void replay_sync_release_all(struct replay *r, struct replay_meeting *m)
{
    struct replay_release *all = fail_alloc(1, sizeof *all);

    *all = (struct replay_release){ m->vt, r->nodes, replay_moves(m->arrives) };
    m->vt = fail_alloc(r->nodes, sizeof *m->vt);
    m->arrived = m->arrives = 0;
    for (unsigned n = 0; n < r->nodes; n++)
        replay_message(&r->node[MASTER], &r->node[n], replay_sync_vector_bytes(r),
                       replay_sync_take_release, &r->node[n], (uintptr_t)all);
}

static void replay_sync_serve_arrival(void *self, uint64_t arg)
{
    struct replay_sync_arrival *a = self;
    struct replay *r = a->from->r;
    struct replay_meeting *m = &r->meeting[a->epoch & 1];

    (void)arg;
    for (unsigned w = 0; w < r->nodes; w++)
        if (m->vt[w] < a->vt[w])
            m->vt[w] = a->vt[w];
    m->arrives |= a->arrives;
    free(a->vt);
    free(a);
    if (++m->arrived == r->nodes)
        replay_sync_release_all(r, m);
}

void replay_arrive(struct replay_node *n, bool waits)
{
    struct replay_sync_arrival *a;

    replay_settle(n);
    n->quiet = true;
    if (!replay_clean(n, true))
        replay_close(n);
    n->quiet = false;
    n->arrives = !waits ? ARRIVES_PLAIN : replay_offer_homes(n) ? ARRIVES_MOVING : ARRIVES_WAITING;
    if (n->r->protocol == REPLAY_ONESIDED) {
        replay_gather(n);
        return;
    }
    a = fail_alloc(1, sizeof *a);
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    *a = (struct replay_sync_arrival){ n, n->epoch++, replay_sync_copy_vt(n), n->arrives };
    n->got_release = false;
    COUNT(n, messages, n->id != MASTER);
    n->quiet = true;
    replay_message(n, &n->r->node[MASTER], replay_sync_vector_bytes(n->r),
                   replay_sync_serve_arrival, a, 0);
    n->quiet = false;
}

/* True: homes migrate now. */
static bool replay_sync_depart(struct replay_node *n)
{
    struct replay_release *all;
    bool moves;

    replay_await(n, &n->got_release);
    all = n->release;
    moves = all->moves;
    replay_acquire(n, all->vt, OCCASION_MEETING);
    if (--all->users == 0) {
        free(all->vt);
        free(all);
    }
    return moves;
}

void replay_meet(struct replay_node *n)
{
    replay_arrive(n, false);
    (void)replay_sync_depart(n);
}

void replay_depart(struct replay_node *n)
{
    sim_time begun;

    replay_settle(n);
    begun = n->r->loop.now;
    bool moves = replay_sync_depart(n);
    n->departed++;
    if (moves) /* [home-migration.full-barrier] */
        replay_move_homes(n);
    COUNT(n, barriers, 1);
    n->spent[2] += n->r->loop.now - begun;
}
