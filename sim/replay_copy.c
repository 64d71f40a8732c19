/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_copy.c - state of a page at a node and at its home: hlrc/memory/page.h, exclusive.c. */
#include <stdlib.h>
#include <string.h>

#include "hlrc/policy/policy_batch.h"
#include "hlrc/policy/policy_placement.h"
#include "sim/fail.h"
#include "sim/replay.h"

static struct policy_placement placement(const struct replay *r)
{
    const uint64_t *set = r->set;

    return (struct policy_placement){ .heap_pages = (uint32_t)set[RECORD_SET_heap_pages],
                                      .near = (uint32_t)set[RECORD_SET_home_near],
                                      .near_pages = (uint32_t)set[RECORD_SET_home_near_pages],
                                      .near_shift = (uint32_t)set[RECORD_SET_home_shift],
                                      .far_shift = (uint32_t)set[RECORD_SET_far_shift],
                                      .range_shift = (uint32_t)set[RECORD_SET_range_shift] };
}

unsigned replay_default_home(const struct replay *r, uint32_t page)
{
    return policy_placement_home(placement(r), page, r->nodes);
}

struct shared *shared_of(struct replay *r, uint32_t page)
{
    bool is_new;
    uint32_t i = map_index(&r->pages, page, &is_new);

    r->shared = grow(r->shared, &r->shared_room, i + 1, sizeof *r->shared);
    if (is_new) {
        r->shared[i] = sim_new(1, sizeof **r->shared);
        r->shared[i]->page = page;
    }
    return r->shared[i];
}

/* ---- which copies a node has ---- */

#define CHUNK 64u

static uint64_t bit_of(uint32_t page)
{
    return UINT64_C(1) << page % CHUNK;
}

static unsigned rank_of(const struct chunk *k, uint32_t page)
{
    return (unsigned)__builtin_popcountll(k->here & (bit_of(page) - 1));
}

static struct chunk *chunk_of(struct replay_node *n, uint32_t page)
{
    uint32_t key = page / CHUNK;
    bool is_new;

    if (n->chunks.count == 0 || n->chunk_key != key) {
        n->chunk_index = map_index(&n->chunks, key, &is_new);
        n->chunk_key = key;
        n->chunk = grow(n->chunk, &n->chunks_room, n->chunk_index + 1, sizeof *n->chunk);
    }
    return &n->chunk[n->chunk_index];
}

void copy_begin(struct replay_node *n, struct copy *c)
{
    c->access = OPEN_LOADS; /* rule 7 */
    if (n->r->protocol == REPLAY_ASYNC && replay_default_home(n->r, c->page) == n->id) {
        /* [pages-async.first-request] */
        c->access = chunk_of(n, c->page)->open & bit_of(c->page) ? OPEN_STORES : CLOSED;
        c->flags |= COPY_EXCLUSIVE;
    } else if (n->r->protocol == REPLAY_ASYNC) {
        c->access = CLOSED;
        c->flags |= COPY_STALE;
    }
}

static struct copy *copy_in(const struct chunk *k, uint32_t page)
{
    return k->here & bit_of(page) ? k->copy[rank_of(k, page)] : NULL;
}

struct copy *copy_found(struct replay_node *n, uint32_t page)
{
    struct chunk *k = chunk_of(n, page);

    n->known += !(k->met & bit_of(page));
    k->met |= bit_of(page);
    return copy_in(k, page);
}

bool copy_is_shut(const struct copy *c)
{
    return (c->flags & (COPY_EXCLUSIVE | COPY_BUSY | COPY_STALE)) == COPY_EXCLUSIVE &&
           c->access == CLOSED && !c->held && !c->migrate.watched;
}

static bool is_shut(struct replay_node *n, uint32_t page)
{
    const struct chunk *k = chunk_of(n, page);
    const struct copy *c = copy_in(k, page);

    return c != NULL ? copy_is_shut(c) : !(k->open & bit_of(page));
}

static void open_for_stores(struct replay_node *n, uint32_t page)
{
    struct chunk *k = chunk_of(n, page);
    struct copy *c = copy_in(k, page);

    k->open |= bit_of(page);
    if (c != NULL)
        c->access = OPEN_STORES;
}

void copy_open_alone(struct replay_node *n, struct copy *c)
{
    uint32_t pages = 1u << policy_placement_shift(placement(n->r), c->page), first = c->page,
             end = c->page + 1;

    pages = pages < POLICY_BATCH_RUN ? pages : POLICY_BATCH_RUN;
    for (; first % pages != 0 && is_shut(n, first - 1); first--)
        open_for_stores(n, first - 1);
    for (; end % pages != 0 && end < n->r->set[RECORD_SET_pages] && is_shut(n, end); end++)
        open_for_stores(n, end);
    open_for_stores(n, c->page);
    n->debt += n->r->m.split_ns * SIM_NS;
}

void copy_shut(struct replay_node *n, uint32_t page)
{
    chunk_of(n, page)->open &= ~bit_of(page);
}

