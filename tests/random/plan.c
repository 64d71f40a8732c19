/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plan.c - the frame of a random program: which memory, locks and the like there are, when they
 * come and go, and who may use what in which phase. The operations are put into it by program.c.
 */
#include "tests/random/program.h"

#include <stddef.h>
#include <string.h>

/* What kind of program this is going to be. */
struct taste {
    uint32_t size_max;       /* of a range */
    uint32_t pages_max;      /* of an area */
    uint32_t locked, unused; /* percent of the ranges */
    uint32_t sticky, shared; /* percent: a range keeps its owner; all may read it */
    uint32_t remake;         /* percent: a resource is made anew in a phase */
};

/* A range that area 0 must have, and what it is for. */
struct special {
    enum range_kind kind;
    uint32_t owner, len;
    uint32_t *where; /* its number goes here */
};

struct specials {
    struct special item[MAX_CELLS + 2 * MAX_BATONS + MAX_SEMS + MAX_POOLS];
    uint32_t count;
};

static int8_t some_actor(const struct program *p, struct rng *r)
{
    return (int8_t)rng_below(r, (uint32_t)p->actors);
}

bool resource_usable(const struct resource *res, int phase, bool between)
{
    if (res->cell < 0)
        return true;
    return phase > 0 && res->change[phase] == NOBODY &&
           (!between || res->change[phase + 1] == NOBODY);
}

/* Whether everybody knows where the area is, and may use it in ways that are no access. */
bool area_usable(const struct area *a, int phase, bool between)
{
    if (!a->object)
        return phase >= a->from && phase <= a->to && !(a->placing && phase == a->from);
    return phase > a->from && phase + between < a->to;
}

/* ---- locks, condition variables, atomic words ---- */

static int new_cell(struct program *p)
{
    return p->cell_count < MAX_CELLS ? p->cell_count++ : -1;
}

static void make_resource(struct program *p, struct rng *r, const struct taste *t,
                          struct resource *res)
{
    res->cell = new_cell(p);
    for (int ph = 0; ph <= MAX_PHASES; ph++)
        res->change[ph] =
            ph < p->phases && (ph == 0 || rng_chance(r, t->remake)) ? some_actor(p, r) : NOBODY;
}

static void make_static_lock(struct program *p, struct rng *r, struct resource *res)
{
    bool taken = true;
    res->cell = -1;
    while (taken) {
        res->number = rng_below(r, 1024);
        taken = false;
        for (int i = 0; i < p->lock_count; i++)
            if (&p->lock[i] != res && p->lock[i].cell < 0 && p->lock[i].number == res->number)
                taken = true;
    }
    memset(res->change, NOBODY, sizeof res->change);
}

static void make_resources(struct program *p, struct rng *r, const struct taste *t)
{
    p->lock_count = (int)rng_between(r, 2, MAX_LOCKS);
    p->cond_count = (int)rng_between(r, 0, MAX_CONDS);
    p->word_count = (int)rng_between(r, 0, MAX_WORDS);
    for (int i = 0; i < MAX_LOCKS; i++)
        p->lock[i].cell = 0; /* not a static one yet */
    for (int i = 0; i < p->lock_count; i++) {
        if (rng_chance(r, 50))
            make_static_lock(p, r, &p->lock[i]);
        else
            make_resource(p, r, t, &p->lock[i]);
    }
    for (int i = 0; i < p->cond_count; i++)
        make_resource(p, r, t, &p->cond[i]);
    for (int i = 0; i < p->word_count; i++)
        make_resource(p, r, t, &p->word[i]);
}

/* A lock that is no baton's, pool's: those hold theirs for what is not a section. */
static uint32_t some_lock(const struct program *p, struct rng *r)
{
    return rng_below(r, (uint32_t)p->lock_count);
}

/* The last condition variables are those of semaphores. */
static void make_sems(struct program *p, struct rng *r)
{
    int most = p->cond_count < MAX_SEMS ? p->cond_count : MAX_SEMS;
    p->sem_count = p->actors > 1 ? (int)rng_between(r, 0, (uint32_t)most) : 0;
    for (int i = 0; i < p->sem_count; i++)
        p->sem[i] = (struct sem){ .lock = some_lock(p, r), .cond = p->cond_count - 1 - i };
}

static void make_batons(struct program *p, struct rng *r)
{
    uint32_t conds = (uint32_t)(p->cond_count - p->sem_count);
    p->baton_count = p->actors > 1 ? (int)rng_between(r, 0, MAX_BATONS) : 0;
    for (int i = 0; i < p->baton_count; i++) {
        struct baton *b = &p->baton[i];
        b->lock = some_lock(p, r);
        b->cond = conds && rng_chance(r, 50) ? (int)rng_below(r, conds) : -1;
    }
    /* all threads that wait on a condition variable use one lock */
    for (int i = 0; i < p->baton_count; i++)
        for (int k = 0; k < i; k++)
            if (p->baton[i].cond >= 0 && p->baton[k].cond == p->baton[i].cond)
                p->baton[i].lock = p->baton[k].lock;
    p->pool_count = (int)rng_between(r, 0, MAX_POOLS);
    for (int i = 0; i < p->pool_count; i++)
        p->pool_lock[i] = some_lock(p, r);
}

