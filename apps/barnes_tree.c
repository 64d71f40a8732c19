/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_tree.c - see barnes_tree.h. */
#include "apps/barnes_tree.h"

#include <math.h>
#include <stdlib.h>

void tree_init(struct tree *tree, const struct space *s)
{
    *tree = (struct tree){ .space = s };
}

/* State for building a node's branches; indices are within its parts. */
struct builder {
    const struct zone *zone;
    const struct body *body;
    struct cell *cell;
    uint64_t *root;
    uint32_t cells;
};

/* Of the bodies [begin, end), all of one cube: the end of the bodies in the same cube of `level`
 * as the first. */
static uint32_t octant_end(const struct builder *b, uint32_t begin, uint32_t end, unsigned level)
{
    uint64_t behind =
        cube_begin(b->zone->list[begin].key, level) + (UINT64_C(1) << bits_below(level));

    return entry_search(b->zone->list, begin, end, behind);
}

/* The level of the smallest cube around bodies. */
static unsigned level_of(const struct builder *b, const struct cell *c)
{
    return common_level(b->zone->list[c->first].key, b->zone->list[c->first + c->count - 1].key);
}

static struct cell *new_cell(struct builder *b, uint32_t begin, uint32_t end)
{
    struct cell *c = &b->cell[b->cells++];

    *c =
        (struct cell){ .next = CELL_END, .child = CELL_LEAF, .first = begin, .count = end - begin };
    return c;
}

/* Bodies [begin, end) of one cube: makes a root if the cube is inside the zone, otherwise handles
 * its octants one by one. */
static void make_roots(struct builder *b, uint32_t begin, uint32_t end, unsigned level)
{
    uint64_t key = b->zone->list[begin].key, low = cube_begin(key, level);

    if (low >= b->zone->begin && low + (UINT64_C(1) << bits_below(level)) <= b->zone->end) {
        b->root[b->cells] = key;
        new_cell(b, begin, end);
        return;
    }
    for (uint32_t i = begin, behind; i < end; i = behind) {
        behind = octant_end(b, i, end, level + 1);
        make_roots(b, i, behind, level + 1);
    }
}

/* Bodies with different keys are in at least two octants, so there are fewer cells than twice the
 * bodies. */
static void make_children(struct builder *b, struct cell *c)
{
    unsigned level = level_of(b, c);
    uint32_t end = c->first + c->count;

    if (c->count <= LEAF || level == KEY_LEVELS)
        return;
    c->child = b->cells;
    for (uint32_t i = c->first, behind; i < end; i = behind) {
        struct cell *child = new_cell(b, i, behind = octant_end(b, i, end, level + 1));

        child->next = behind < end ? b->cells : c->next;
    }
}

static void sum_children(struct cell *c, const struct cell *cell)
{
    const struct cell *child[8];
    int children = 0;

    for (uint32_t i = c->child; i != c->next; i = cell[i].next)
        child[children++] = &cell[i];
    cell_sum_cells(c, child, children);
}

static void finish_cell(const struct builder *b, struct cell *c)
{
    if (c->child == CELL_LEAF)
        cell_sum_bodies(c, &b->body[c->first]);
    else
        sum_children(c, b->cell);
    cell_place(c, &b->zone->cube, b->zone->list[c->first].key, level_of(b, c));
}

void tree_build(const struct space *s, const struct zone *zone, int now)
{
    struct note *note = note_of(s, app.node);
    struct builder b = { .zone = zone,
                         .body = &s->body[now][(size_t)app.node * s->stride],
                         .cell = cells_of(s, app.node),
                         .root = roots_of(s, app.node) };

    app_will_write(b.cell, note->cells * sizeof *b.cell); /* the number of the last step */
    if (zone->count != 0)
        make_roots(&b, 0, zone->count, 0);
    note->roots = b.cells;
    for (uint32_t i = 0; i < b.cells; i++)
        make_children(&b, &b.cell[i]);
    for (uint32_t i = b.cells; i-- != 0;)
        finish_cell(&b, &b.cell[i]);
    note->cells = b.cells;
    note->bodies = zone->count;
}

/* A root, as seen by the cells above it. */
struct joint {
    uint64_t key;
    uint32_t node, cell;
};

/* State for building the top cells. */
struct joiner {
    struct tree *tree;
    const struct cube *cube;
    struct joint *joint; /* the roots of all nodes in key order */
};

static const struct cell *join_cells(struct joiner *j, uint32_t begin, uint32_t end);

/* Of the roots [begin, end): the end of the roots in the same cube of `level` as the first. */
static uint32_t joint_end(const struct joiner *j, uint32_t begin, uint32_t end, unsigned level)
{
    uint64_t low = cube_begin(j->joint[begin].key, level);

    while (begin < end && cube_begin(j->joint[begin].key, level) == low)
        begin++;
    return begin;
}

