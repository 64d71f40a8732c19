/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_cond.c - condition variables: by handlers hlrc/sync/cond.c, [cond.registered-first],
 * [cond.signal-time], by remote operations onesided/conds_mcs.c, [conds-mcs.guarded]. Which signal
 * ends a wait: replay.h.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define OCCASION_SIGNAL (OCCASION_MEETING - 1)
#define NAME_BYTES      8  /* conds_mcs.c */
#define LIST_BYTES      16 /* struct conds_mcs_list */
#define REPLY_BYTES     16

struct replay_cond_waker {
    uint32_t node, number; /* node + 1; 0: unknown */
};

struct replay_cond_waiting {
    struct replay_cond_waiting *next;
    struct replay_node *node;
    uint32_t cond;
    struct replay_cond_waker waker;
};

/* A signal, until all waiters that it wakes have arrived. */
struct replay_cond_signal {
    struct replay_cond_signal *next;
    struct replay_node *from;
    uint32_t cond, number, waits; /* waiters still to be woken */
    uint32_t *vt;
};

/* A condition variable at its home. */
struct replay_cond_entry {
    struct replay_cond_waiting *first;
    struct replay_cond_signal *served;
};

/* Wake-ups of a node, from its trace and the other nodes' traces. */
struct replay_cond_wakes {
    struct replay_cond_waker *waker; /* for each of its waits, in order */
    uint32_t count, room, begun;
    struct map numbers; /* of its signals that wake a waiter: how many each wakes */
};

struct replay_cond_table {
    struct map map;
    struct replay_cond_wakes *wakes;
};

/* ---- data from the traces ---- */

static void replay_cond_note_woken(struct replay *r, unsigned node, const uint64_t *arg)
{
    struct replay_cond_wakes *w = &r->conds->wakes[node], *from;
    struct replay_cond_waker waker = { 0, (uint32_t)arg[2] };

    if (arg[1] > 0 && arg[1] <= r->nodes) {
        waker.node = (uint32_t)arg[1];
        from = &r->conds->wakes[waker.node - 1];
        ++*(uint32_t *)map_at(&from->numbers, waker.number, sizeof(uint32_t));
    }
    *MAP_PUSH(w->waker, w->count, w->room) = waker;
}

void replay_conds_begin(struct replay *r)
{
    r->conds = fail_alloc(1, sizeof *r->conds);
    r->conds->wakes = fail_alloc(r->nodes, sizeof *r->conds->wakes);
    for (unsigned n = 0; n < r->nodes; n++) {
        struct script s;
        struct record_item item;
        script_open(&s, r->trace, n);
        while (record_get(&s.stream, &item) > 0)
            if (item.kind == RECORD_WOKEN)
                replay_cond_note_woken(r, n, item.arg);
        script_close(&s);
    }
}

static void replay_cond_free_condition(struct replay_cond_entry *c)
{
    while (c->first != NULL) {
        struct replay_cond_waiting *w = c->first;
        c->first = w->next;
        free(w);
    }
    while (c->served != NULL) {
        struct replay_cond_signal *s = c->served;
        c->served = s->next;
        free(s->vt);
        free(s);
    }
}

void replay_conds_free(struct replay *r)
{
    struct replay_cond_table *c = r->conds;

    for (uint32_t i = 0; i < c->map.count; i++)
        replay_cond_free_condition(c->map.value[i]);
    for (unsigned n = 0; n < r->nodes; n++) {
        free(c->wakes[n].waker);
        map_free(&c->wakes[n].numbers);
    }
    map_free(&c->map);
    free(c->wakes);
    free(c);
}

/* ---- at the home ---- */

static struct replay_cond_entry *replay_cond_condition_of(struct replay *r, uint32_t cond)
{
    return map_at(&r->conds->map, cond, sizeof(struct replay_cond_entry));
}

static struct replay_node *replay_cond_home_of(struct replay *r, uint32_t cond)
{
    return &r->node[cond % r->nodes];
}

