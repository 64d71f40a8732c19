/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program.c - puts operations into the frame that plan.c made; see program.h for the rules. */
#include "tests/random/program.h"

#include <stdlib.h>
#include <string.h>

/* Where the making of the program is. */
struct maker {
    struct program *p;
    struct rng *r;
    int phase;
    bool between;
    uint32_t weight[OP_KINDS], weights;
    uint32_t sem, gives, takes; /* of this phase's group that are still to be made */
    int busy_actor;             /* does the next operations, in a burst */
    uint32_t burst;
};

static struct op *add_op(struct maker *m, enum op_kind kind, int actor)
{
    struct program *p = m->p;
    if (p->op_count == MAX_OPS)
        abort(); /* room() keeps enough for what is planned */
    struct op *op = &p->op[p->op_count++];
    *op = (struct op){ .kind = kind, .actor = actor, .phase = m->phase, .between = m->between };
    return op;
}

static bool room(const struct maker *m)
{
    return m->p->op_count < MAX_OPS - MAX_AREAS - 4 * MAX_ACTORS - MAX_AREAS * AREA_PAGES;
}

/* ---- what an actor may do with a range now ---- */

static bool range_lives(const struct maker *m, const struct range *g)
{
    const struct area *a = &m->p->area[g->area];
    if (m->phase < a->from || m->phase > a->to)
        return false;
    if (a->object)
        return !(m->between && m->phase == a->to);
    return !(a->placing && m->phase == a->from);
}

static bool owned_by(const struct maker *m, const struct range *g, int actor)
{
    return g->owner[m->phase] == actor && (!m->between || g->owner[m->phase + 1] == actor);
}

static bool frozen(const struct maker *m, const struct range *g)
{
    return g->owner[m->phase] == NOBODY || (m->between && g->owner[m->phase + 1] == NOBODY);
}

static bool locks_usable(const struct maker *m, uint32_t set)
{
    for (int i = 0; i < m->p->lock_count; i++)
        if ((set & 1u << i) && !resource_usable(&m->p->lock[i], m->phase, m->between))
            return false;
    return true;
}

/* An object is there between its OP_ALLOC and its OP_FREE, which the maker of the program does
 * first and last. */
static bool can_read(const struct maker *m, const struct range *g, int actor)
{
    if (!range_lives(m, g))
        return false;
    switch (g->kind) {
    case RANGE_OWNED:
        return owned_by(m, g, actor) || owned_by(m, g, NOBODY);
    case RANGE_LOCKED:
        return !m->between && frozen(m, g);
    case RANGE_UNUSED:
        return true;
    default:
        return false;
    }
}

static bool can_write(const struct maker *m, const struct range *g, int actor)
{
    return range_lives(m, g) && g->kind == RANGE_OWNED && owned_by(m, g, actor);
}

static bool can_lock(const struct maker *m, const struct range *g)
{
    return range_lives(m, g) && g->kind == RANGE_LOCKED && !frozen(m, g) &&
           locks_usable(m, g->guard);
}

/* A random range that fits, or -1. kind: 'r' read, 'w' write, 'l' under locks. */
static int find_range(struct maker *m, int actor, char use)
{
    for (int tries = 0; tries < 24; tries++) {
        uint32_t i = rng_below(m->r, m->p->range_count);
        const struct range *g = &m->p->range[i];
        if (use == 'r'   ? can_read(m, g, actor)
            : use == 'w' ? can_write(m, g, actor)
                         : can_lock(m, g))
            return (int)i;
    }
    return -1;
}

/* ---- operations ---- */

static void add_access(struct program *p, struct op *op, uint32_t range, bool write)
{
    struct range *g = &p->range[range];
    bool known = g->kind != RANGE_LOCKED || (!g->dynamic && op->locks == 0);
    op->access[op->count++] = (struct access){ range, known ? g->version : VERSION_ORACLE, write };
    if (write)
        g->version++;
}

/* Accesses without locks: one range, or several one after the other. */
static void make_accesses(struct maker *m, int actor, enum op_kind kind)
{
    struct op *op = NULL;
    for (uint32_t n = rng_between(m->r, 1, MAX_ACCESS); n > 0; n--) {
        int range = find_range(m, actor, kind == OP_WRITE ? 'w' : 'r');
        if (range < 0)
            continue;
        if (!op)
            op = add_op(m, kind, actor);
        add_access(m->p, op, (uint32_t)range, kind == OP_WRITE);
    }
}

/* One lock of the set. */
static uint32_t any_of(struct rng *r, uint32_t set)
{
    uint32_t lock;
    do
        lock = rng_below(r, MAX_LOCKS);
    while (!(set & 1u << lock));
    return 1u << lock;
}

