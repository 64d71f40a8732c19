/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_join.c - arrows between events, and how long locks were held.
 *
 * A grant is found by its number. A fetch brings the changes of the notices of its page since the
 * previous fetch. Each notice names a writer and an interval. That identifies the page's diff of
 * that interval, or, if the writer is the home, the flush of the interval.
 */
#include "tools/timeline_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

#define NO_PAGE        UINT32_MAX
#define LOCKS_OF(node) (-2 - (node))

/* Identifies a referenced event: a grant by its number; a diff, or with NO_PAGE a flush, by
 * interval and writer; a lock of a node. */
struct timeline_join_key {
    uint64_t number;
    uint32_t page;
    int32_t node; /* -1 for a grant; LOCKS_OF(node) for a lock */
};

struct timeline_join_place {
    struct timeline_join_key key;
    int node;
    const struct timeline_read_event *event; /* NULL: free */
};

/* Open addressing; sized once for all entries. */
struct timeline_join_places {
    struct timeline_join_place *at;
    size_t size; /* a power of two */
};

/* A notice of a page that was not fetched since. */
struct timeline_join_pending {
    uint64_t interval;
    int writer;
    uint32_t next; /* index + 1 */
};

struct timeline_join_pages {
    uint32_t *first; /* by page: index + 1 in list */
    size_t count;
    struct timeline_join_pending *list;
    size_t used, room;
    uint32_t free; /* index + 1 */
};

/* An event and the time that determines its order. */
struct timeline_join_moment {
    int64_t at;
    const struct timeline_read_event *event;
};

struct timeline_join_state {
    struct timeline_read_all *t;
    struct timeline_join_places places;
    struct timeline_join_pages pages;
    size_t arrow_room, held_room;
};

/* ---- growing ---- */

/* Makes room for `need` elements; new ones are zero. Returns 0 or -ENOMEM. */
static int timeline_join_grow(void *list, size_t *room, size_t need, size_t each)
{
    void *old, *new;
    if (need <= *room)
        return 0;
    size_t more = *room < 512 ? 1024 : *room * 2;
    more = more < need ? need : more;
    memcpy(&old, list, sizeof old);
    new = realloc(old, more * each);
    if (!new)
        return -ENOMEM;
    memset((char *)new + *room *each, 0, (more - *room) * each);
    memcpy(list, &new, sizeof new);
    *room = more;
    return 0;
}

/* ---- referenced events ---- */

static struct timeline_join_key timeline_join_key_of(uint64_t number, uint32_t page, int node)
{
    return (struct timeline_join_key){ number, page, node };
}

static struct timeline_join_place *timeline_join_place_of(const struct timeline_join_places *p,
                                                          struct timeline_join_key key)
{
    size_t at = digest_add(DIGEST_START, &key, sizeof key) & (p->size - 1);
    while (p->at[at].event && memcmp(&p->at[at].key, &key, sizeof key) != 0)
        at = (at + 1) & (p->size - 1);
    return &p->at[at];
}

static bool timeline_join_referable(const struct timeline_read_event *e)
{
    return e->kind == TIMELINE_GRANT || e->kind == TIMELINE_WAKE || e->kind == TIMELINE_DIFF ||
           e->kind == TIMELINE_CLOSE;
}

static void timeline_join_put_place(const struct timeline_join_places *p, int node,
                                    const struct timeline_read_event *e)
{
    struct timeline_join_key key =
        e->kind == TIMELINE_DIFF ? timeline_join_key_of(e->extra >> 16, (uint32_t)e->object, node)
        : e->kind == TIMELINE_CLOSE ? timeline_join_key_of(e->object, NO_PAGE, node)
                                    : timeline_join_key_of(e->extra, 0, -1);
    *timeline_join_place_of(p, key) = (struct timeline_join_place){ key, node, e };
}

static bool timeline_join_gets_lock(const struct timeline_read_event *e)
{
    return e->kind == TIMELINE_LOCK || e->kind == TIMELINE_RELOCK;
}

