/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* script.c - see script.h. */
#include "sim/script.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

#define RUN_MOST   65536 /* pages that one item opens, at most */
#define LOOK_FAR   256u  /* items */
#define IN_CLOSING UINT32_MAX
#define WORDED     (UINT32_MAX - 1) /* operated on or put to: its home's flush shows it */
#define SLACK      8u               /* base/streams.c */
#define MUTEX      (UINT32_C(1) << 30)
#define MUTEXES    1024u /* hlrc_rma.h */

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
    free(s->store);
    map_free(&s->pages);
    map_free(&s->exclusive);
    map_free(&s->held);
    *s = (struct script){ .ended = true };
}

bool script_is_acquire(unsigned kind)
{
    return kind == RECORD_LOCK || kind == RECORD_DEPART || kind == RECORD_WOKEN ||
           kind == RECORD_GROUP;
}

static void script_note_page(struct script *s, uint32_t page, uint32_t since)
{
    bool is_new = map_find(&s->pages, page) == NULL;
    uint32_t *at = map_at(&s->pages, page, sizeof *at);

    if (is_new || since == 0)
        *at = since;
}

static void script_note_run(struct script *s, uint64_t page, uint64_t stride, uint64_t count,
                            uint32_t since)
{
    uint64_t pages = s->trace->set[RECORD_SET_pages];

    for (uint64_t k = 0; k < count && k < RUN_MOST && page < pages; k++, page += stride)
        script_note_page(s, (uint32_t)page, since);
}

static bool *script_exclusive_of(struct script *s, uint32_t page)
{
    return map_at(&s->exclusive, page, sizeof(bool));
}

/* Of an interval that was clean at a barrier. */
static void script_note_clean(struct script *s, uint32_t from, uint32_t until)
{
    for (uint32_t i = from; i < until; i++) {
        const struct script_op *o = &s->op[i];
        bool run = o->kind == RECORD_TOUCH && o->arg[2] != 0;
        uint64_t count = o->kind == RECORD_WRITE ? 1 : run ? o->arg[1] : 0;
        for (uint64_t p = o->arg[0]; p < o->arg[0] + count && count <= RUN_MOST; p++)
            *script_exclusive_of(s, (uint32_t)p) = true;
    }
}

static uint32_t script_arrived_at(const struct script *s, uint32_t from)
{
    uint32_t at = from;

    for (uint32_t i = from; i < s->count; i++)
        at = s->op[i].kind == RECORD_ARRIVE || s->op[i].kind == RECORD_GROUP ? i : at;
    return at;
}

/* Notes the stores that the items from this one on show. */
static void script_note_stores(struct script *s, uint32_t from)
{
    uint32_t arrived = script_arrived_at(s, from);

    map_clear(&s->pages);
    script_note_clean(s, from, arrived);
    for (uint32_t i = from; i < s->count; i++) {
        const struct script_op *o = &s->op[i];
        if (o->kind == RECORD_WRITE && i >= arrived)
            script_note_page(s, (uint32_t)o->arg[0], 0);
        if (o->kind == RECORD_TOUCH && o->arg[2] != 0 && i >= arrived)
            script_note_run(s, o->arg[0], 1, o->arg[1], 0);
        if (o->kind == RECORD_WORD || (o->kind == RECORD_PART && o->arg[2] != 0))
            script_note_page(s, (uint32_t)o->arg[0], WORDED);
        if (o->kind == RECORD_AHEAD && (o->arg[3] & RECORD_STORES))
            script_note_run(s, o->arg[0], o->arg[1], o->arg[2], i + 1);
    }
}

