/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_copy.c - state of a page at a node and at its home: hlrc/memory/page.h, exclusive.c. */
#include <stdlib.h>
#include <string.h>

#include "hlrc/policy/policy_batch.h"
#include "hlrc/policy/policy_placement.h"
#include "sim/fail.h"
#include "sim/replay.h"

static struct policy_placement replay_copy_placement(const struct replay *r)
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
    return policy_placement_home(replay_copy_placement(r), page, r->nodes);
}

struct replay_shared *replay_shared_of(struct replay *r, uint32_t page)
{
    struct replay_shared *s = map_at(&r->pages, page, sizeof *s);

    s->page = page;
    return s;
}

/* ---- which copies a node has ---- */

#define CHUNK 64u

static uint64_t replay_copy_bit_of(uint32_t page)
{
    return UINT64_C(1) << page % CHUNK;
}

static unsigned replay_copy_rank_of(const struct replay_chunk *k, uint32_t page)
{
    return (unsigned)__builtin_popcountll(k->here & (replay_copy_bit_of(page) - 1));
}

static struct replay_chunk *replay_copy_chunk_of(struct replay_node *n, uint32_t page)
{
    uint32_t key = page / CHUNK;

    if (n->chunk == NULL || n->chunk_key != key)
        n->chunk = map_at(&n->chunks, key, sizeof *n->chunk);
    n->chunk_key = key;
    return n->chunk;
}

void replay_copy_begin(struct replay_node *n, struct replay_copy *c)
{
    c->access = OPEN_LOADS; /* rule 7 */
    if (n->r->protocol == REPLAY_ASYNC && replay_default_home(n->r, c->page) == n->id) {
        /* [pages-async.first-request] */
        c->access = replay_copy_chunk_of(n, c->page)->open & replay_copy_bit_of(c->page)
                        ? OPEN_STORES
                        : CLOSED;
        c->flags |= COPY_EXCLUSIVE;
    } else if (n->r->protocol == REPLAY_ASYNC) {
        c->access = CLOSED;
        c->flags |= COPY_STALE;
    }
}

static struct replay_copy *replay_copy_in(const struct replay_chunk *k, uint32_t page)
{
    return k->here & replay_copy_bit_of(page) ? k->copy[replay_copy_rank_of(k, page)] : NULL;
}

struct replay_copy *replay_copy_found(struct replay_node *n, uint32_t page)
{
    struct replay_chunk *k = replay_copy_chunk_of(n, page);

    n->known += !(k->met & replay_copy_bit_of(page));
    k->met |= replay_copy_bit_of(page);
    return replay_copy_in(k, page);
}

bool replay_copy_is_shut(const struct replay_copy *c)
{
    return (c->flags & (COPY_EXCLUSIVE | COPY_BUSY | COPY_STALE)) == COPY_EXCLUSIVE &&
           c->access == CLOSED && !c->held && !c->migrate.watched;
}

static bool sim_replay_copy_is_shut(struct replay_node *n, uint32_t page)
{
    const struct replay_chunk *k = replay_copy_chunk_of(n, page);
    const struct replay_copy *c = replay_copy_in(k, page);

    return c != NULL ? replay_copy_is_shut(c) : !(k->open & replay_copy_bit_of(page));
}

static void replay_copy_open_for_stores(struct replay_node *n, uint32_t page)
{
    struct replay_chunk *k = replay_copy_chunk_of(n, page);
    struct replay_copy *c = replay_copy_in(k, page);

    k->open |= replay_copy_bit_of(page);
    if (c != NULL)
        c->access = OPEN_STORES;
}

void replay_copy_open_alone(struct replay_node *n, struct replay_copy *c)
{
    uint32_t pages = 1u << policy_placement_shift(replay_copy_placement(n->r), c->page),
             first = c->page, end = c->page + 1;

    pages = pages < POLICY_BATCH_RUN ? pages : POLICY_BATCH_RUN;
    for (; first % pages != 0 && sim_replay_copy_is_shut(n, first - 1); first--)
        replay_copy_open_for_stores(n, first - 1);
    for (; end % pages != 0 && end < n->r->set[RECORD_SET_pages] && sim_replay_copy_is_shut(n, end);
         end++)
        replay_copy_open_for_stores(n, end);
    replay_copy_open_for_stores(n, c->page);
    n->debt += n->r->m.split_ns * SIM_NS;
}

void replay_copy_shut(struct replay_node *n, uint32_t page)
{
    replay_copy_chunk_of(n, page)->open &= ~replay_copy_bit_of(page);
}

static void replay_copy_put_in(struct replay_chunk *k, struct replay_copy *c)
{
    unsigned count = (unsigned)__builtin_popcountll(k->here), at = replay_copy_rank_of(k, c->page);

    if ((count & (count - 1)) == 0)
        k->copy = fail_realloc(k->copy, count == 0 ? 1 : 2 * count, sizeof *k->copy);
    memmove(&k->copy[at + 1], &k->copy[at], (count - at) * sizeof *k->copy);
    k->copy[at] = c;
    k->here |= replay_copy_bit_of(c->page);
}

