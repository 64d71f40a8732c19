/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* depend.c - see depend.h for the invariants. */
#include "compat/openmp/depend.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "compat/start/start.h"

struct depend_list {
    struct depend_dependence **at;
    unsigned count, room;
};

struct depend_dependence {
    void *task;
    unsigned refs;  /* by its task and by addresses */
    unsigned waits; /* number of tasks that it waits for */
    bool done;
    uint64_t mark, seen;      /* depend_mark */
    struct depend_list after; /* tasks that wait for it */
};

/* An address, in a table of open addressing. */
struct depend_place {
    const void *at; /* NULL: free */
    struct depend_dependence *writer;
    struct depend_list readers; /* since the last writer */
};

struct depend_set {
    struct depend_place *places;
    size_t used, size; /* a power of two */
};

static void *depend_allocate(void *old, size_t bytes)
{
    void *p = realloc(old, bytes);
    if (!p)
        start_fail("omp task depend: no memory");
    return p;
}

static void depend_drop(struct depend_dependence *one)
{
    if (--one->refs > 0)
        return;
    free(one->after.at);
    free(one);
}

static void depend_append(struct depend_list *l, struct depend_dependence *one)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 4;
        l->at = depend_allocate(l->at, l->room * sizeof *l->at);
    }
    l->at[l->count++] = one;
}

static void depend_forget_done(struct depend_list *readers)
{
    unsigned left = 0;
    for (unsigned k = 0; k < readers->count; k++) {
        if (readers->at[k]->done)
            depend_drop(readers->at[k]);
        else
            readers->at[left++] = readers->at[k];
    }
    readers->count = left;
}

/* ---- what gcc passes ---- */

enum { KIND_IN = 1 }; /* of an object */

/* count, writes, addresses; or 0, count, writes, mutexinoutset writes, reads, addresses,
 * objects */
struct depend_clauses {
    void **at;
    size_t count, writes, plain;
};

static struct depend_clauses depend_clauses_of(void **depend)
{
    size_t count = (size_t)depend[0];
    if (count)
        return (struct depend_clauses){ depend + 2, count, (size_t)depend[1], count };
    size_t writes = (size_t)depend[2] + (size_t)depend[3];
    return (struct depend_clauses){ depend + 5, (size_t)depend[1], writes,
                                    writes + (size_t)depend[4] };
}

static const void *depend_address(const struct depend_clauses *c, size_t k, bool *writes)
{
    void *const *object = c->at[k];
    *writes = k < c->writes;
    if (k < c->plain)
        return c->at[k];
    *writes = (uintptr_t)object[1] != KIND_IN;
    return object[0];
}

/* ---- addresses (struct depend_place) ---- */