static void replay_cond_take_signal(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    n->signalled = (uint32_t *)(uintptr_t)arg;
    n->woken = true;
    replay_wake(n);
}

/* Wakes a waiter. VT NULL: the signalling node is unknown. */
static void replay_cond_wake(struct replay_node *from, struct replay_cond_waiting *w,
                             const uint32_t *vt)
{
    struct replay *r = from->r;
    uintptr_t copy = vt == NULL ? 0 : (uintptr_t)replay_vt_copy(r, vt);
    uint64_t bytes = 8 * (uint64_t)r->nodes;

    if (r->protocol == REPLAY_ONESIDED) {
        COUNT(from, rdma_writes, 1); /* the vector time, then the word: [mcs.time-first] */
        replay_write_wake(from, w->node, bytes + 8, replay_cond_take_signal, w->node, copy);
    } else {
        replay_message(from, w->node, bytes + 48, replay_cond_take_signal, w->node, copy);
    }
    free(w);
}

static bool replay_cond_ends(const struct replay_cond_signal *s,
                             const struct replay_cond_waiting *w)
{
    return w->waker.node == s->from->id + 1 && w->waker.number == s->number;
}

/* A signal that was served before the waiter arrived. */
static bool replay_cond_take_served(struct replay_cond_entry *c, struct replay_cond_waiting *w)
{
    for (struct replay_cond_signal **at = &c->served; *at != NULL; at = &(*at)->next) {
        struct replay_cond_signal *s = *at;
        if (!replay_cond_ends(s, w))
            continue;
        replay_cond_wake(replay_cond_home_of(s->from->r, s->cond), w, s->vt);
        if (--s->waits == 0) {
            *at = s->next;
            free(s->vt);
            free(s);
        }
        return true;
    }
    return false;
}

/* [cond.registered-first] */
static void replay_cond_enter_list(struct replay *r, struct replay_cond_waiting *w)
{
    struct replay_cond_entry *c = replay_cond_condition_of(r, w->cond);
    struct replay_cond_waiting **end = &c->first;

    if (w->waker.node == 0) {
        replay_cond_wake(replay_cond_home_of(r, w->cond), w, NULL);
        return;
    }
    if (replay_cond_take_served(c, w))
        return;
    while (*end != NULL)
        end = &(*end)->next;
    *end = w;
}

/* Wakes the waiters that the signal woke in the traced run, if they have arrived. */
static void replay_cond_serve(struct replay_node *at, struct replay_cond_signal *s)
{
    struct replay_cond_entry *c = replay_cond_condition_of(at->r, s->cond);

    for (struct replay_cond_waiting **w = &c->first; *w != NULL;) {
        struct replay_cond_waiting *it = *w;
        if (!replay_cond_ends(s, it)) {
            w = &it->next;
            continue;
        }
        *w = it->next;
        s->waits--;
        replay_cond_wake(at, it, s->vt);
    }
    if (s->waits > 0) {
        s->next = c->served;
        c->served = s;
        return;
    }
    free(s->vt);
    free(s);
}

/* ---- by handlers ---- */

static void replay_cond_serve_wait(void *self, uint64_t home)
{
    struct replay_node *n = self;

    replay_message(&n->r->node[home], n, REPLY_BYTES, replay_answered, n, 0);
    replay_cond_enter_list(n->r, n->awaits);
}

static void replay_cond_serve_signal(void *self, uint64_t arg)
{
    struct replay_cond_signal *s = self;

    (void)arg;
    replay_cond_serve(replay_cond_home_of(s->from->r, s->cond), s);
}

static void replay_cond_send_signal(struct replay_node *n, struct replay_cond_signal *s)
{
    struct replay_node *home = replay_cond_home_of(n->r, s->cond);

    if (home == n) {
        replay_cond_serve(n, s);
        return;
    }
    replay_post(n, 1);
    COUNT(n, messages, 1);
    replay_message(n, home, 16 + 8 * (uint64_t)n->r->nodes, replay_cond_serve_signal, s, 0);
}

/* ---- by remote operations ---- */