static void replay_copy_catch_up(struct replay_node *n, struct replay_copy *c)
{
    const struct replay_shared *s = c->shared;

    c->access = CLOSED;
    c->flags |= COPY_STALE;
    if (n->r->protocol == REPLAY_ONESIDED) /* page.c told_is_there */
        return;
    for (uint32_t i = 0; i < s->announcements; i++) {
        struct replay_version v = s->announced[i];
        if (v.writer != n->id && v.interval <= n->noticed[v.writer])
            versions_raise(&c->need, v.writer, v.interval);
    }
}

struct replay_copy *replay_copy_of(struct replay_node *n, uint32_t page)
{
    struct replay_copy *c = replay_copy_found(n, page);
    struct replay_chunk *k;

    if (c != NULL)
        return c;
    c = fail_alloc(1, sizeof *c);
    c->page = page;
    c->shared = replay_shared_of(n->r, page);
    replay_copy_begin(n, c);
    k = replay_copy_chunk_of(n, page);
    replay_copy_put_in(k, c);
    if (k->told & replay_copy_bit_of(page))
        replay_copy_catch_up(n, c);
    return c;
}

bool replay_copy_tell(struct replay_node *n, uint32_t page)
{
    const struct replay *r = n->r;
    struct replay_chunk *k = replay_copy_chunk_of(n, page);

    if (k->told & replay_copy_bit_of(page))
        return false;
    k->told |= replay_copy_bit_of(page);
    if (r->protocol == REPLAY_ASYNC && replay_default_home(r, page) != n->id)
        return false; /* replay_copy_begin: closed, and stale */
    COUNT(n, invalidations, 1);
    return true;
}

void replay_copies_each(struct replay_node *n,
                        void (*fn)(struct replay_node *n, struct replay_copy *c))
{
    for (uint32_t i = 0; i < n->chunks.count; i++) {
        const struct replay_chunk *k = n->chunks.value[i];
        for (int j = 0; j < __builtin_popcountll(k->here); j++)
            fn(n, k->copy[j]);
    }
}

/* Finds the first announcement of each writer; returns their number. */
static uint32_t replay_copy_first_announcements(const struct replay_shared *s,
                                                struct replay_version *first, bool *met)
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

static uint64_t replay_copy_needs_of(struct replay_node *n, uint32_t page,
                                     const struct replay_version *first, uint32_t count)
{
    const struct replay_copy *c = replay_copy_in(replay_copy_chunk_of(n, page), page);
    uint64_t needs = 0;

    if (c != NULL || n->r->protocol == REPLAY_ONESIDED)
        return c != NULL ? c->need.count : 0;
    for (uint32_t i = 0; i < count; i++)
        needs += first[i].writer != n->id && first[i].interval <= n->noticed[first[i].writer];
    return needs;
}

uint64_t *replay_copies_needs(struct replay *r)
{
    uint64_t *needs = fail_alloc(r->nodes, sizeof *needs);
    struct replay_version *first = fail_alloc(r->nodes, sizeof *first);
    bool *met = fail_alloc(r->nodes, sizeof *met);

    for (uint32_t i = 0; i < r->pages.count; i++) {
        const struct replay_shared *s = r->pages.value[i];
        uint32_t count = replay_copy_first_announcements(s, first, met);
        for (unsigned n = 0; n < r->nodes; n++)
            needs[n] += replay_copy_needs_of(&r->node[n], s->page, first, count);
    }
    free(first);
    free(met);
    return needs;
}

/* ---- states ---- */

bool replay_copy_is_home(const struct replay_copy *c, const struct replay_node *n)
{
    return c->home == n->id + 1;
}

void replay_dirty_add_copy(struct replay_node *n, struct replay_copy *c)
{
    *MAP_PUSH(n->dirty, n->dirty_count, n->dirty_room) = c->page;
    c->flags |= COPY_LISTED;
}

/* exclusive.c leave */
void replay_exclusive_end_copy(struct replay_node *n, struct replay_copy *c)
{
    c->flags = (uint8_t)((c->flags & ~COPY_EXCLUSIVE) | COPY_DIRTY);
    policy_retain_forget(&c->retain); /* [unshared.new-readers] */
    if (!(c->flags & COPY_LISTED))
        replay_dirty_add_copy(n, c);
}

/* exclusive.c exclusive_begin: [unshared.announced-first]. */
bool replay_exclusive_begin_copy(struct replay_node *n, struct replay_copy *c)
{
    if (n->r->set[RECORD_SET_exclusive] != 0 || !replay_copy_is_home(c, n) || c->shared->readers ||
        versions_of(&c->shared->applied, n->id) == 0)
        return false;
    if (!c->listed)
        *MAP_PUSH(n->exclusive, n->exclusive_count, n->exclusive_room) = c->page;
    c->listed = true;
    c->flags = (uint8_t)((c->flags & ~COPY_DIRTY) | COPY_EXCLUSIVE);
    c->changed = false;
    COUNT(n, exclusive_pages, 1);
    return true;
}
