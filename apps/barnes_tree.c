/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_tree.c - see barnes_tree.h. */
#include "apps/barnes_tree.h"

#include <math.h>
#include <stdlib.h>

void tree_init(struct tree *tree, const struct space *s)
{
    *tree = (struct tree){ .space = s };
}

void tree_free(struct tree *tree)
{
    free(tree->top);
}

/* Sums of second moments, in full precision until the cell is complete. */
struct moments {
    double xx, xy, xz, yy, yz, zz;
};

static void moments_add(struct moments *s, double m, double x, double y, double z)
{
    s->xx += m * x * x;
    s->xy += m * x * y;
    s->xz += m * x * z;
    s->yy += m * y * y;
    s->yz += m * y * z;
    s->zz += m * z * z;
}

static void moments_store(const struct moments *s, struct cell *c)
{
    c->xx = (float)s->xx;
    c->xy = (float)s->xy;
    c->xz = (float)s->xz;
    c->yy = (float)s->yy;
    c->yz = (float)s->yz;
    c->zz = (float)s->zz;
}

/* Adds up masses and their positions; cell_centre() then turns the sums into a centre. */
static void cell_weigh(struct cell *c, double m, double x, double y, double z)
{
    c->mass += m;
    c->x += m * x;
    c->y += m * y;
    c->z += m * z;
}

static void cell_centre(struct cell *c)
{
    c->x /= c->mass;
    c->y /= c->mass;
    c->z /= c->mass;
}

static void sum_bodies(struct cell *c, const struct body *body)
{
    struct moments s = { 0 };

    for (uint32_t i = 0; i < c->count; i++)
        cell_weigh(c, body[i].mass, body[i].x, body[i].y, body[i].z);
    cell_centre(c);
    for (uint32_t i = 0; i < c->count; i++)
        moments_add(&s, body[i].mass, body[i].x - c->x, body[i].y - c->y, body[i].z - c->z);
    moments_store(&s, c);
}

static void sum_cells(struct cell *c, const struct cell *const child[8], int n)
{
    struct moments s = { 0 };

    for (int i = 0; i < n; i++)
        cell_weigh(c, child[i]->mass, child[i]->x, child[i]->y, child[i]->z);
    cell_centre(c);
    for (int i = 0; i < n; i++) {
        const struct cell *k = child[i];

        moments_add(&s, k->mass, k->x - c->x, k->y - c->y, k->z - c->z);
        s.xx += (double)k->xx;
        s.xy += (double)k->xy;
        s.xz += (double)k->xz;
        s.yy += (double)k->yy;
        s.yz += (double)k->yz;
        s.zz += (double)k->zz;
    }
    moments_store(&s, c);
}

/* Gathers bits 0, 3, 6, ... */
static uint64_t compact(uint64_t bits)
{
    bits &= UINT64_C(0x1249249249249249);
    bits = (bits | bits >> 2) & UINT64_C(0x10c30c30c30c30c3);
    bits = (bits | bits >> 4) & UINT64_C(0x100f00f00f00f00f);
    bits = (bits | bits >> 8) & UINT64_C(0x001f0000ff0000ff);
    bits = (bits | bits >> 16) & UINT64_C(0x001f00000000ffff);
    return (bits | bits >> 32) & UINT64_C(0x00000000001fffff);
}

/* The size of the cube of this level around `key`, and where in it the centre of mass lies. */
static void cell_place(struct cell *c, const struct cube *space, uint64_t key, unsigned level)
{
    double side = space->side / (double)(1u << level);
    uint64_t number = key >> bits_below(level);
    double dx = c->x - (space->low[0] + ((double)compact(number) + 0.5) * side);
    double dy = c->y - (space->low[1] + ((double)compact(number >> 1) + 0.5) * side);
    double dz = c->z - (space->low[2] + ((double)compact(number >> 2) + 0.5) * side);

    c->side = (float)side;
    c->offset = (float)sqrt(dx * dx + dy * dy + dz * dz);
}

/* What a node needs to build its branches; indices are within its parts. */
struct builder {
    const struct zone *zone;
    const struct body *body;
    struct cell *cell;
    uint64_t *root;
    uint32_t cells;
};

/* The end of those of the bodies [begin, end), all of one cube, that lie in the same cube of
 * `level` as the first. */
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

/* Bodies [begin, end) of one cube: a root if the cube lies in the zone, otherwise its octants one
 * by one. */
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

/* Bodies of different keys lie in two octants at least, so that there are fewer cells than twice
 * the bodies. */
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
    sum_cells(c, child, children);
}