static bool section_has(const struct op *op, uint32_t range)
{
    for (uint32_t i = 0; i < op->count; i++)
        if (op->access[i].range == range)
            return true;
    return false;
}

/* Accesses under locks; a range that a failed trylock may skip must be a dynamic one. */
static void make_section(struct maker *m, int actor, bool try)
{
    struct op *op = NULL;
    for (uint32_t n = rng_between(m->r, 1, MAX_ACCESS - 1); n > 0; n--) {
        int range = find_range(m, actor, 'l');
        if (range < 0 || (op && section_has(op, (uint32_t)range)))
            continue;
        const struct range *g = &m->p->range[range];
        bool write = rng_chance(m->r, 70) && (!try || g->dynamic);
        if (!op)
            op = add_op(m, try ? OP_TRY_SECTION : OP_SECTION, actor);
        op->locks |= write ? g->guard : any_of(m->r, g->guard);
        add_access(m->p, op, (uint32_t)range, write);
    }
    if (!op)
        return;
    /* something else while holding the locks */
    int own = find_range(m, actor, rng_chance(m->r, 50) ? 'w' : 'r');
    if (own >= 0 && !try && m->p->range[own].kind == RANGE_OWNED && rng_chance(m->r, 30))
        add_access(m->p, op, (uint32_t)own,
                   can_write(m, &m->p->range[own], actor) && rng_chance(m->r, 60));
}

static bool signal_suffices(const struct program *p, const struct baton *b)
{
    for (int i = 0; i < p->baton_count; i++)
        if (&p->baton[i] != b && p->baton[i].cond == b->cond)
            return false;
    return p->actors <= 2; /* then at most one thread waits */
}

static bool baton_usable(const struct maker *m, const struct baton *b)
{
    return resource_usable(&m->p->lock[b->lock], m->phase, m->between) &&
           (b->cond < 0 || resource_usable(&m->p->cond[b->cond], m->phase, m->between));
}

static void make_baton(struct maker *m, int actor)
{
    struct program *p = m->p;
    if (p->baton_count == 0)
        return;
    uint32_t i = rng_below(m->r, (uint32_t)p->baton_count);
    struct baton *b = &p->baton[i];
    if (!baton_usable(m, b))
        return;
    /* it goes around a few actors */
    for (uint32_t n = rng_between(m->r, 1, 5); n > 0 && room(m); n--) {
        struct op *op = add_op(m, OP_BATON, actor);
        op->target = i;
        op->a = b->turns++;
        op->b = signal_suffices(p, b);
        add_access(p, op, b->data, rng_chance(m->r, 75));
        actor = (int)rng_below(m->r, (uint32_t)p->actors);
    }
}

/* ---- semaphores: a group of operations per phase ---- */

static void begin_group(struct maker *m)
{
    m->gives = m->takes = 0;
    if (m->p->sem_count == 0 || rng_chance(m->r, 30))
        return;
    m->sem = rng_below(m->r, (uint32_t)m->p->sem_count);
    const struct sem *s = &m->p->sem[m->sem];
    if (resource_usable(&m->p->lock[s->lock], m->phase, false) &&
        resource_usable(&m->p->cond[s->cond], m->phase, false))
        m->gives = m->takes = rng_between(m->r, 1, 2 * (uint32_t)m->p->actors);
}

/* Gives first, then takes. */
static void make_group_op(struct maker *m)
{
    uint32_t *left = m->gives ? &m->gives : &m->takes;
    if (*left == 0)
        return;
    struct op *op =
        add_op(m, m->gives ? OP_GIVE : OP_TAKE, (int)rng_below(m->r, (uint32_t)m->p->actors));
    op->target = m->sem;
    op->a = rng_chance(m->r, 80); /* signal, or broadcast */
    --*left;
}

static void end_group(struct maker *m)
{
    while (m->gives || m->takes)
        make_group_op(m);
}

static void make_pool(struct maker *m, int actor)
{
    if (m->p->pool_count == 0)
        return;
    uint32_t i = rng_below(m->r, (uint32_t)m->p->pool_count);
    if (!locks_usable(m, 1u << m->p->pool_lock[i]))
        return;
    struct op *op = add_op(m, OP_POOL, actor);
    op->target = i;
    op->locks = 1u << m->p->pool_lock[i];
    op->a = rng_below(m->r, POOL_SLOTS);
    op->b = rng_chance(m->r, 90) ? rng_size(m->r, 1, 2000) : rng_size(m->r, 1, 20000);
}

static void make_churn(struct maker *m, int actor)
{
    struct op *op = add_op(m, OP_CHURN, actor);
    op->a = rng_between(m->r, 1, 12);
    op->b = rng_size(m->r, 1, 9000);
}

