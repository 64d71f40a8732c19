/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* script.c - see script.h. */
#include "sim/script.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

#define RUN_MOST 65536 /* pages that one item opens, at most */

void script_open(struct script *s, const struct trace *t, unsigned node)
{
    const struct trace_part *p = &t->part[node];

    *s = (struct script){ .trace = t, .node = node };
    s->stream = (struct record_reader){ p->stream, p->stream_end, 0, t->set[RECORD_SET_pages] };
    s->closings =
        (struct record_reader){ p->closings, p->closings_end, 0, t->set[RECORD_SET_pages] };
}

void script_close(struct script *s)
{
    free(s->op);
    free(s->spare);
    free(s->since);
    free(s->store);
    map_free(&s->pages);
    *s = (struct script){ .ended = true };
}

static struct script_op *append(struct script *s)
{
    s->op = grow(s->op, &s->room, s->count + 1, sizeof *s->op);
    return &s->op[s->count++];
}

static bool is_acquire(unsigned kind)
{
    return kind == RECORD_LOCK || kind == RECORD_DEPART || kind == RECORD_WAIT ||
           kind == RECORD_GROUP || kind == RECORD_RESET;
}

static void note_page(struct script *s, uint32_t page, uint32_t since)
{
    bool is_new;
    uint32_t i = map_index(&s->pages, page, &is_new);

    s->since = grow(s->since, &s->since_room, i + 1, sizeof *s->since);
    if (is_new || since == 0)
        s->since[i] = since;
}

static void note_run(struct script *s, uint64_t page, uint64_t stride, uint64_t count,
                     uint32_t since)
{
    uint64_t pages = s->trace->set[RECORD_SET_pages];

    for (uint64_t k = 0; k < count && k < RUN_MOST && page < pages; k++, page += stride)
        note_page(s, (uint32_t)page, since);
}

/* What the items from this one on say of stores. */
static void note_stores(struct script *s, uint32_t from)
{
    map_clear(&s->pages);
    for (uint32_t i = from; i < s->count; i++) {
        const struct script_op *o = &s->op[i];
        if (o->kind == RECORD_WRITE)
            note_page(s, (uint32_t)o->arg[0], 0);
        if (o->kind == RECORD_TOUCH && o->arg[2] != 0)
            note_run(s, o->arg[0], 1, o->arg[1], 0);
        if (o->kind == RECORD_AHEAD && (o->arg[3] & RECORD_STORES))
            note_run(s, o->arg[0], o->arg[1], o->arg[2], i + 1);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct script_store *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

/* SR1 */
static void put_stores(struct script *s, uint32_t from, uint32_t stores)
{
    uint32_t next = 0, count = s->count + stores;

    if (stores == 0)
        return;
    qsort(s->store, stores, sizeof *s->store, by_place);
    s->spare = grow(s->spare, &s->spare_room, count, sizeof *s->spare);
    count = from;
    for (uint32_t i = from; i <= s->count; i++) {
        for (; next < stores && s->store[next].at == i; next++)
            s->spare[count++] =
                (struct script_op){ .kind = SCRIPT_STORE, .arg = { s->store[next].page } };
        if (i < s->count)
            s->spare[count++] = s->op[i];
    }
    memcpy(s->spare, s->op, from * sizeof *s->op);
    struct script_op *op = s->op;
    uint32_t room = s->room;
    s->op = s->spare;
    s->room = s->spare_room;
    s->count = count;
    s->spare = op;
    s->spare_room = room;
}

static uint32_t acquired_at(const struct script *s, uint32_t from)
{
    uint32_t at = from;

    for (uint32_t i = from; i < s->count; i++)
        at = is_acquire(s->op[i].kind) ? i + 1 : at;
    return at;
}

/* One closing: false where it is none. */
static bool put_closing(struct script *s, uint32_t from)
{
    uint64_t head, page, length, bytes;
    uint32_t behind = acquired_at(s, from), stores = 0;

    note_stores(s, from);
    s->closings.page = 0;
    if (!record_number(&s->closings, &head))
        return false;
    for (uint64_t i = 0; i < head >> 1; i++) {
        if (!record_page(&s->closings, &page) || !record_number(&s->closings, &length) ||
            !record_number(&s->closings, &bytes))
            return false;
        uint32_t k = map_find(&s->pages, (uint32_t)page),
                 at = k != UINT32_MAX ? s->since[k] : behind;
        s->store = grow(s->store, &s->store_room, stores + 1, sizeof *s->store);
        if (k == UINT32_MAX || at > 0)
            s->store[stores++] = (struct script_store){ at > behind ? at : behind, (uint32_t)page };
        *append(s) =
            (struct script_op){ .kind = SCRIPT_WROTE, .arg = { page, length >> 1, bytes } };
    }
    put_stores(s, from, stores);
    return true;
}

static bool put_closings(struct script *s, uint64_t count)
{
    uint32_t from = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (!put_closing(s, from))
            return false;
        from = s->count; /* of the next one nothing lies in between */
    }
    return true;
}

void script_homes(const struct trace *t, unsigned node, void (*fn)(void *self, uint32_t page),
                  void *self)
{
    const struct trace_part *p = &t->part[node];
    struct record_reader r = { p->closings, p->closings_end, 0, t->set[RECORD_SET_pages] };
    uint64_t head, page, length, bytes;

    while (record_number(&r, &head)) {
        r.page = 0;
        for (uint64_t i = 0; i < head >> 1; i++) {
            if (!record_page(&r, &page) || !record_number(&r, &length) ||
                !record_number(&r, &bytes))
                return;
            if (length & 1)
                fn(self, (uint32_t)page);
        }
    }
}

static void fill(struct script *s)
{
    struct record_item item;
    int got = 1;

    s->count = s->at = 0;
    while ((got = record_get(&s->stream, &item)) > 0) {
        if (item.kind == RECORD_CLOSED) {
            if (!put_closings(s, item.arg[0]))
                s->wrong = "it has fewer closings than its threads have seen";
            return;
        }
        struct script_op *op = append(s);
        *op = (struct script_op){ .time = item.time, .kind = item.kind };
        memcpy(op->arg, item.arg, sizeof item.arg);
    }
    s->ended = true;
    if (got < 0)
        s->wrong = "what a thread did is not legible";
}

const struct script_op *script_next(struct script *s)
{
    while (s->at == s->count && !s->ended && s->wrong == NULL)
        fill(s);
    return s->at < s->count && s->wrong == NULL ? &s->op[s->at++] : NULL;
}
