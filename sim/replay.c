/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay.c - see replay.h: executes a node's script, item by item. */
#include "sim/replay.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

#define STACK_BYTES 65536

static void replay_add_use(struct replay_node *n, struct replay_use use)
{
    *MAP_PUSH(n->use, n->uses, n->use_room) = use;
}

/* The time of the last store is unknown. If the page was closed, or stopped being unshared, after
 * the first store, there was a later one. */
static void sim_replay_change(struct replay_node *n, const struct replay_use *u)
{
    struct replay_copy *c = replay_copy_of(n, u->page);

    c->shared->written = true;
    if (c->worded && !(c->flags & (COPY_DIRTY | COPY_EXCLUSIVE)))
        return;
    if (!(c->flags & (COPY_DIRTY | COPY_EXCLUSIVE)))
        replay_access(n, u->page, true);
    if (c->flags & COPY_EXCLUSIVE)
        return;
    c->changed = true;
    c->length += u->length;
    c->bytes += u->bytes;
}

static void replay_change_all(struct replay_node *n)
{
    uint32_t kept = 0;
    bool any = false;

    for (uint32_t i = 0; i < n->uses; i++)
        any = any || n->use[i].what == USE_CHANGED;
    if (any)
        replay_settle(n);
    for (uint32_t i = 0; i < n->uses; i++)
        if (n->use[i].what == USE_CHANGED)
            sim_replay_change(n, &n->use[i]);
        else if (n->use[i].what == USE_RENEWED)
            n->use[kept++] = n->use[i];
    n->uses = kept;
}

static void replay_use_renewed(struct replay_node *n)
{
    for (uint32_t i = 0; i < n->uses; i++)
        if (n->use[i].what == USE_RENEWED)
            n->use[i].what = USE_LOAD;
}

/* Pages that the program opens itself, or prefetches, are used after that. */
static void replay_use_touched(struct replay_node *n, uint64_t first, uint64_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n->uses; i++) {
        bool within = n->use[i].page >= first && n->use[i].page - first < count;
        if (n->use[i].what != USE_LOAD || !within)
            n->use[kept++] = n->use[i];
    }
    n->uses = kept;
}

static bool replay_takes_time(const struct replay_use *u)
{
    return u->what == USE_LOAD || u->what == USE_STORE;
}

/* Computes for that long, and performs the due accesses during it. */
static void replay_spend(struct replay_node *n, sim_time length)
{
    uint32_t slices = 1;

    for (uint32_t i = 0; i < n->uses; i++)
        slices += replay_takes_time(&n->use[i]);
    n->debt += length - length / slices * (slices - 1);
    for (uint32_t i = 0; i < n->uses; i++)
        if (replay_takes_time(&n->use[i])) {
            replay_access(n, n->use[i].page, n->use[i].what == USE_STORE);
            n->debt += length / slices;
        }
    replay_change_all(n);
}

/* The time between items contains faults, but not the time of their handlers. */
static sim_time replay_computes_for(struct replay_node *n, const struct script_op *op)
{
    uint64_t ns = spans_of_item(n->r->trace, op->kind, op->time);

    return (n->pace.here.count > 0 ? spans_pace_next(&n->pace, op->kind, ns) : ns) * SIM_NS;
}

static void replay_compute(struct replay_node *n, const struct script_op *op)
{
    sim_time length = replay_computes_for(n, op) * n->r->m.compute_percent / 100;

    n->computed += length;
    if (op->kind != RECORD_TOUCH && op->kind != RECORD_PREFETCH) {
        replay_spend(n, length);
        return;
    }
    n->debt += length;
    replay_use_touched(n, op->arg[0], op->arg[1]);
}

static void replay_add_loads(struct replay_node *n, uint64_t first, uint64_t count)
{
    for (uint64_t p = first; p < first + count && p < n->r->set[RECORD_SET_pages]; p++)
        if (replay_shared_of(n->r, (uint32_t)p)->written)
            replay_add_use(n, (struct replay_use){ .page = (uint32_t)p, .what = USE_LOAD });
}