/* Hints and questions about some bytes of an area. */
static void make_hint(struct maker *m, int actor, enum op_kind kind)
{
    for (int tries = 0; tries < 8; tries++) {
        uint32_t i = rng_below(m->r, m->p->area_count);
        const struct area *a = &m->p->area[i];
        if (!area_usable(a, m->phase, m->between))
            continue;
        struct op *op = add_op(m, kind, actor);
        op->target = i;
        op->a = rng_below(m->r, a->bytes);
        op->b = rng_between(m->r, 0, a->bytes - op->a);
        op->touch_write = kind == OP_TOUCH && rng_chance(m->r, 50);
        return;
    }
}

static void make_word(struct maker *m, int actor)
{
    if (m->p->word_count == 0)
        return;
    uint32_t i = rng_below(m->r, (uint32_t)m->p->word_count);
    if (!resource_usable(&m->p->word[i], m->phase, m->between))
        return;
    struct op *op = add_op(m, OP_WORD, actor);
    op->target = i;
    op->a = rng_below(m->r, 3);       /* load, add or exchange, compare-and-exchange */
    op->b = rng_between(m->r, 1, 10); /* times */
}

/* A system call that is given shared memory: nothing else of this process may release or acquire
 * meanwhile. */
static void make_file(struct maker *m, int actor)
{
    int range = find_range(m, actor, 'w');
    if (m->p->threads > 1 || range < 0)
        return;
    struct op *op = add_op(m, OP_FILE, actor);
    op->a = rng_chance(m->r, 60); /* read from a file into the range, or write from it */
    add_access(m->p, op, (uint32_t)range, op->a);
}

static void make_sleep(struct maker *m, int actor)
{
    struct op *op = add_op(m, OP_SLEEP, actor);
    op->a = rng_size(m->r, 1, rng_chance(m->r, 5) ? 5000 : 300); /* microseconds */
    op->b = rng_chance(m->r, 50);                                /* busy */
}

static void make_op(struct maker *m, enum op_kind kind, int actor)
{
    switch (kind) {
    case OP_READ:
    case OP_WRITE:
        make_accesses(m, actor, kind);
        return;
    case OP_SECTION:
    case OP_TRY_SECTION:
        make_section(m, actor, kind == OP_TRY_SECTION);
        return;
    case OP_BATON:
        make_baton(m, actor);
        return;
    case OP_POOL:
        make_pool(m, actor);
        return;
    case OP_CHURN:
        make_churn(m, actor);
        return;
    case OP_PREFETCH:
    case OP_TOUCH:
    case OP_HOME:
        make_hint(m, actor, kind);
        return;
    case OP_WORD:
        make_word(m, actor);
        return;
    case OP_FILE:
        make_file(m, actor);
        return;
    case OP_SLEEP:
        make_sleep(m, actor);
        return;
    case OP_STATS:
        add_op(m, OP_STATS, actor);
        return;
    case OP_ALLOC:
    case OP_FREE:
    case OP_PLACE:
    case OP_GIVE:
    case OP_TAKE:
    case OP_NEW_LOCK:
    case OP_NEW_COND:
    case OP_NEW_WORD:
    case OP_KINDS:
        return; /* planned: make_planned, make_group_op */
    }
}

/* ---- what the plan says ---- */

static void make_new(struct maker *m, const struct resource *res, int count, enum op_kind kind)
{
    for (int i = 0; i < count; i++)
        if (res[i].cell >= 0 && res[i].change[m->phase] != NOBODY)
            add_op(m, kind, res[i].change[m->phase])->target = (uint32_t)i;
}

static void make_places(struct maker *m, uint32_t area)
{
    const struct area *a = &m->p->area[area];
    for (uint32_t page = 0; page < AREA_PAGES; page++) {
        if (a->placed[page] < 0)
            continue;
        struct op *op = add_op(m, OP_PLACE, (int)rng_below(m->r, (uint32_t)m->p->actors));
        op->target = area;
        op->a = page;
        op->b = (uint32_t)a->placed[page];
    }
}

/* At the beginning of a phase: what is new in it. */
static void make_planned(struct maker *m)
{
    struct program *p = m->p;
    make_new(m, p->lock, p->lock_count, OP_NEW_LOCK);
    make_new(m, p->cond, p->cond_count, OP_NEW_COND);
    make_new(m, p->word, p->word_count, OP_NEW_WORD);
    for (uint32_t i = 0; i < p->area_count; i++) {
        const struct area *a = &p->area[i];
        if (a->object && a->from == m->phase)
            add_op(m, OP_ALLOC, a->maker)->target = i;
        if (!a->object && a->placing && a->from == m->phase)
            make_places(m, i);
    }
}