/* ---- memory ---- */

static struct range *add_range(struct program *p, struct area *a, enum range_kind kind,
                               uint32_t len)
{
    struct range *g = &p->range[p->range_count++];
    *g = (struct range){
        .kind = kind, .area = (uint32_t)(a - p->area), .off = a->bytes, .len = len
    };
    memset(g->owner, NOBODY, sizeof g->owner);
    a->bytes += len;
    a->count++;
    return g;
}

static uint32_t some_guard(const struct program *p, struct rng *r)
{
    uint32_t locks = rng_chance(r, 70) ? 1 : rng_between(r, 2, 3), set = 0;
    while (locks--)
        set |= 1u << some_lock(p, r);
    return set;
}

/* Rights of one OWNED range in all phases. */
static void assign_owners(const struct program *p, struct rng *r, const struct taste *t,
                          struct range *g)
{
    int8_t owner = some_actor(p, r);
    for (int ph = 0; ph <= p->phases; ph++) {
        if (!rng_chance(r, t->sticky))
            owner = rng_chance(r, t->shared) ? NOBODY : some_actor(p, r);
        g->owner[ph] = owner;
    }
}

static void assign_frozen(const struct program *p, struct rng *r, struct range *g)
{
    for (int ph = 0; ph <= p->phases; ph++)
        g->owner[ph] = rng_chance(r, 15) ? NOBODY : 0;
}

static void add_data_range(struct program *p, struct rng *r, const struct taste *t, struct area *a,
                           uint32_t len)
{
    uint32_t kind = rng_below(r, 100);
    if (kind < t->unused) {
        add_range(p, a, RANGE_UNUSED, len);
    } else if (kind < t->unused + t->locked) {
        struct range *g = add_range(p, a, RANGE_LOCKED, len);
        g->guard = some_guard(p, r);
        g->dynamic = rng_chance(r, 20);
        assign_frozen(p, r, g);
    } else {
        assign_owners(p, r, t, add_range(p, a, RANGE_OWNED, len));
    }
}

static void add_special(struct specials *s, enum range_kind kind, uint32_t owner, uint32_t len,
                        uint32_t *where)
{
    s->item[s->count++] = (struct special){ kind, owner, len, where };
}

static void collect_specials(struct program *p, struct rng *r, struct specials *s)
{
    s->count = 0;
    for (int i = 0; i < p->cell_count; i++)
        add_special(s, RANGE_CELL, (uint32_t)i, 8, &p->cell_range[i]);
    for (int i = 0; i < p->pool_count; i++)
        add_special(s, RANGE_POOL, (uint32_t)i, POOL_SLOTS * 16, &p->pool_range[i]);
    for (int i = 0; i < p->sem_count; i++)
        add_special(s, RANGE_COUNT, (uint32_t)i, 8, &p->sem[i].count);
    for (int i = 0; i < p->baton_count; i++) {
        add_special(s, RANGE_TOKEN, (uint32_t)i, 8, &p->baton[i].token);
        add_special(s, RANGE_BATON, (uint32_t)i, rng_size(r, 1, 5000), &p->baton[i].data);
    }
    for (uint32_t i = s->count; i > 1; i--) {
        uint32_t k = rng_below(r, i);
        struct special swap = s->item[k];
        s->item[k] = s->item[i - 1];
        s->item[i - 1] = swap;
    }
}

/* Words are aligned; what lies before them is a range of its own. */
static void place_special(struct program *p, struct rng *r, const struct taste *t, struct area *a,
                          const struct special *s)
{
    uint32_t gap = (8 - a->bytes % 8) % 8;
    if (s->kind != RANGE_BATON && gap)
        add_data_range(p, r, t, a, gap);
    *s->where = p->range_count;
    add_range(p, a, s->kind, s->len)->guard = s->owner;
}

#define AREA_RANGES 300

static void fill_area(struct program *p, struct rng *r, const struct taste *t, struct area *a,
                      struct specials *s)
{
    uint32_t target = rng_between(r, 1, t->pages_max * 4096), left = s ? s->count : 0;
    a->first = p->range_count;
    while ((a->bytes < target && a->count < AREA_RANGES) || left) {
        if (left && rng_chance(r, 25))
            place_special(p, r, t, a, &s->item[--left]);
        else if (a->bytes < target && a->count < AREA_RANGES)
            add_data_range(p, r, t, a, rng_size(r, 1, t->size_max));
        else
            place_special(p, r, t, a, &s->item[--left]);
    }
}

static struct area *add_area(struct program *p, bool object, int from)
{
    struct area *a = &p->area[p->area_count++];
    *a = (struct area){ .object = object, .from = from, .to = MAX_PHASES, .cell = -1 };
    memset(a->placed, -1, sizeof a->placed);
    return a;
}