/* For pages opened for stores, flushes show which were used. */
static void replay_note_ahead(struct replay_node *n, const struct script_op *op)
{
    replay_ahead(n, op);
    if ((op->arg[3] & (RECORD_STORES | RECORD_CLAIMS)) != 0 || !op->used)
        return;
    replay_add_loads(n, op->arg[0], op->arg[2]);
}

/* Notes an event during the computation before the next item; false if it is none. */
static bool replay_note(struct replay_node *n, const struct script_op *op)
{
    uint32_t page = (uint32_t)op->arg[0];

    switch (op->kind) {
    case RECORD_AHEAD:
        replay_note_ahead(n, op);
        return true;
    case RECORD_RENEWED: /* by the next acquire, or by a round of home migration */
        replay_add_use(n, (struct replay_use){ .page = page, .what = USE_RENEWED });
        return true;
    case SCRIPT_STORE:
        replay_add_use(n, (struct replay_use){ .page = page, .what = USE_STORE });
        return true;
    case SCRIPT_WROTE:
        replay_add_use(n, (struct replay_use){ page, (uint32_t)op->arg[1], (uint32_t)op->arg[2],
                                               USE_CHANGED });
        return true;
    default:
        return false;
    }
}

static void replay_reset_pages(struct replay_node *n, uint32_t first, uint32_t count)
{
    for (uint32_t p = first; p < first + count; p++) {
        struct replay_copy *c = replay_copy_of(n, p);
        struct replay_shared *s = c->shared;
        replay_finish(n, c);
        struct replay_copy empty = { .page = p, .shared = s, .listed = c->listed };
        if (replay_default_home(n->r, p) == n->id) {
            s->home = 0;
            s->readers = s->written = s->claimed = s->placed = false;
            s->traced = s->tried = 0;
            s->applied.count = 0;
        }
        empty.flags = c->flags & COPY_LISTED;
        empty.need = c->need;
        empty.need.count = 0;
        *c = empty;
        replay_copy_shut(n, p);
        replay_copy_begin(n, c);
    }
}

/* The traced run decides the home; if it is this one it stays. */
static void replay_place_pages(const struct replay_node *n, uint32_t first, uint32_t count,
                               uint32_t at)
{
    for (uint32_t p = first; p < first + count && p < n->r->set[RECORD_SET_pages]; p++) {
        struct replay_shared *s = replay_shared_of(n->r, p);
        s->placed = s->placed || s->home == 0 || s->home == at + 1;
    }
}

/* Where the node's time during an item is counted, beside pages and flushes; SPENT_KINDS: nowhere.
 * replay_cond.c counts the other operations on conditions. */
static unsigned replay_spends(unsigned kind)
{
    switch (kind) {
    case RECORD_LOCK:
    case RECORD_BUSY:
    case RECORD_WOKEN:
        return SPENT_LOCKS;
    case RECORD_DEPART:
    case RECORD_GROUP:
        return SPENT_BARRIERS;
    default:
        return SPENT_KINDS;
    }
}

