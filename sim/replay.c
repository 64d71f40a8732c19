/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay.c - see replay.h: what a node does, item by item. */
#include "sim/replay.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

#define STACK_BYTES 65536

/* TS1: faults are in the time between items, but for what their handlers took. */
static void compute(struct replay_node *n, const struct script_op *op)
{
    const struct replay *r = n->r;
    uint64_t fault = op->kind == RECORD_READ || op->kind == RECORD_WRITE || op->kind == RECORD_LOOK
                         ? r->set[RECORD_SET_fault_units]
                         : 0;
    uint64_t units = op->time > fault ? op->time - fault : 0;

    n->debt += replay_units(r, units) * r->m.compute_percent / 100;
}

static void wrote(struct replay_node *n, const struct script_op *op)
{
    struct copy *c = copy_of(n, (uint32_t)op->arg[0]);

    c->shared->written = true;
    if (c->flags & COPY_EXCLUSIVE)
        return;
    c->changed = true;
    c->length += (uint32_t)op->arg[1];
    c->bytes += (uint32_t)op->arg[2];
}

static void reset_pages(struct replay_node *n, uint32_t first, uint32_t count)
{
    for (uint32_t p = first; p < first + count; p++) {
        struct copy *c = copy_of(n, p);
        struct shared *s = c->shared;
        struct copy empty = { .page = p, .shared = s, .listed = c->listed };
        if (replay_default_home(n->r, p) == n->id) {
            s->home = 0;
            s->readers = s->written = s->claimed = false;
            s->traced = 0;
            s->applied.count = 0;
        }
        empty.flags = c->flags & COPY_LISTED;
        empty.need = c->need;
        empty.need.count = 0;
        *c = empty;
        copy_begin(n, c);
    }
}

/* What stayed open in the traced run is taken to have been used, where it is closed here. */
static void note_renewed(struct replay_node *n, uint32_t page)
{
    n->renewed = grow(n->renewed, &n->renewed_room, n->renewed_count + 1, sizeof *n->renewed);
    n->renewed[n->renewed_count++] = page;
}

static void use_renewed(struct replay_node *n)
{
    for (uint32_t i = 0; i < n->renewed_count; i++)
        replay_access(n, n->renewed[i], false);
    n->renewed_count = 0;
}

static void perform(struct replay_node *n, const struct script_op *op)
{
    uint32_t first = (uint32_t)op->arg[0];

    switch (op->kind) {
    case RECORD_READ:
    case RECORD_LOOK:
        replay_access(n, first, false);
        return;
    case RECORD_WRITE:
    case SCRIPT_STORE:
        replay_access(n, first, true);
        return;
    case SCRIPT_WROTE:
        wrote(n, op);
        return;
    case RECORD_AHEAD:
        replay_ahead(n, op);
        return;
    case RECORD_RENEWED:
        note_renewed(n, first);
        return;
    case RECORD_TOUCH:
        replay_touch(n, first, (uint32_t)op->arg[1], op->arg[2] != 0);
        return;
    case RECORD_PREFETCH:
        replay_prefetch(n, first, (uint32_t)op->arg[1]);
        return;
    case RECORD_RESET:
        reset_pages(n, first, (uint32_t)op->arg[1]);
        return;
    case RECORD_LOCK:
        replay_lock(n, first);
        use_renewed(n);
        return;
    case RECORD_UNLOCK:
        replay_unlock(n, first);
        return;
    case RECORD_ARRIVE:
        replay_arrive(n);
        return;
    case RECORD_DEPART:
        replay_depart(n);
        use_renewed(n);
        return;
    case RECORD_PLACE: /* a hint */
        return;
    default:
        if (op->kind < RECORD_KIND_COUNT)
            n->r->passed[op->kind]++;
        return;
    }
}

static void run_node(void *arg)
{
    struct replay_node *n = arg;
    const struct script_op *op;

    while ((op = script_next(&n->script)) != NULL) {
        n->ops++;
        compute(n, op);
        if (op->kind == RECORD_END)
            break;
        perform(n, op);
    }
    replay_settle(n);
    n->ends = n->r->loop.now;
    if (n->script.wrong != NULL && n->r->wrong == NULL) {
        n->r->wrong = n->script.wrong;
        n->r->wrong_node = n->id;
    }
}

static void begin(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    n->ended = !fiber_run(n->fiber);
}

struct homes {
    struct replay *r;
    unsigned node;
};

static void note_home(void *self, uint32_t page)
{
    struct homes *h = self;
    struct shared *s = shared_of(h->r, page);

    if (s->traced == 0)
        s->traced = (uint16_t)(h->node + 1);
}

static void open_node(struct replay *r, unsigned id)
{
    struct replay_node *n = &r->node[id];

    n->r = r;
    n->id = id;
    n->vt = sim_new(r->nodes, sizeof *n->vt);
    n->fiber = fiber_new(run_node, n, STACK_BYTES);
    script_open(&n->script, r->trace, id);
    if (r->set[RECORD_SET_pages_by] == (r->protocol == REPLAY_ASYNC ? 1 : 2))
        script_homes(r->trace, id, note_home, &(struct homes){ r, id });
    event_at(&r->loop, 0, begin, n, 0);
}

void replay_run(struct replay *r, const struct trace *t, const struct machine *m,
                enum replay_protocol protocol)
{
    *r = (struct replay){ .trace = t, .m = *m, .protocol = protocol };
    memcpy(r->set, t->set, sizeof r->set);
    r->nodes = (unsigned)t->set[RECORD_SET_nodes];
    event_loop_init(&r->loop);
    r->node = sim_new(r->nodes, sizeof *r->node);
    for (int i = 0; i < 2; i++)
        r->meeting[i].vt = sim_new(r->nodes, sizeof *r->meeting[i].vt);
    for (unsigned n = 0; n < r->nodes; n++)
        open_node(r, n);
    event_loop_run(&r->loop);
}

static void free_node(struct replay_node *n)
{
    for (uint32_t i = 0; i < n->pages.count; i++) {
        free(n->copy[i]->need.at);
        free(n->copy[i]);
    }
    for (uint32_t i = 1; n->interval != NULL && i <= n->vt[n->id]; i++)
        free(n->interval[i].page);
    void *const all[] = { n->copy,  n->lock,      n->vt,       n->interval, n->dirty,
                          n->taken, n->exclusive, n->renewing, n->renewed };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    map_free(&n->pages);
    map_free(&n->lock_map);
    script_close(&n->script);
    fiber_free(n->fiber);
}

void replay_free(struct replay *r)
{
    for (unsigned n = 0; n < r->nodes; n++)
        free_node(&r->node[n]);
    for (uint32_t i = 0; i < r->pages.count; i++) {
        free(r->shared[i]->applied.at);
        free(r->shared[i]);
    }
    for (int i = 0; i < 2; i++)
        free(r->meeting[i].vt);
    free(r->shared);
    free(r->node);
    map_free(&r->pages);
    event_loop_free(&r->loop);
}