static int timeline_join_gather_places(struct timeline_join_state *j)
{
    const struct timeline_read_all *t = j->t;
    size_t count = 0;
    for (int n = 0; n < t->nodes; n++)
        for (size_t i = 0; i < t->node[n].count; i++)
            count += timeline_join_referable(&t->node[n].events[i]) ||
                     timeline_join_gets_lock(&t->node[n].events[i]);
    for (j->places.size = 64; j->places.size < 2 * count;)
        j->places.size *= 2;
    j->places.at = calloc(j->places.size, sizeof *j->places.at);
    if (!j->places.at)
        return -ENOMEM;
    for (int n = 0; n < t->nodes; n++)
        for (size_t i = 0; i < t->node[n].count; i++)
            if (timeline_join_referable(&t->node[n].events[i]))
                timeline_join_put_place(&j->places, n, &t->node[n].events[i]);
    return 0;
}

/* ---- arrows ---- */

static int timeline_join_add_arrow(struct timeline_join_state *j,
                                   const struct timeline_join_place *from, int node,
                                   const struct timeline_read_event *to, const char *name)
{
    struct timeline_read_all *t = j->t;
    /* viewers expect it within the span */
    int64_t end = to->end > to->begin ? to->end - 1 : to->end;
    if (!from->event)
        return 0;
    if (from->event->begin > end) {
        t->backward++;
        return 0;
    }
    int rc = timeline_join_grow(&t->arrows, &j->arrow_room, t->arrow_count + 1, sizeof *t->arrows);
    if (rc == 0)
        t->arrows[t->arrow_count++] = (struct timeline_read_arrow){ .from = from->node,
                                                                    .to = node,
                                                                    .from_lane = from->event->lane,
                                                                    .to_lane = to->lane,
                                                                    .begin = from->event->begin,
                                                                    .end = end,
                                                                    .name = name };
    return rc;
}

static int timeline_join_grant(struct timeline_join_state *j, int node,
                               const struct timeline_read_event *e)
{
    if (e->extra == 0)
        return 0;
    return timeline_join_add_arrow(j,
                                   timeline_join_place_of(&j->places,
                                                          timeline_join_key_of(e->extra, 0, -1)),
                                   node, e, e->kind == TIMELINE_WAIT ? "signal" : "grant");
}

static int timeline_join_note_page(struct timeline_join_pages *p, uint32_t page, int writer,
                                   uint64_t interval)
{
    if (timeline_join_grow(&p->first, &p->count, (size_t)page + 1, sizeof *p->first) != 0)
        return -ENOMEM;
    for (uint32_t at = p->first[page]; at; at = p->list[at - 1].next)
        if (p->list[at - 1].writer == writer) {
            p->list[at - 1].interval = interval;
            return 0;
        }
    uint32_t at = p->free;
    if (at) {
        p->free = p->list[at - 1].next;
    } else {
        if (timeline_join_grow(&p->list, &p->room, p->used + 1, sizeof *p->list) != 0)
            return -ENOMEM;
        at = (uint32_t)++p->used;
    }
    p->list[at - 1] = (struct timeline_join_pending){ interval, writer, p->first[page] };
    p->first[page] = at;
    return 0;
}

#define PAGES_MOST (UINT32_C(1) << 30) /* of a space: higher numbers are no pages */

static int timeline_join_note_pages(struct timeline_join_state *j,
                                    const struct timeline_read_event *e)
{
    uint32_t first = (uint32_t)e->object, count = (uint32_t)(e->object >> 32);
    int rc = 0;
    if (first > PAGES_MOST || count > PAGES_MOST - first)
        return 0;
    for (uint32_t i = 0; i < count && rc == 0; i++)
        rc = timeline_join_note_page(&j->pages, first + i, e->peer, e->extra);
    return rc;
}

/* The fetch brings all pending changes of the page and removes them. */
static int timeline_join_fetch(struct timeline_join_state *j, int node,
                               const struct timeline_read_event *e)
{
    struct timeline_join_pages *p = &j->pages;
    int rc = 0;
    while (e->object < p->count && p->first[e->object] && rc == 0) {
        uint32_t at = p->first[e->object];
        struct timeline_join_pending *what = &p->list[at - 1];
        const struct timeline_join_place *from = timeline_join_place_of(
            &j->places, timeline_join_key_of(what->interval, (uint32_t)e->object, what->writer));
        if (!from->event)
            from = timeline_join_place_of(&j->places, timeline_join_key_of(what->interval, NO_PAGE,
                                                                           what->writer));
        rc = timeline_join_add_arrow(j, from, node, e, "changes");
        p->first[e->object] = what->next;
        what->next = p->free;
        p->free = at;
    }
    return rc;
}

/* ---- locks ---- */

