/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_shared.c - see barnes_shared.h. */
#include "apps/barnes_shared.h"

#include <stdlib.h>

/* Exact under the lock of the cell or after a barrier; otherwise the value may be stale or
 * torn. */
static uint32_t child_of(const struct shared_cell *c, unsigned octant)
{
    return atomic_load_explicit(&c->child[octant], memory_order_relaxed);
}

static void set_child(struct shared_cell *c, unsigned octant, uint32_t child)
{
    atomic_store_explicit(&c->child[octant], child, memory_order_relaxed);
}

static uint64_t cube_of(uint64_t key, unsigned level)
{
    return UINT64_C(1) << 3 * level | key >> bits_below(level);
}

static unsigned level_of(uint64_t cube)
{
    return (63 - (unsigned)__builtin_clzll(cube)) / 3;
}

/* The first key of a cube. */
static uint64_t key_begin(uint64_t cube)
{
    return (cube << bits_below(level_of(cube))) - KEY_END;
}

/* Octant of a cube of this level that contains the key. */
static unsigned octant_of(uint64_t key, unsigned level)
{
    return key >> bits_below(level + 1) & 7;
}

/* Above the last level every inner cell has more than LEAF bodies, and every leaf is non-empty. So
 * there are at most KEY_LEVELS inner cells per LEAF + 1 bodies, a leaf per body, and the chained
 * leaves. */
void shared_init(struct shared_tree *t, const struct space *s)
{
    *t = (struct shared_tree){ .space = s, .stride = stride_of(4 * (size_t)s->total + 1) };
    t->cell = app_shared("the cells", (size_t)app.nodes * t->stride * sizeof *t->cell);
    t->known = calloc((size_t)app.nodes * t->stride, sizeof *t->known);
    if (t->known == NULL)
        app_no_memory("the cells", (size_t)app.nodes * t->stride * sizeof *t->known);
}

static uint32_t first_cell(const struct shared_tree *t)
{
    return (uint32_t)((size_t)app.node * t->stride);
}

/* A leaf without bodies, of this node's part. Not visible to other nodes before it is linked. */
static uint32_t new_cell(struct shared_tree *t, uint64_t cube)
{
    uint32_t i = first_cell(t) + t->used++;

    t->cell[i] = (struct shared_cell){ .cube = cube };
    t->known[i] = t->step;
    if (cube != 0 && level_of(cube) > t->depth)
        t->depth = level_of(cube);
    return i;
}

void shared_begin(struct shared_tree *t)
{
    t->step++;
    t->used = t->depth = 0;
    if (app.node == 0)
        new_cell(t, cube_of(0, 0));
    t->known[SHARED_ROOT] = t->step;
}

static hlrc_lock_t lock_of(uint32_t cell)
{
    return (cell * UINT32_C(2654435761) >> 16) % HLRC_STATIC_LOCKS;
}

/* State for inserting this node's bodies. */
struct inserter {
    struct shared_tree *tree;
    const struct cube *space;
    uint64_t key; /* of the current body */
    uint32_t body;
};

static void leaf_add(struct shared_cell *leaf, uint32_t body)
{
    leaf->body[leaf->bodies++] = body;
}

/* The child for a key; created if missing. */
static struct shared_cell *need_child(struct shared_tree *t, struct shared_cell *c, uint64_t key)
{
    unsigned level = level_of(c->cube), octant = octant_of(key, level);

    if (child_of(c, octant) == 0)
        set_child(c, octant, new_cell(t, cube_of(key, level + 1)));
    return &t->cell[child_of(c, octant)];
}

/* A full leaf becomes an inner cell. Other nodes do not see the children yet. */
static void leaf_split(struct inserter *in, struct shared_cell *c)
{
    for (uint32_t i = 0; i < c->bodies; i++) {
        uint32_t body = c->body[i];

        leaf_add(need_child(in->tree, c, body_key(in->space, &in->tree->body[body])), body);
    }
    c->bodies = 0;
    c->inner = true;
}

/* A full leaf of the last level moves its bodies to a cell chained to it. */
static void leaf_spill(struct shared_tree *t, struct shared_cell *leaf)
{
    uint32_t i = new_cell(t, 0);

    t->cell[i].more = leaf->more;
    for (uint32_t k = 0; k < leaf->bodies; k++)
        leaf_add(&t->cell[i], leaf->body[k]);
    leaf->more = i;
    leaf->bodies = 0;
}

/* With the cell's lock held: inserts the body if possible here. Returns false if it belongs to an
 * existing child; this node then knows that child. */
static bool cell_take(struct inserter *in, struct shared_cell *c)
{
    unsigned level = level_of(c->cube);
    uint32_t child;

    if (!c->inner && c->bodies == LEAF && level == KEY_LEVELS)
        leaf_spill(in->tree, c);
    else if (!c->inner && c->bodies == LEAF)
        leaf_split(in, c);
    if (!c->inner) {
        leaf_add(c, in->body);
        return true;
    }
    child = child_of(c, octant_of(in->key, level));
    if (child == 0)
        leaf_add(need_child(in->tree, c, in->key), in->body);
    else
        in->tree->known[child] = in->tree->step;
    return child == 0;
}