static void make_frees(struct maker *m)
{
    for (uint32_t i = 0; i < m->p->area_count; i++) {
        const struct area *a = &m->p->area[i];
        if (!a->object || a->to != m->phase)
            continue;
        struct op *op = add_op(m, OP_FREE, a->breaker);
        op->target = i;
        for (uint32_t k = 0; k < a->count; k++)
            add_access(m->p, op, a->first + k, false);
    }
}

static void choose_weights(struct maker *m)
{
    static const uint32_t usual[OP_KINDS] = {
        [OP_READ] = 25, [OP_WRITE] = 25, [OP_SECTION] = 25, [OP_TRY_SECTION] = 4, [OP_BATON] = 6,
        [OP_POOL] = 4,  [OP_CHURN] = 3,  [OP_PREFETCH] = 4, [OP_TOUCH] = 3,       [OP_HOME] = 2,
        [OP_WORD] = 4,  [OP_FILE] = 2,   [OP_SLEEP] = 3,    [OP_STATS] = 1,
    };
    for (int k = 0; k < OP_KINDS; k++) {
        uint32_t factor = rng_below(m->r, 4); /* each program has its own likings */
        m->weight[k] = usual[k] * factor * factor;
        m->weights += m->weight[k];
    }
    m->weight[OP_READ] += 10;
    m->weight[OP_WRITE] += 10;
    m->weights += 20;
}

static enum op_kind some_kind(struct maker *m)
{
    uint32_t dice = rng_below(m->r, m->weights), k = 0;
    while (dice >= m->weight[k])
        dice -= m->weight[k++];
    return (enum op_kind)k;
}

static void make_ops(struct maker *m, uint32_t count)
{
    while (count-- && room(m)) {
        if (m->burst == 0) {
            m->busy_actor = (int)rng_below(m->r, (uint32_t)m->p->actors);
            m->burst = rng_size(m->r, 1, 8);
        }
        m->burst--;
        if (rng_chance(m->r, 10))
            make_group_op(m);
        make_op(m, some_kind(m), m->busy_actor);
    }
}

static void make_phase(struct maker *m, uint32_t ops)
{
    struct program *p = m->p;
    struct phase *ph = &p->phase[m->phase];
    ph->first = p->op_count;
    m->between = false;
    make_planned(m);
    begin_group(m);
    make_ops(m, rng_between(m->r, 0, ops));
    end_group(m);
    make_frees(m);
    ph->between = p->op_count;
    m->between = true;
    if (ph->how == END_SPLIT)
        make_ops(m, rng_between(m->r, 0, ops / 3));
    ph->end = p->op_count;
}

void program_make(struct program *p, uint64_t seed, int nodes, int threads)
{
    struct rng r = { seed };
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->nodes = (int)rng_between(&r, 1, rng_chance(&r, 70) ? 4 : MAX_NODES);
    p->threads = rng_chance(&r, 50) ? 1 : (int)rng_between(&r, 2, MAX_THREADS);
    if (nodes)
        p->nodes = nodes;
    if (threads)
        p->threads = threads;
    p->actors = p->nodes * p->threads;
    p->phases = (int)rng_between(&r, 2, rng_chance(&r, 70) ? 8 : MAX_PHASES);
    p->churn = p->threads > 1 && rng_chance(&r, 25);
    plan_make(p, &r);
    struct maker m = { .p = p, .r = &r };
    choose_weights(&m);
    uint32_t ops = rng_size(&r, 40, 5000) / (uint32_t)p->phases;
    for (m.phase = 0; m.phase < p->phases; m.phase++)
        make_phase(&m, 2 * ops);
}

/* ---- cutting ---- */

static void forget_versions(struct program *p)
{
    for (uint32_t i = 0; i < p->range_count; i++)
        p->range[i].version = 0;
    for (uint32_t i = 0; i < p->op_count; i++)
        for (uint32_t k = 0; k < p->op[i].count; k++)
            if (p->op[i].access[k].write)
                p->range[p->op[i].access[k].range].version++;
}

void program_cut(struct program *p, uint32_t ops)
{
    if (ops >= p->op_count)
        return;
    p->op_count = ops;
    for (int i = 0; i < p->phases; i++) {
        struct phase *ph = &p->phase[i];
        if (ph->end <= ops)
            continue;
        p->phases = i + 1;
        ph->between = ph->between < ops ? ph->between : ops;
        ph->end = ops;
        if (ph->how != END_SPLIT)
            ph->how = END_BARRIER;
    }
    forget_versions(p);
}