static void finish_cell(const struct builder *b, struct cell *c)
{
    if (c->child == CELL_LEAF)
        sum_bodies(c, &b->body[c->first]);
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

    app_will_write(b.cell, note->cells * sizeof *b.cell); /* as many as at the last step */
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

/* A root, as the cells above it see it. */
struct joint {
    uint64_t key;
    uint32_t node, cell;
};

/* Makes the top cells. */
struct joiner {
    struct tree *tree;
    const struct cube *cube;
    struct joint *joint; /* the roots of all nodes in the order of keys */
};

static const struct cell *join_cells(struct joiner *j, uint32_t begin, uint32_t end);

/* The end of those of the roots [begin, end) that lie in the same cube of `level` as the first. */
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
    sum_cells(c, child, children);
    cell_place(c, j->cube, j->joint[begin].key, level);
    c->next = j->tree->top_used;
}

/* Returns the cell over the roots [begin, end), which is the root itself when there is one. */
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
    c->side = INFINITY; /* is never far away */
    return &cells_of(j->tree->space, (int)only->node)[only->cell];
}

static uint32_t count_roots(const struct space *s)
{
    uint32_t roots = 0;

    for (int node = 0; node < app.nodes; node++)
        roots += note_of(s, node)->roots;
    return roots;
}

/* Starts to fetch what the others made of the tree. The next node comes first, so that not all ask
 * the same one. */
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

/* Mass and second moments, at (dx, dy, dz) from the body: the Taylor series of the softened
 * potential. */
static void add_cell(struct force *f, const struct cell *c, double dx, double dy, double dz,
                     double d2)
{
    double inverse = 1 / sqrt(d2 + f->eps2), inverse2 = inverse * inverse;
    double sx = (double)c->xx * dx + (double)c->xy * dy + (double)c->xz * dz;
    double sy = (double)c->xy * dx + (double)c->yy * dy + (double)c->yz * dz;
    double sz = (double)c->xz * dx + (double)c->yz * dy + (double)c->zz * dz;
    double along = (sx * dx + sy * dy + sz * dz) * inverse2;
    double trace = (double)c->xx + (double)c->yy + (double)c->zz;
    double inverse3 = inverse * inverse2, inverse5 = inverse3 * inverse2;
    double radial = c->mass * inverse3 + (7.5 * along - 1.5 * trace) * inverse5;

    f->ax += radial * dx - 3 * inverse5 * sx;
    f->ay += radial * dy - 3 * inverse5 * sy;
    f->az += radial * dz - 3 * inverse5 * sz;
    f->potential -= c->mass * inverse + (1.5 * along - 0.5 * trace) * inverse3;
}

/* Without softening, bodies at the very same place do not act on each other: the force has no
 * direction. */
static void add_bodies(struct force *f, const struct body *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double dx = body[i].x - f->x, dy = body[i].y - f->y, dz = body[i].z - f->z;
        double D2 = dx * dx + dy * dy + dz * dz + f->eps2;

        if (&body[i] == f->self || D2 == 0)
            continue;
        double inverse = 1 / sqrt(D2), potential = body[i].mass * inverse;
        double radial = potential * inverse * inverse;

        f->ax += radial * dx;
        f->ay += radial * dy;
        f->az += radial * dz;
        f->potential -= potential;
    }
    f->cost += n;
}

/* The cell's force if it is far enough away. */
static bool try_cell(struct force *f, const struct cell *c)
{
    double dx = c->x - f->x, dy = c->y - f->y, dz = c->z - f->z;
    double d2 = dx * dx + dy * dy + dz * dz;

    f->cost++;
    if (!cell_far(c, d2, f->inverse_theta))
        return false;
    add_cell(f, c, dx, dy, dz, d2);
    return true;
}

/* Walks on from a cell to the end, or to a top cell that is a root. Works on a copy, which
 * registers can hold. */
static uint32_t walk(struct force *force, const struct cell *cell, const struct body *body,
                     uint32_t i)
{
    struct force f = *force;

    while (i != CELL_END) {
        const struct cell *c = &cell[i];
        bool far = try_cell(&f, c);

        if (!far && c->child == CELL_ROOT)
            break;
        if (!far && c->child == CELL_LEAF)
            add_bodies(&f, &body[c->first], c->count);
        i = far || c->child == CELL_LEAF ? c->next : c->child;
    }
    *force = f;
    return i;
}

void tree_force(const struct tree *tree, struct force *f)
{
    uint32_t i = 0;

    while ((i = walk(f, tree->top, NULL, i)) != CELL_END) {
        int node = (int)tree->top[i].count;

        f->cost--; /* the root is counted where it is */
        walk(f, cells_of(tree->space, node), tree_bodies(tree, node), tree->top[i].first);
        i = tree->top[i].next;
    }
}