static void replay_perform_item(struct replay_node *n, const struct script_op *op)
{
    uint32_t first = (uint32_t)op->arg[0], count = (uint32_t)op->arg[1];

#define ON(kind, action) \
    case RECORD_##kind:  \
        action;          \
        return
    switch (op->kind) {
        ON(READ, replay_access(n, first, false));
        ON(LOOK, replay_access(n, first, false));
        ON(WRITE, replay_access(n, first, true));
        ON(TOUCH, replay_touch(n, first, count, op->arg[2] != 0));
        ON(PREFETCH, replay_prefetch(n, first, count);
           replay_add_loads(n, first, op->arg[1])); /* the program declared the use */
        ON(RESET, replay_reset_pages(n, first, count));
        ON(PLACE, replay_place_pages(n, first, count, (uint32_t)op->arg[2]));
        ON(LOCK, COUNT(n, lock_acquires, 1); replay_lock(n, first));
        ON(BUSY, replay_try(n, first));
        ON(UNLOCK, replay_unlock(n, first));
        ON(ARRIVE, replay_arrive(n, op->arg[0] != 0));
        ON(DEPART, replay_depart(n));
        ON(MEMBER, replay_member(n, op));
        ON(GROUP, replay_group(n, first));
        ON(WAIT, replay_wait(n, first, count));
        ON(WOKEN, replay_woken(n, first));
        ON(SIGNAL, replay_signal(n, first, op->arg[1] != 0, (uint32_t)op->arg[2]));
        ON(ATOMIC, replay_atomic_word(n, first % n->r->nodes));
        ON(PART, replay_part(n, first, count, op->arg[2] != 0));
        ON(EXPECT, replay_expect(n, first, count));
        ON(WORD, replay_word(n, first));
        ON(PUT, replay_transfer(n, op));
        ON(GET, replay_transfer(n, op));
        ON(FENCE, replay_fence(n, op));
        ON(MUTEX, replay_mutex(n, op));
        ON(UNMUTEX, replay_mutex(n, op));
        ON(ACC, replay_accumulate(n, op));
        ON(RMW, replay_change(n, op));
    default:
        return;
    }
#undef ON
}

static void replay_perform(struct replay_node *n, const struct script_op *op)
{
    unsigned spends = replay_spends(op->kind);
    sim_time begun = spends < SPENT_KINDS ? replay_settle(n) : 0;

    replay_perform_item(n, op);
    if (spends < SPENT_KINDS)
        n->spent[spends] += n->r->loop.now - begun;
    if (script_is_acquire(op->kind))
        replay_use_renewed(n);
}

static void replay_run_node(void *arg)
{
    struct replay_node *n = arg;
    const struct script_op *op;

    while ((op = script_next(&n->script)) != NULL) {
        n->ops++;
        if (replay_note(n, op))
            continue;
        if (!script_is_acquire(op->kind))
            replay_use_renewed(n);
        replay_compute(n, op);
        if (op->kind == RECORD_END)
            break;
        replay_perform(n, op);
    }
    replay_spend(n, 0);
    replay_settle(n);
    n->ends = n->r->loop.now;
    replay_copies_each(n, replay_finish); /* hlrc_finalize */
    if (n->script.wrong != NULL && n->r->wrong == NULL) {
        n->r->wrong = n->script.wrong;
        n->r->wrong_node = n->id;
    }
}

struct replay_homes {
    struct replay *r;
    unsigned node;
};

static void replay_note_home(void *self, uint32_t page, enum script_home what, uint32_t arrivals)
{
    struct replay_homes *h = self;
    struct replay_shared *s = replay_shared_of(h->r, page);

    if (what == HOME_TRIED && s->tried == 0)
        s->tried = (uint16_t)(h->node + 1);
    if (what == HOME_ELSEWHERE && s->traced != h->node + 1) {
        s->wrote = (uint16_t)(h->node + 1);
        s->tried = s->tried == s->wrote ? 0 : s->tried; /* it did not become home */
    }
    if (what != HOME_HERE || s->wrote == h->node + 1 ||
        (s->traced != 0 && s->traced_at <= arrivals))
        return;
    s->traced = (uint16_t)(h->node + 1);
    s->traced_at = arrivals;
}

static void replay_open_node(struct replay *r, unsigned id)
{
    struct replay_node *n = &r->node[id];

    n->r = r;
    n->id = id;
    n->vt = replay_vt_copy(r, NULL);
    n->noticed = replay_vt_copy(r, NULL);
    n->fiber = fiber_new(replay_run_node, n, STACK_BYTES);
    script_open(&n->script, r->trace, id);
    if (r->set[RECORD_SET_pages_by] == (r->protocol == REPLAY_ASYNC ? 1 : 2))
        script_homes(r->trace, id, replay_note_home, &(struct replay_homes){ r, id });
    event_at(&r->loop, 0, replay_resume, n, 0);
}