/* The child for the key if this node knows it, or 0. Without the cell's lock: a torn read of a
 * child's index gives a lower index, which is another cell. */
static uint32_t known_child(const struct inserter *in, uint32_t cell)
{
    const struct shared_tree *t = in->tree;
    unsigned level = level_of(t->cell[cell].cube);
    uint32_t child;

    if (level == KEY_LEVELS)
        return 0;
    child = child_of(&t->cell[cell], octant_of(in->key, level));
    if (t->known[child] != t->step || t->cell[child].cube != cube_of(in->key, level + 1))
        return 0;
    return child;
}

/* Descends to the last cell that this node knows, and no further without a lock. */
static void insert(struct inserter *in)
{
    uint32_t i = SHARED_ROOT;
    bool taken = false;

    while (!taken) {
        uint32_t child = known_child(in, i);

        if (child != 0) {
            i = child;
            continue;
        }
        hlrc_lock(lock_of(i));
        taken = cell_take(in, &in->tree->cell[i]);
        hlrc_unlock(lock_of(i));
    }
}

void shared_build(struct shared_tree *t, const struct zone *zone, int now)
{
    struct note *note = note_of(t->space, app.node);
    struct inserter in = { .tree = t, .space = &zone->cube };
    uint32_t first = (uint32_t)((size_t)app.node * t->space->stride);

    t->body = t->space->body[now];
    for (uint32_t i = 0; i < zone->count; i++) {
        in.key = zone->list[i].key;
        in.body = first + i;
        insert(&in);
    }
    note->bodies = zone->count;
    note->depth = t->depth;
}

/* All bodies of a leaf are consecutive: a leaf is a range of keys and does not cross a zone border
 * (barnes_zone.h). */
static void finish_leaf(const struct shared_tree *t, struct shared_cell *leaf,
                        const struct cube *space)
{
    struct cell *c = &leaf->cell;
    const struct body *body;
    const struct shared_cell *part = leaf;
    uint64_t low, high;

    c->first = UINT32_MAX;
    do {
        for (uint32_t i = 0; i < part->bodies; i++)
            c->first = part->body[i] < c->first ? part->body[i] : c->first;
        c->count += part->bodies;
        part = &t->cell[part->more];
    } while (part != &t->cell[SHARED_ROOT]);
    body = &t->body[c->first];
    cell_sum_bodies(c, body);
    low = body_key(space, &body[0]);
    high = body_key(space, &body[c->count - 1]);
    cell_place(c, space, low, common_level(low, high));
}

/* The children are finished. Returns true if there are several, so that the cell remains. */
static bool finish_inner(const struct shared_tree *t, struct shared_cell *c,
                         const struct cube *space)
{
    unsigned level = level_of(c->cube);
    const struct cell *child[8];
    int children = 0;

    for (unsigned octant = 0; octant < 8; octant++) {
        uint32_t i = child_of(c, octant);

        if (i == 0)
            continue;
        c->finished = t->cell[i].finished;
        set_child(c, octant, c->finished);
        child[children] = &t->cell[c->finished].cell;
        c->cell.count += child[children++]->count;
    }
    if (children == 1)
        return false;
    cell_sum_cells(&c->cell, child, children);
    cell_place(&c->cell, space, key_begin(c->cube), level);
    return true;
}

static void finish_cell(const struct shared_tree *t, uint32_t i, const struct cube *space)
{
    struct shared_cell *c = &t->cell[i];

    if (!c->inner)
        finish_leaf(t, c, space);
    if (!c->inner || finish_inner(t, c, space))
        c->finished = i;
}

/* Finishes the cells of this level that this node made. */
static void finish_level(const struct shared_tree *t, uint32_t level, const struct cube *space)
{
    uint32_t begin = first_cell(t);

    for (uint32_t i = begin; i < begin + t->used; i++)
        if (t->cell[i].cube != 0 && level_of(t->cell[i].cube) == level)
            finish_cell(t, i, space);
}

void shared_finish(struct shared_tree *t, const struct cube *space)
{
    uint32_t depth = 0;

    for (int node = 0; node < app.nodes; node++)
        depth = note_of(t->space, node)->depth > depth ? note_of(t->space, node)->depth : depth;
    for (uint32_t below = 0; below <= depth; below++) {
        finish_level(t, depth - below, space);
        hlrc_barrier();
    }
    t->root = t->cell[SHARED_ROOT].finished;
    t->lost += t->space->total - t->cell[t->root].cell.count;
}

static void walk(const struct shared_tree *t, struct force *f, uint32_t i)
{
    const struct shared_cell *c = &t->cell[i];

    if (force_try_cell(f, &c->cell))
        return;
    if (!c->inner) {
        force_add_bodies(f, &t->body[c->cell.first], c->cell.count);
        return;
    }
    for (unsigned octant = 0; octant < 8; octant++)
        if (child_of(c, octant) != 0)
            walk(t, f, child_of(c, octant));
}

void shared_force(const struct shared_tree *t, struct force *force)
{
    walk(t, force, t->root);
}