/* [conds-mcs.guarded] */
static void replay_cond_enter_by_guard(struct replay_node *n, struct replay_cond_waiting *w)
{
    struct replay *r = n->r;
    uint32_t cond = w->cond;
    struct replay_cond_waiting *last;

    replay_guard(n, cond, true);
    replay_read_now(n, replay_cond_home_of(r, cond), LIST_BYTES);
    last = replay_cond_condition_of(r, cond)->first;
    while (last != NULL && last->next != NULL)
        last = last->next;
    if (last != NULL)
        replay_write_now(n, last->node, NAME_BYTES);
    replay_write_now(n, replay_cond_home_of(r, cond), LIST_BYTES);
    replay_cond_enter_list(r, w);
    replay_guard(n, cond, false);
}

/* [conds-mcs.guarded]. Reads of names after the first belong to a list whose waiters are all
 * woken. */
static void replay_cond_signal_by_guard(struct replay_node *n, struct replay_cond_signal *s,
                                        bool all)
{
    struct replay *r = n->r;
    uint32_t cond = s->cond, count = 0;
    struct replay_cond_waiting *first;

    replay_guard(n, cond, true);
    replay_read_now(n, replay_cond_home_of(r, cond), LIST_BYTES);
    first = replay_cond_condition_of(r, cond)->first;
    for (struct replay_cond_waiting *w = first; w != NULL; w = w->next)
        count++;
    if (count > 1 && !all)
        replay_read_now(n, first->node, NAME_BYTES);
    if (count > 0)
        replay_write_now(n, replay_cond_home_of(r, cond), LIST_BYTES);
    replay_guard(n, cond, false);
    for (uint32_t i = 1; i < count && all; i++)
        replay_read_now(n, replay_cond_home_of(r, cond), NAME_BYTES);
    n->debt += 2 * n->r->m.post_ns * SIM_NS * (all ? count : count > 0);
    replay_settle(n);
    replay_cond_serve(n, s);
}

/* ---- the node ---- */

void replay_wait(struct replay_node *n, uint32_t cond, uint32_t lock)
{
    struct replay_cond_wakes *k = &n->r->conds->wakes[n->id];
    struct replay_cond_waiting *w = FAIL_NEW(struct replay_cond_waiting, .node = n, .cond = cond);
    sim_time begun = replay_settle(n);

    if (k->begun < k->count)
        w->waker = k->waker[k->begun];
    k->begun++;
    n->woken = false;
    n->awaits = w;
    if (n->r->protocol == REPLAY_ONESIDED)
        replay_cond_enter_by_guard(n, w);
    else
        replay_ask(n, cond % n->r->nodes, replay_cond_serve_wait);
    n->spent[SPENT_LOCKS] += n->r->loop.now - begun;
    replay_unlock(n, lock);
}

void replay_woken(struct replay_node *n, uint32_t lock)
{
    replay_await(n, &n->woken);
    if (n->signalled != NULL) /* [cond.signal-time] */
        replay_acquire(n, n->signalled, OCCASION_SIGNAL);
    free(n->signalled);
    n->signalled = NULL;
    replay_lock(n, lock);
}

static uint32_t replay_cond_wakes_of(const struct replay_node *n, uint32_t number)
{
    const uint32_t *wakes = map_find(&n->r->conds->wakes[n->id].numbers, number);

    return wakes == NULL ? 0 : *wakes;
}

void replay_signal(struct replay_node *n, uint32_t cond, bool all, uint32_t number)
{
    struct replay_cond_signal *s;
    sim_time begun = replay_settle(n);

    if (!replay_clean(n, true)) /* [cond.signal-time] */
        begun = replay_close(n);
    s = FAIL_NEW(struct replay_cond_signal, NULL, n, cond, number, replay_cond_wakes_of(n, number),
                 replay_vt_copy(n->r, n->vt));
    if (n->r->protocol == REPLAY_ONESIDED)
        replay_cond_signal_by_guard(n, s, all);
    else
        replay_cond_send_signal(n, s);
    n->spent[SPENT_LOCKS] += n->r->loop.now - begun;
}