static void choose_places(const struct program *p, struct rng *r, struct area *a)
{
    uint32_t pages = (a->bytes + 4095) / 4096;
    a->placing = rng_chance(r, 40);
    for (uint32_t i = 0; i < pages && i < AREA_PAGES && a->placing; i++)
        if (rng_chance(r, 70))
            a->placed[i] = (int8_t)rng_below(r, (uint32_t)p->nodes);
}

static struct area *make_area(struct program *p, struct rng *r, const struct taste *t, int from)
{
    struct area *a = add_area(p, false, from);
    fill_area(p, r, t, a, NULL);
    choose_places(p, r, a);
    return a;
}

/* ---- objects ---- */

static void plan_object(struct program *p, struct rng *r, struct area *a)
{
    a->maker = some_actor(p, r);
    a->breaker = some_actor(p, r);
    a->align = 1u << rng_between(r, 4, 13);
    if (rng_chance(r, 60))
        a->align = 0; /* hlrc_malloc */
    if (a->from + 1 < p->phases && rng_chance(r, 70))
        a->to = (int)rng_between(r, (uint32_t)a->from + 1, (uint32_t)p->phases - 1);
}

/* An object's ranges belong to its maker and its breaker in the phases in which its address
 * changes. */
static void bind_object(struct program *p, const struct area *a)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        struct range *g = &p->range[i];
        g->kind = RANGE_OWNED;
        g->owner[a->from] = a->maker;
        if (a->to < p->phases)
            g->owner[a->to] = a->breaker;
    }
}

static void make_objects(struct program *p, struct rng *r, const struct taste *t)
{
    for (uint32_t n = rng_between(r, 0, 14); n > 0; n--) {
        int cell = new_cell(p);
        if (cell < 0)
            return;
        struct area *a = add_area(p, true, (int)rng_below(r, (uint32_t)p->phases));
        struct taste own = *t;
        own.locked = own.unused = 0;
        own.pages_max = rng_chance(r, 80) ? 1 : 3;
        own.size_max = rng_size(r, 1, 1000);
        a->cell = cell;
        plan_object(p, r, a);
        a->first = p->range_count;
        for (uint32_t k = rng_between(r, 1, 4); k > 0; k--)
            add_data_range(p, r, &own, a, rng_size(r, 1, own.size_max));
        bind_object(p, a);
    }
}

/* ---- phases ---- */

static struct area *some_area_to_free(struct program *p, struct rng *r, int phase)
{
    for (uint32_t tries = 0; tries < 4; tries++) {
        struct area *a = &p->area[rng_below(r, p->area_count)];
        if (!a->object && a != &p->area[0] && a->from <= phase && a->to == MAX_PHASES)
            return a;
    }
    return NULL;
}

static void plan_end(struct program *p, struct rng *r, const struct taste *t, int phase)
{
    struct phase *ph = &p->phase[phase];
    uint32_t dice = rng_below(r, 100);
    struct area *a;
    ph->how = END_BARRIER;
    ph->root = (int)rng_below(r, (uint32_t)p->nodes);
    if (dice < 30) {
        ph->how = END_SPLIT;
    } else if (dice < 40) {
        ph->how = END_BROADCAST;
        ph->arg = rng_chance(r, 80) ? rng_size(r, 1, 5000) - 1 : rng_size(r, 1, 200000);
    } else if (dice < 60 && p->area_count < MAX_AREAS &&
               p->range_count < MAX_RANGES - 2 * AREA_RANGES) {
        ph->how = END_MALLOC_ALL;
        ph->arg = (uint32_t)(make_area(p, r, t, phase + 1) - p->area);
    } else if (dice < 75 && (a = some_area_to_free(p, r, phase)) != NULL) {
        ph->how = END_FREE_ALL;
        ph->arg = (uint32_t)(a - p->area);
        a->to = phase;
    }
}

static struct taste some_taste(struct rng *r)
{
    static const uint32_t sizes[] = { 8, 40, 300, 2000, RANGE_MAX };
    struct taste t = { .size_max = sizes[rng_below(r, 5)],
                       .pages_max = rng_size(r, 1, AREA_PAGES - 8),
                       .locked = rng_between(r, 0, 60),
                       .unused = rng_between(r, 0, 10),
                       .sticky = rng_between(r, 10, 90),
                       .shared = rng_between(r, 10, 60),
                       .remake = rng_between(r, 0, 10) };
    if (rng_chance(r, 4)) { /* long runs of pages */
        t.size_max = RANGE_MAX;
        t.pages_max = 400;
    }
    return t;
}

void plan_make(struct program *p, struct rng *r)
{
    struct taste t = some_taste(r);
    struct specials s;
    make_resources(p, r, &t);
    make_sems(p, r);
    make_batons(p, r);
    add_area(p, false, 0); /* area 0, which holds the cells of all others */
    make_objects(p, r, &t);
    collect_specials(p, r, &s);
    fill_area(p, r, &t, &p->area[0], &s);
    if (rng_chance(r, 50))
        make_area(p, r, &t, 0)->fresh = true;
    for (int ph = 0; ph < p->phases; ph++)
        plan_end(p, r, &t, ph);
}