static void put_in(struct chunk *k, struct copy *c)
{
    unsigned count = (unsigned)__builtin_popcountll(k->here), at = rank_of(k, c->page);

    if ((count & (count - 1)) == 0)
        k->copy = sim_again(k->copy, count == 0 ? 1 : 2 * count, sizeof *k->copy);
    memmove(&k->copy[at + 1], &k->copy[at], (count - at) * sizeof *k->copy);
    k->copy[at] = c;
    k->here |= bit_of(c->page);
}

static void catch_up(struct replay_node *n, struct copy *c)
{
    const struct shared *s = c->shared;

    c->access = CLOSED;
    c->flags |= COPY_STALE;
    if (n->r->protocol == REPLAY_ONESIDED) /* page.c told_is_there */
        return;
    for (uint32_t i = 0; i < s->announcements; i++) {
        struct version v = s->announced[i];
        if (v.writer != n->id && v.interval <= n->noticed[v.writer])
            versions_raise(&c->need, v.writer, v.interval);
    }
}

struct copy *copy_of(struct replay_node *n, uint32_t page)
{
    struct copy *c = copy_found(n, page);
    struct chunk *k;

    if (c != NULL)
        return c;
    c = sim_new(1, sizeof *c);
    c->page = page;
    c->shared = shared_of(n->r, page);
    copy_begin(n, c);
    k = chunk_of(n, page);
    put_in(k, c);
    if (k->told & bit_of(page))
        catch_up(n, c);
    return c;
}

bool copy_tell(struct replay_node *n, uint32_t page)
{
    const struct replay *r = n->r;
    struct chunk *k = chunk_of(n, page);

    if (k->told & bit_of(page))
        return false;
    k->told |= bit_of(page);
    if (r->protocol == REPLAY_ASYNC && replay_default_home(r, page) != n->id)
        return false; /* copy_begin: closed, and stale */
    COUNT(n, invalidations, 1);
    return true;
}

void copies_each(struct replay_node *n, void (*fn)(struct replay_node *n, struct copy *c))
{
    for (uint32_t i = 0; i < n->chunks.count; i++)
        for (int j = 0; j < __builtin_popcountll(n->chunk[i].here); j++)
            fn(n, n->chunk[i].copy[j]);
}

/* Finds the first announcement of each writer; returns their number. */
static uint32_t first_announcements(const struct shared *s, struct version *first, bool *met)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->announcements; i++) {
        if (met[s->announced[i].writer])
            continue;
        met[s->announced[i].writer] = true;
        first[count++] = s->announced[i];
    }
    for (uint32_t i = 0; i < count; i++)
        met[first[i].writer] = false;
    return count;
}

static uint64_t needs_of(struct replay_node *n, uint32_t page, const struct version *first,
                         uint32_t count)
{
    const struct copy *c = copy_in(chunk_of(n, page), page);
    uint64_t needs = 0;

    if (c != NULL || n->r->protocol == REPLAY_ONESIDED)
        return c != NULL ? c->need.count : 0;
    for (uint32_t i = 0; i < count; i++)
        needs += first[i].writer != n->id && first[i].interval <= n->noticed[first[i].writer];
    return needs;
}

uint64_t *copies_needs(struct replay *r)
{
    uint64_t *needs = sim_new(r->nodes, sizeof *needs);
    struct version *first = sim_new(r->nodes, sizeof *first);
    bool *met = sim_new(r->nodes, sizeof *met);

    for (uint32_t i = 0; i < r->pages.count; i++) {
        uint32_t count = first_announcements(r->shared[i], first, met);
        for (unsigned n = 0; n < r->nodes; n++)
            needs[n] += needs_of(&r->node[n], r->shared[i]->page, first, count);
    }
    free(first);
    free(met);
    return needs;
}

/* ---- states ---- */

bool copy_is_home(const struct copy *c, const struct replay_node *n)
{
    return c->home == n->id + 1;
}

void dirty_add_copy(struct replay_node *n, struct copy *c)
{
    n->dirty = grow(n->dirty, &n->dirty_room, n->dirty_count + 1, sizeof *n->dirty);
    n->dirty[n->dirty_count++] = c->page;
    c->flags |= COPY_LISTED;
}

/* exclusive.c leave */
void exclusive_end_copy(struct replay_node *n, struct copy *c)
{
    c->flags = (uint8_t)((c->flags & ~COPY_EXCLUSIVE) | COPY_DIRTY);
    policy_retain_forget(&c->retain); /* [unshared.new-readers] */
    if (!(c->flags & COPY_LISTED))
        dirty_add_copy(n, c);
}

/* exclusive.c exclusive_begin: [unshared.announced-first]. */
bool exclusive_begin_copy(struct replay_node *n, struct copy *c)
{
    if (n->r->set[RECORD_SET_exclusive] != 0 || !copy_is_home(c, n) || c->shared->readers ||
        versions_of(&c->shared->applied, n->id) == 0)
        return false;
    if (!c->listed) {
        n->exclusive =
            grow(n->exclusive, &n->exclusive_room, n->exclusive_count + 1, sizeof *n->exclusive);
        n->exclusive[n->exclusive_count++] = c->page;
    }
    c->listed = true;
    c->flags = (uint8_t)((c->flags & ~COPY_DIRTY) | COPY_EXCLUSIVE);
    c->changed = false;
    COUNT(n, exclusive_pages, 1);
    return true;
}