static size_t depend_hash(const void *at)
{
    return (size_t)(((uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 20);
}

/* The entry of the address, or the free one for it. */
static struct depend_place *depend_place_of(const struct depend_set *d, const void *at)
{
    size_t k = depend_hash(at) & (d->size - 1);
    while (d->places[k].at && d->places[k].at != at)
        k = (k + 1) & (d->size - 1);
    return &d->places[k];
}

static void depend_resize(struct depend_set *d, size_t size)
{
    struct depend_set before = *d;
    d->size = size;
    d->places = calloc(size, sizeof *d->places);
    if (!d->places)
        start_fail("omp task depend: no memory");
    for (size_t k = 0; k < before.size; k++)
        if (before.places[k].at)
            *depend_place_of(d, before.places[k].at) = before.places[k];
    free(before.places);
}

static struct depend_place *depend_make_place(struct depend_set *d, const void *at)
{
    if (2 * (d->used + 1) > d->size)
        depend_resize(d, d->size ? 2 * d->size : 32);
    struct depend_place *p = depend_place_of(d, at);
    d->used += !p->at;
    p->at = at;
    return p;
}

static bool depend_place_waits(const struct depend_place *p, bool writes)
{
    if (p->writer && !p->writer->done)
        return true;
    for (unsigned k = 0; writes && k < p->readers.count; k++)
        if (!p->readers.at[k]->done)
            return true;
    return false;
}

bool depend_waits(const struct depend_set *d, void **depend)
{
    struct depend_clauses c = depend_clauses_of(depend);
    bool writes;
    for (size_t k = 0; d && k < c.count; k++) {
        const void *at = depend_address(&c, k, &writes);
        if (depend_place_waits(depend_place_of(d, at), writes))
            return true;
    }
    return false;
}

/* ---- tasks that lead to awaited ones ---- */

static _Thread_local uint64_t mark; /* the last one */

static void depend_mark_one(struct depend_dependence *one)
{
    if (one && !one->done)
        one->mark = mark;
}

void depend_mark(const struct depend_set *d, void **depend)
{
    struct depend_clauses c = depend_clauses_of(depend);
    bool writes;
    mark++;
    for (size_t k = 0; d && k < c.count; k++) {
        const void *at = depend_address(&c, k, &writes);
        struct depend_place *p = depend_place_of(d, at);
        depend_mark_one(p->writer);
        for (unsigned i = 0; writes && i < p->readers.count; i++)
            depend_mark_one(p->readers.at[i]);
    }
}

bool depend_leads(struct depend_dependence *one)
{
    if (one->mark == mark)
        return true;
    if (one->seen == mark)
        return false;
    one->seen = mark;
    for (unsigned k = 0; k < one->after.count; k++)
        if (depend_leads(one->after.at[k])) {
            one->mark = mark;
            return true;
        }
    return false;
}

/* ---- tasks ---- */

static void depend_follow(struct depend_dependence *one, struct depend_dependence *before)
{
    if (before == one || before->done)
        return;
    depend_append(&before->after, one);
    one->waits++;
}

static void depend_enter(struct depend_dependence *one, struct depend_place *p, bool writes)
{
    if (p->writer)
        depend_follow(one, p->writer);
    for (unsigned k = 0; writes && k < p->readers.count; k++)
        depend_follow(one, p->readers.at[k]);
    one->refs++;
    if (!writes) {
        if (p->readers.count == p->readers.room)
            depend_forget_done(&p->readers);
        depend_append(&p->readers, one);
        return;
    }
    for (unsigned k = 0; k < p->readers.count; k++)
        depend_drop(p->readers.at[k]);
    p->readers.count = 0;
    if (p->writer)
        depend_drop(p->writer);
    p->writer = one;
}

struct depend_dependence *depend_add(struct depend_set **d, void **depend, void *task, bool *waits)
{
    struct depend_clauses c = depend_clauses_of(depend);
    struct depend_dependence *one = depend_allocate(NULL, sizeof *one);
    bool writes;
    *one = (struct depend_dependence){ .task = task, .refs = 1 };
    if (!*d) {
        *d = depend_allocate(NULL, sizeof **d);
        **d = (struct depend_set){ 0 };
    }
    for (size_t k = 0; k < c.count; k++) {
        const void *at = depend_address(&c, k, &writes);
        depend_enter(one, depend_make_place(*d, at), writes);
    }
    *waits = one->waits > 0;
    return one;
}

void depend_done(struct depend_dependence *one, void (*ready)(void *task))
{
    one->done = true;
    for (unsigned k = 0; k < one->after.count; k++)
        if (--one->after.at[k]->waits == 0)
            ready(one->after.at[k]->task);
    one->after.count = 0;
    depend_drop(one);
}

static void depend_free_place(struct depend_place *p)
{
    for (unsigned k = 0; k < p->readers.count; k++)
        depend_drop(p->readers.at[k]);
    free(p->readers.at);
    if (p->writer)
        depend_drop(p->writer);
}

void depend_free(struct depend_set *d)
{
    if (!d)
        return;
    for (size_t k = 0; k < d->size; k++)
        if (d->places[k].at)
            depend_free_place(&d->places[k]);
    free(d->places);
    free(d);
}