static int timeline_join_add_held(struct timeline_join_state *j,
                                  const struct timeline_join_place *lock, int64_t end)
{
    struct timeline_read_all *t = j->t;
    int rc = timeline_join_grow(&t->held, &j->held_room, t->held_count + 1, sizeof *t->held);
    if (rc == 0)
        t->held[t->held_count++] = (struct timeline_read_held){
            .node = lock->node, .lock = lock->key.number, .begin = lock->event->end, .end = end
        };
    return rc;
}

/* Its entry has the event by which the node got or released it. */
static int timeline_join_lock(struct timeline_join_state *j, int node,
                              const struct timeline_read_event *e)
{
    struct timeline_join_key key = timeline_join_key_of(e->object, NO_PAGE, LOCKS_OF(node));
    struct timeline_join_place *lock = timeline_join_place_of(&j->places, key);
    int rc = 0;
    if (e->kind != TIMELINE_UNLOCK) {
        *lock = (struct timeline_join_place){ key, node, e };
        return timeline_join_grant(j, node, e);
    }
    if (!lock->event) /* the first events were dropped */
        return 0;
    if (lock->event->kind != TIMELINE_UNLOCK && lock->event->end <= e->begin)
        rc = timeline_join_add_held(j, lock, e->begin);
    lock->event = e;
    return rc;
}

/* Locks that nodes still held at their end. */
static int timeline_join_last(struct timeline_join_state *j)
{
    int rc = 0;
    for (const struct timeline_join_place *p = j->places.at;
         p < j->places.at + j->places.size && rc == 0; p++)
        if (p->event && p->key.node <= LOCKS_OF(0) && p->event->kind != TIMELINE_UNLOCK)
            rc = timeline_join_add_held(j, p, -1);
    return rc;
}

/* ---- one node ---- */

/* True if the event matters, and when it takes effect: a lock is held from the end on, a fetch has
 * what was known when it began. */
static bool timeline_join_matters(const struct timeline_read_event *e, int64_t *at)
{
    *at = timeline_join_gets_lock(e)     ? e->end
          : e->kind == TIMELINE_PREFETCH ? (int64_t)e->extra
                                         : e->begin;
    return timeline_join_gets_lock(e) || e->kind == TIMELINE_UNLOCK || e->kind == TIMELINE_HEAP ||
           e->kind == TIMELINE_WAIT || e->kind == TIMELINE_NOTICE || e->kind == TIMELINE_FETCH ||
           e->kind == TIMELINE_PREFETCH;
}

static int timeline_join_by_moment(const void *left, const void *right)
{
    const struct timeline_join_moment *a = left, *b = right;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int timeline_join_event(struct timeline_join_state *j, int node,
                               const struct timeline_read_event *e)
{
    switch (e->kind) {
    case TIMELINE_NOTICE:
        return timeline_join_note_pages(j, e);
    case TIMELINE_FETCH:
    case TIMELINE_PREFETCH:
        return timeline_join_fetch(j, node, e);
    case TIMELINE_HEAP:
    case TIMELINE_WAIT:
        return timeline_join_grant(j, node, e);
    default:
        return timeline_join_lock(j, node, e);
    }
}

static int timeline_join_node(struct timeline_join_state *j, int node)
{
    const struct timeline_read_node *n = &j->t->node[node];
    struct timeline_join_moment *order = calloc(n->count + 1, sizeof *order);
    size_t count = 0;
    int rc = order ? 0 : -ENOMEM;
    for (size_t i = 0; i < n->count && rc == 0; i++) {
        order[count].event = &n->events[i];
        count += timeline_join_matters(&n->events[i], &order[count].at);
    }
    if (rc == 0)
        qsort(order, count, sizeof *order, timeline_join_by_moment);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = timeline_join_event(j, node, order[i].event);
    free(order);
    if (j->pages.first)
        memset(j->pages.first, 0, j->pages.count * sizeof *j->pages.first);
    j->pages.used = 0;
    j->pages.free = 0;
    return rc;
}

int timeline_join(struct timeline_read_all *t)
{
    struct timeline_join_state j = { .t = t };
    int rc = timeline_join_gather_places(&j);
    for (int n = 0; n < t->nodes && rc == 0; n++)
        rc = timeline_join_node(&j, n);
    if (rc == 0)
        rc = timeline_join_last(&j);
    free(j.places.at);
    free(j.pages.first);
    free(j.pages.list);
    return rc;
}
