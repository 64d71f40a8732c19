/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_copy.c - what a node, and a home, knows of a page: hlrc/memory/page.h, exclusive.c. */
#include "sim/fail.h"
#include "sim/replay.h"

static uint64_t shift_of(const struct replay *r, uint32_t page)
{
    const uint64_t *set = r->set;

    if (page >= set[RECORD_SET_heap_pages])
        return set[RECORD_SET_range_shift];
    if (page - (uint32_t)set[RECORD_SET_home_near] < set[RECORD_SET_home_near_pages])
        return set[RECORD_SET_home_shift];
    return set[RECORD_SET_far_shift];
}

unsigned replay_default_home(const struct replay *r, uint32_t page)
{
    return (page >> shift_of(r, page)) % r->nodes;
}

/* page_view.c block_rest: where the block ends, or where blocks have another length. */
static uint64_t block_end(const struct replay *r, uint64_t page)
{
    uint64_t shift = shift_of(r, (uint32_t)page), end = ((page >> shift) + 1) << shift;
    uint64_t near = r->set[RECORD_SET_home_near];
    const uint64_t other[] = { near, near + r->set[RECORD_SET_home_near_pages],
                               r->set[RECORD_SET_heap_pages], r->set[RECORD_SET_pages] };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i] > page && other[i] < end)
            end = other[i];
    return end;
}

/* page_view.c view_init: blocks of one default home, side by side they are one run. */
uint32_t replay_own_runs(const struct replay_node *n)
{
    const struct replay *r = n->r;
    uint64_t pages = r->set[RECORD_SET_pages], page = 0;
    uint32_t runs = 0;
    bool before = false;

    for (; page < pages; page = block_end(r, page)) {
        bool own = replay_default_home(r, (uint32_t)page) == n->id;
        runs += own && !before;
        before = own;
    }
    return runs;
}

struct shared *shared_of(struct replay *r, uint32_t page)
{
    bool is_new;
    uint32_t i = map_index(&r->pages, page, &is_new);

    r->shared = grow(r->shared, &r->shared_room, i + 1, sizeof *r->shared);
    if (is_new)
        r->shared[i] = sim_new(1, sizeof **r->shared);
    return r->shared[i];
}

void copy_begin(struct replay_node *n, struct copy *c)
{
    c->access = OPEN_LOADS; /* A1 */
    if (n->r->protocol == REPLAY_ASYNC && replay_default_home(n->r, c->page) == n->id) {
        c->access = OPEN_STORES; /* H1 */
        c->flags |= COPY_EXCLUSIVE;
    } else if (n->r->protocol == REPLAY_ASYNC) {
        c->access = CLOSED;
        c->flags |= COPY_STALE;
    }
}

struct copy *copy_of(struct replay_node *n, uint32_t page)
{
    bool is_new;
    uint32_t i = map_index(&n->pages, page, &is_new);

    n->copy = grow(n->copy, &n->copy_room, i + 1, sizeof *n->copy);
    if (!is_new)
        return n->copy[i];
    struct copy *c = n->copy[i] = sim_new(1, sizeof *c);
    c->page = page;
    c->shared = shared_of(n->r, page);
    copy_begin(n, c);
    return c;
}

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
    c->budget = c->idle = 0; /* EP6 */
    if (!(c->flags & COPY_LISTED))
        dirty_add_copy(n, c);
}

/* exclusive.c exclusive_begin: EP2. */
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