/* Shows how far the scripts have been read. */
static void replay_look(void *self)
{
    struct replay *r = self;
    uint64_t done = 0, all = 0;

    if (!progress_due(&r->progress))
        return;
    for (unsigned n = 0; n < r->nodes; n++) {
        const struct trace_part *p = &r->trace->part[n];
        done += (uint64_t)(r->node[n].script.stream.at - p->stream);
        all += (uint64_t)(p->stream_end - p->stream);
    }
    progress_show(&r->progress, done, all, r->loop.done);
}

enum replay_protocol replay_protocol_named(const char *name)
{
    static const char *const names[] = { "async", "ardmar", "onesided" };

    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum replay_protocol)i;
    fail_with(SIM_WRONG_USE, "--protocol %s: no such protocol; choose async, ardmar or onesided",
              name);
}

static bool replay_as_traced(const struct replay *r)
{
    struct run_options_option o;

    if ((r->trace->set[RECORD_SET_pages_by] == 1) != (r->protocol == REPLAY_ASYNC))
        return false;
    for (unsigned i = 0; run_options_entry(i, &o); i++)
        if (r->set[o.at] != r->trace->set[o.at])
            return false;
    return true;
}

void replay_run(struct replay *r, const struct trace *t, const struct machine *m,
                const struct replay_wish *wish)
{
    *r = (struct replay){ .trace = t, .m = *m, .protocol = wish->protocol };
    memcpy(r->set, wish->set != NULL ? wish->set : t->set, sizeof r->set);
    r->decisions = wish->decisions;
    r->system = wish->system;
    memcpy(r->between, wish->between, sizeof r->between);
    r->own_ahead = r->decisions != NULL || !replay_as_traced(r);
    r->nodes = (unsigned)t->set[RECORD_SET_nodes];
    event_loop_init(&r->loop);
    r->node = fail_alloc(r->nodes, sizeof *r->node);
    for (int i = 0; i < 2; i++)
        r->meeting[i].vt = replay_vt_copy(r, NULL);
    replay_conds_begin(r);
    for (unsigned n = 0; n < r->nodes; n++) {
        replay_open_node(r, n);
        if (wish->times != NULL)
            (void)spans_pace_begin(&r->node[n].pace, t, wish->times, n);
    }
    progress_begin(&r->progress);
    r->loop.look = replay_look;
    r->loop.look_self = r;
    event_loop_run(&r->loop);
    progress_end(&r->progress);
}

static void replay_free_copy(struct replay_node *n, struct replay_copy *c)
{
    (void)n;
    free(c->need.at);
    free(c);
}

static void replay_free_node(struct replay_node *n)
{
    replay_copies_each(n, replay_free_copy);
    for (uint32_t i = 0; i < n->chunks.count; i++)
        free(((struct replay_chunk *)n->chunks.value[i])->copy);
    for (uint32_t i = 1; n->interval != NULL && i <= n->vt[n->id]; i++)
        free(n->interval[i].page);
    for (uint32_t i = 0; i < n->locks.count; i++) {
        const struct replay_lock_here *l = n->locks.value[i];
        free(l->time);
        free(l->got);
    }
    void *const all[] = { n->vt,  n->interval, n->dirty,  n->taken, n->exclusive, n->renewing,
                          n->use, n->habits,   n->reader, n->block, n->noticed };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(n->signalled);
    replay_moves_free(n);
    replay_groups_free(n);
    map_free(&n->chunks);
    map_free(&n->locks);
    script_close(&n->script);
    spans_pace_end(&n->pace);
    fiber_free(n->fiber);
}

void replay_free(struct replay *r)
{
    replay_conds_free(r);
    for (unsigned n = 0; n < r->nodes; n++)
        replay_free_node(&r->node[n]);
    for (uint32_t i = 0; i < r->pages.count; i++) {
        const struct replay_shared *s = r->pages.value[i];
        free(s->applied.at);
        free(s->announced);
    }
    for (int i = 0; i < 2; i++)
        free(r->meeting[i].vt);
    for (unsigned i = 0; r->gathered != NULL && i < 4 * r->nodes; i++)
        free(r->gathered[i].vt);
    free(r->gathered);
    free(r->node);
    map_free(&r->pages);
    event_loop_free(&r->loop);
}