static void join_children(struct joiner *j, struct cell *c, uint32_t begin, uint32_t end)
{
    unsigned level = common_level(j->joint[begin].key, j->joint[end - 1].key);
    const struct cell *child[8];
    int children = 0;

    for (uint32_t i = begin, behind; i < end; i = behind) {
        behind = joint_end(j, i, end, level + 1);
        child[children++] = join_cells(j, i, behind);
    }
    cell_sum_cells(c, child, children);
    cell_place(c, j->cube, j->joint[begin].key, level);
    c->next = j->tree->top_used;
}

/* Returns the cell over the roots [begin, end); a single root is returned itself. */
static const struct cell *join_cells(struct joiner *j, uint32_t begin, uint32_t end)
{
    struct cell *c = &j->tree->top[j->tree->top_used++];
    const struct joint *only = &j->joint[begin];

    *c = (struct cell){ .child = j->tree->top_used };
    if (end - begin > 1) {
        join_children(j, c, begin, end);
        return c;
    }
    *c = (struct cell){
        .child = CELL_ROOT, .first = only->cell, .count = only->node, .next = j->tree->top_used
    };
    c->side = INFINITY; /* is always opened */
    return &cells_of(j->tree->space, (int)only->node)[only->cell];
}

static uint32_t count_roots(const struct space *s)
{
    uint32_t roots = 0;

    for (int node = 0; node < app.nodes; node++)
        roots += note_of(s, node)->roots;
    return roots;
}

/* Starts to fetch the other nodes' parts of the tree. Starts with the next node, so that requests
 * are spread over the nodes. */
static void fetch_all(const struct tree *tree)
{
    const struct space *s = tree->space;

    for (int distance = 1; distance < app.nodes; distance++) {
        int node = (app.node + distance) % app.nodes;
        const struct note *note = note_of(s, node);

        app_will_read(roots_of(s, node), note->roots * sizeof *s->root);
        app_will_read(cells_of(s, node), note->cells * sizeof *s->cell);
        app_will_read(tree_bodies(tree, node), note->bodies * sizeof *tree->body);
    }
}

static void list_roots(const struct space *s, struct joint *to)
{
    for (int node = 0; node < app.nodes; node++) {
        const uint64_t *root = roots_of(s, node);

        for (uint32_t i = 0; i < note_of(s, node)->roots; i++)
            *to++ = (struct joint){ root[i], (uint32_t)node, i };
    }
}

void tree_join(struct tree *tree, const struct zone *zone, int now)
{
    const struct space *s = tree->space;
    struct joiner j = { .tree = tree, .cube = &zone->cube };
    uint32_t roots;

    tree->body = s->body[now];
    app_will_read(s->notes, (size_t)app.nodes * sizeof *s->notes);
    fetch_all(tree);
    roots = count_roots(s);
    if (2 * (size_t)roots > tree->top_size) {
        free(tree->top);
        tree->top_size = 4 * (size_t)roots;
        tree->top = app_private("the top of the tree", tree->top_size * sizeof *tree->top);
    }
    tree->top_used = 0;
    j.joint = app_private("the roots", roots * sizeof *j.joint);
    list_roots(s, j.joint);
    join_cells(&j, 0, roots);
    for (uint32_t i = 0; i < tree->top_used; i++)
        if (tree->top[i].next == tree->top_used)
            tree->top[i].next = CELL_END;
    free(j.joint);
}

/* Walks from a cell to the end, or to a top cell that is a root. Works on a copy, which fits in
 * registers. */
static uint32_t walk(struct force *force, const struct cell *cell, const struct body *body,
                     uint32_t i)
{
    struct force f = *force;

    while (i != CELL_END) {
        const struct cell *c = &cell[i];
        bool far = force_try_cell(&f, c);

        if (!far && c->child == CELL_ROOT)
            break;
        if (!far && c->child == CELL_LEAF)
            force_add_bodies(&f, &body[c->first], c->count);
        i = far || c->child == CELL_LEAF ? c->next : c->child;
    }
    *force = f;
    return i;
}

void tree_force(const struct tree *tree, struct force *f)
{
    uint32_t i = 0;

    if (tree->shared != NULL) {
        shared_force(tree->shared, f);
        return;
    }
    while ((i = walk(f, tree->top, NULL, i)) != CELL_END) {
        int node = (int)tree->top[i].count;

        f->cost--; /* the root is counted in its own node's part */
        walk(f, cells_of(tree->space, node), tree_bodies(tree, node), tree->top[i].first);
        i = tree->top[i].next;
    }
}
