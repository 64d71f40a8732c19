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

uint32_t *replay_vt_copy(const struct replay *r, const uint32_t *vt)
{
    uint32_t *copy = fail_alloc(r->nodes, sizeof *copy);

    if (vt != NULL)
        memcpy(copy, vt, r->nodes * sizeof *copy);
    return copy;
}

void replay_vt_merge(const struct replay *r, uint32_t *vt, const uint32_t *other)
{
    for (unsigned w = 0; w < r->nodes; w++)
        vt[w] = vt[w] < other[w] ? other[w] : vt[w];
}

/* ---- locks ---- */

struct replay_lock_here *replay_lock_of(struct replay_node *n, uint32_t lock)
{
    struct replay_lock_here *l = map_at(&n->locks, lock, sizeof *l);

    l->lock = lock;
    return l;
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

static void replay_sync_grant(struct replay_node *n, struct replay_lock_here *l,
                              struct replay_node *to)
{
    replay_sync_set_here(n, l, false); /* [lock.one-node] */
    replay_message(n, to, replay_sync_vector_bytes(n->r), replay_answered, to,
                   (uintptr_t)replay_vt_copy(n->r, n->vt));
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
    for (uint32_t i = 0; i < n->locks.count; i++) {
        struct replay_lock_here *l = n->locks.value[i];
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

/* Serves a request of node SELF for its `asked` lock. */
static void replay_sync_serve_owner(void *self, uint64_t at)
{
    struct replay_node *from = self, *n = &from->r->node[at];
    struct replay_lock_here *l = replay_lock_of(n, from->asked);
    bool idle = replay_sync_here(n, l) && !l->held && !l->waiting && l->next == 0;

    if (idle && replay_sync_published(n, l)) {
        replay_sync_grant(n, l, from);
        return;
    }
    l->next = (int)from->id + 1; /* [lock.successor] */
    l->listed = idle;
    if (idle)
        replay_sync_call_worker(n); /* [lock.biased] */
}

/* The manager passes a request on to the last node of the queue. */
static void replay_sync_manage(void *self, uint64_t at)
{
    struct replay_node *from = self, *n = &from->r->node[at];
    struct replay_lock_here *l = replay_lock_of(n, from->asked);
    unsigned before = l->last > 0 ? (unsigned)l->last - 1 : n->id;

    l->last = (int)from->id + 1;
    COUNT(n, messages, before != n->id);
    replay_message(n, &n->r->node[before], replay_sync_vector_bytes(n->r), replay_sync_serve_owner,
                   from, before);
}

static void replay_sync_request(struct replay_node *n, struct replay_lock_here *l)
{
    uint32_t lock = l->lock;

    l->waiting = true;
    n->asked = lock;
    replay_ask(n, replay_sync_manager_of(n->r, lock), replay_sync_manage);
    replay_acquire(n, n->answer, lock);
    free(n->answer);
    l->waiting = false;
    replay_sync_set_here(n, l, true);
    l->stays = 0;
}

void replay_lock(struct replay_node *n, uint32_t lock)
{
    struct replay_lock_here *l = replay_lock_of(n, lock);

    if (n->r->protocol == REPLAY_ONESIDED)
        replay_queue_lock(n, lock);
    else if (!replay_sync_here(n, l))
        replay_sync_request(n, l);
    l->held = true;
}

/* ---- tries ---- */

/* locks_manager.c manage_result */
static void replay_sync_serve_result(void *self, uint64_t manager)
{
    struct replay_node *from = self;

    replay_message(&from->r->node[manager], from, 16, replay_answered, from, 0);
}

/* [lock.failed-try] */
static void replay_sync_serve_try_owner(void *self, uint64_t at)
{
    struct replay_node *from = self, *n = &from->r->node[at];
    unsigned manager = replay_sync_manager_of(n->r, from->asked);

    COUNT(n, messages, manager != n->id);
    replay_message(n, &n->r->node[manager], replay_sync_vector_bytes(n->r),
                   replay_sync_serve_result, from, manager);
}

static void replay_sync_manage_try(void *self, uint64_t at)
{
    struct replay_node *from = self, *n = &from->r->node[at];
    const struct replay_lock_here *l = replay_lock_of(n, from->asked);
    unsigned owner = l->last > 0 ? (unsigned)l->last - 1 : n->id;

    COUNT(n, messages, owner != n->id);
    replay_message(n, &n->r->node[owner], 64, replay_sync_serve_try_owner, from, owner);
}

void replay_try(struct replay_node *n, uint32_t lock)
{
    n->asked = lock;
    if (n->r->protocol == REPLAY_ONESIDED)
        replay_queue_try(n, lock);
    else if (!replay_sync_here(n, replay_lock_of(n, lock)))
        replay_ask(n, replay_sync_manager_of(n->r, lock), replay_sync_manage_try);
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

bool replay_moves(unsigned arrives)
{
    /* [home-migration.full-barrier] */
    return (arrives & (ARRIVES_MOVING | ARRIVES_PLAIN)) == ARRIVES_MOVING;
}

void replay_take_release(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    n->release = (struct replay_release *)(uintptr_t)arg;
    n->got_release = true;
    replay_wake(n);
}

struct replay_release *replay_release_new(uint32_t *vt, unsigned users, unsigned arrives)
{
    return FAIL_NEW(struct replay_release, vt, users, replay_moves(arrives));
}

static void replay_sync_release_all(struct replay *r, struct replay_meeting *m)
{
    struct replay_release *all = replay_release_new(m->vt, r->nodes, m->arrives);

    *m = (struct replay_meeting){ .vt = replay_vt_copy(r, NULL) };
    r->node[MASTER].shares = r->system.multicast;
    r->node[MASTER].shared_left = 0;
    for (unsigned n = 0; n < r->nodes; n++)
        replay_message(&r->node[MASTER], &r->node[n], replay_sync_vector_bytes(r),
                       replay_take_release, &r->node[n], (uintptr_t)all);
    r->node[MASTER].shares = false;
}

/* VT: a copy of the vector time with which the node has arrived. */
static void replay_sync_serve_arrival(void *self, uint64_t vt)
{
    struct replay_node *from = self;
    struct replay *r = from->r;
    struct replay_meeting *m = &r->meeting[(from->epoch - 1) & 1];

    replay_vt_merge(r, m->vt, (uint32_t *)(uintptr_t)vt);
    m->arrives |= from->arrives;
    free((void *)(uintptr_t)vt);
    if (++m->arrived == r->nodes)
        replay_sync_release_all(r, m);
}

void replay_arrive(struct replay_node *n, bool waits)
{
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
    replay_post(n, 1);
    n->epoch++;
    n->got_release = false;
    COUNT(n, messages, n->id != MASTER);
    n->quiet = true;
    replay_message(n, &n->r->node[MASTER], replay_sync_vector_bytes(n->r),
                   replay_sync_serve_arrival, n, (uintptr_t)replay_vt_copy(n->r, n->vt));
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
    bool moves = replay_sync_depart(n);

    n->departed++;
    for (int i = 0; i < 2; i++)
        if (n->departed == n->r->between[i])
            n->r->between_at[i] = n->r->loop.now;
    if (moves) /* [home-migration.full-barrier] */
        replay_move_homes(n);
    COUNT(n, barriers, 1);
}