static int script_by_place(const void *a, const void *b)
{
    const struct script_store *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static void script_put_stores(struct script *s, uint32_t from, uint32_t stores)
{
    uint32_t next = 0, count = s->count + stores;

    if (stores == 0)
        return;
    qsort(s->store, stores, sizeof *s->store, script_by_place);
    s->spare = map_grow(s->spare, &s->spare_room, count, sizeof *s->spare);
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

static uint32_t script_acquired_at(const struct script *s, uint32_t from)
{
    uint32_t at = from;

    for (uint32_t i = from; i < s->count; i++)
        at = script_is_acquire(s->op[i].kind) || s->op[i].kind == RECORD_RESET ? i + 1 : at;
    return at;
}

/* For pages that this flush did not contain. */
static void script_note_exclusive(struct script *s)
{
    for (uint32_t i = 0; i < s->pages.room; i++)
        if (s->pages.slot[i] != 0 && *(uint32_t *)s->pages.value[s->pages.slot[i] - 1] == 0)
            *script_exclusive_of(s, s->pages.key[i]) = true;
}

static void script_note_claims(struct script *s, const struct script_op *o, uint32_t *stores)
{
    uint64_t count = o->arg[2] <= RUN_MOST ? o->arg[2] : 0;

    for (uint64_t p = o->arg[0]; p < o->arg[0] + count; p++) {
        uint32_t *at = map_find(&s->pages, (uint32_t)p);
        if (at == NULL || *at == 0 || *at == WORDED || *at == IN_CLOSING)
            continue;
        *MAP_PUSH(s->store, *stores, s->store_room) = (struct script_store){ *at, (uint32_t)p };
        *at = 0;
    }
}

static void script_note_all_claims(struct script *s, uint32_t from, uint32_t *stores)
{
    for (uint32_t i = from; i < s->count; i++)
        if (s->op[i].kind == RECORD_AHEAD && (s->op[i].arg[3] & RECORD_CLAIMS) && s->op[i].used)
            script_note_claims(s, &s->op[i], stores);
}

/* Adds one page of a flush. */
static void script_put_page(struct script *s, uint32_t page, uint64_t length, uint64_t bytes,
                            uint32_t behind, uint32_t *stores)
{
    uint32_t *since = map_find(&s->pages, page), at = since != NULL ? *since : behind;
    bool shown = since != NULL && (at == 0 || at == WORDED),
         *exclusive = script_exclusive_of(s, page);
    bool unknown = (length & 1) && *exclusive && since == NULL;

    *exclusive = false;
    if (since != NULL)
        *since = IN_CLOSING;
    if (unknown)
        return;
    if (!shown)
        *MAP_PUSH(s->store, *stores, s->store_room) =
            (struct script_store){ at > behind ? at : behind, page };
    *MAP_PUSH(s->op, s->count, s->room) =
        (struct script_op){ .kind = SCRIPT_WROTE, .arg = { page, length >> 1, bytes } };
}

/* Adds one flush; false if the data is invalid. */
static bool script_put_closing(struct script *s, uint32_t from)
{
    uint64_t head, page, length, bytes;
    uint32_t behind = script_acquired_at(s, from), stores = 0;

    script_note_stores(s, from);
    s->closings.page = 0;
    if (!record_number(&s->closings, &head))
        return false;
    for (uint64_t i = 0; i < head >> 1; i++) {
        if (!record_page(&s->closings, &page) || !record_number(&s->closings, &length) ||
            !record_number(&s->closings, &bytes))
            return false;
        script_put_page(s, (uint32_t)page, length, bytes, behind, &stores);
    }
    script_note_all_claims(s, from, &stores);
    script_note_exclusive(s);
    script_put_stores(s, from, stores);
    return true;
}

static bool script_put_closings(struct script *s, uint64_t count)
{
    uint32_t from = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (!script_put_closing(s, from))
            return false;
        from = s->count; /* no items lie before the next one */
    }
    return true;
}

/* Reads the homes of one flush; false at the end. */
static bool script_closing_homes(struct record_reader *r, uint32_t arrivals, script_home_fn fn,
                                 void *self)
{
    uint64_t head, page, length, bytes;

    r->page = 0;
    if (!record_number(r, &head))
        return false;
    for (uint64_t i = 0; i < head >> 1; i++) {
        if (!record_page(r, &page) || !record_number(r, &length) || !record_number(r, &bytes))
            return false;
        fn(self, (uint32_t)page, length & 1 ? HOME_HERE : HOME_ELSEWHERE, arrivals);
    }
    return true;
}

static void script_tried_homes(const struct trace *t, const struct record_item *item,
                               uint32_t arrivals, script_home_fn fn, void *self)
{
    uint64_t first = item->arg[0], count = item->arg[2], pages = t->set[RECORD_SET_pages];

    for (uint64_t p = first; p < pages && p - first < count && count <= RUN_MOST; p++)
        fn(self, (uint32_t)p, HOME_TRIED, arrivals);
}

void script_homes(const struct trace *t, unsigned node, script_home_fn fn, void *self)
{
    struct script s;
    struct record_item item;
    uint32_t arrivals = 0;

    script_open(&s, t, node);
    while (record_get(&s.stream, &item) > 0) {
        arrivals += item.kind == RECORD_ARRIVE;
        if (item.kind == RECORD_AHEAD && (item.arg[3] & RECORD_CLAIMS))
            script_tried_homes(t, &item, arrivals, fn, self);
        for (uint64_t i = 0; item.kind == RECORD_CLOSED && i < item.arg[0]; i++)
            if (!script_closing_homes(&s.closings, arrivals, fn, self))
                return;
    }
    while (script_closing_homes(&s.closings, arrivals, fn, self))
        ;
}

/* Whether a fault on this page continues the pages opened by item `at`, upwards or downwards. */
static bool script_follows(const struct script *s, uint32_t at, uint64_t page, bool up)
{
    uint64_t first = s->op[at].arg[0], beyond = first + s->op[at].arg[2];

    return up ? page >= beyond && page - beyond <= SLACK
              : page < first && first - page <= SLACK + 1;
}

static bool script_goes_on(const struct script *s, uint32_t at, unsigned kind, bool up)
{
    for (uint32_t i = at + 1; i < s->count && i - at < LOOK_FAR; i++)
        if (s->op[i].kind == kind && script_follows(s, at, s->op[i].arg[0], up))
            return true;
    return false;
}

static bool script_has_come(const struct script *s, uint32_t at, uint64_t fault, bool up)
{
    for (uint32_t i = at; i-- > 0 && at - i < LOOK_FAR;)
        if (s->op[i].kind == RECORD_AHEAD && script_follows(s, i, fault, up))
            return true;
    return false;
}

static void script_judge_ahead(struct script *s)
{
    uint64_t load = UINT64_MAX - 1, store = UINT64_MAX - 1;

    for (uint32_t i = 0; i < s->count; i++) {
        struct script_op *o = &s->op[i];
        if (o->kind == RECORD_READ)
            load = o->arg[0];
        if (o->kind == RECORD_WRITE)
            store = o->arg[0];
        if (o->kind != RECORD_AHEAD)
            continue;
        bool claims = o->arg[3] & RECORD_CLAIMS;
        uint64_t fault = claims ? store : load;
        bool up = o->arg[0] == fault + 1, down = o->arg[0] + o->arg[2] == fault;
        if (claims)
            o->used = script_goes_on(s, i, RECORD_WRITE, up);
        else
            o->used = !(up || down) || script_has_come(s, i, fault, up) ||
                      script_goes_on(s, i, RECORD_READ, up);
    }
}

/* A barrier and a wait for a condition are two items each, one after the other. NULL, or the error
 * message. */
static const char *script_unpaired(struct script *s, enum record_kind kind)
{
    static const struct {
        enum record_kind begins, ends;
        const char *wrong;
    } pairs[SCRIPT_PAIRS] = {
        { RECORD_ARRIVE, RECORD_DEPART, "the record of a thread has half a barrier" },
        { RECORD_WAIT, RECORD_WOKEN, "the record of a thread has half a wait for a condition" },
    };

    for (int i = 0; i < SCRIPT_PAIRS; i++) {
        if (kind == (s->begun[i] ? pairs[i].begins : pairs[i].ends))
            return pairs[i].wrong;
        s->begun[i] = kind == pairs[i].begins || (s->begun[i] && kind != pairs[i].ends);
    }
    return NULL;
}

/* One thread releases what it has acquired. */
static const char *script_unlocked(struct script *s, enum record_kind kind, const uint64_t *arg)
{
    bool is_mutex = kind == RECORD_MUTEX || kind == RECORD_UNMUTEX,
         acquires = kind == RECORD_LOCK || kind == RECORD_MUTEX;

    if (!is_mutex && kind != RECORD_LOCK && kind != RECORD_UNLOCK)
        return NULL;
    if (arg[0] >= MUTEX || (is_mutex && (arg[0] >= MUTEXES || arg[1] >= TRACE_NODES_MAX)))
        return "the record of a thread has a lock beyond the highest";
    uint32_t key = is_mutex ? MUTEX | (uint32_t)(arg[1] * MUTEXES + arg[0]) : (uint32_t)arg[0];
    bool *held = map_at(&s->held, key, sizeof *held);
    if (*held == acquires)
        return acquires ? "a thread acquires a lock that it holds"
                        : "a thread releases a lock that it does not hold";
    *held = acquires;
    return NULL;
}

static const char *script_beyond(const struct script *s, enum record_kind kind, const uint64_t *arg)
{
    bool range = kind == RECORD_TOUCH || kind == RECORD_PREFETCH || kind == RECORD_PLACE ||
                 kind == RECORD_RESET || kind == RECORD_EXPECT;

    return range && arg[1] > s->trace->set[RECORD_SET_pages] - arg[0]
               ? "a range of pages goes beyond the space"
               : NULL;
}

/* NULL, or the error message */
static const char *script_wrong(struct script *s, const struct record_item *item)
{
    const char *wrong = script_unpaired(s, item->kind);

    if (wrong == NULL && s->trace->part[s->node].streams == 1)
        wrong = script_unlocked(s, item->kind, item->arg);
    return wrong != NULL ? wrong : script_beyond(s, item->kind, item->arg);
}

static void script_fill(struct script *s)
{
    struct record_item item;
    int got = 1;

    s->count = s->at = 0;
    while ((got = record_get(&s->stream, &item)) > 0) {
        s->wrong = script_wrong(s, &item);
        if (s->wrong != NULL)
            return;
        if (item.kind == RECORD_CLOSED) {
            script_judge_ahead(s);
            if (!script_put_closings(s, item.arg[0]))
                s->wrong = "it has fewer flushes than its threads have recorded";
            return;
        }
        struct script_op *op = MAP_PUSH(s->op, s->count, s->room);
        *op = (struct script_op){ .time = item.time, .kind = item.kind };
        memcpy(op->arg, item.arg, sizeof item.arg);
    }
    script_judge_ahead(s);
    s->ended = true;
    if (got < 0)
        s->wrong = "the record of a thread is invalid";
}

const struct script_op *script_next(struct script *s)
{
    while (s->at == s->count && !s->ended && s->wrong == NULL)
        script_fill(s);
    return s->at < s->count && s->wrong == NULL ? &s->op[s->at++] : NULL;
}
