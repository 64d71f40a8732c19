/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_check.c - see barnes_check.h. */
#include "apps/barnes_check.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-6 /* second moments are kept in single precision */

struct vector {
    double x, y, z;
};

static double length2(struct vector v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

/* A body of the sample, and the findings on the cells that act on it. */
struct probe {
    const struct tree *tree;
    const struct body *self;
    struct vector at;
    double inverse_theta, eps2;
    double bound;   /* on the error, summed so far */
    double moments; /* greatest error of a moment */
};

/* The bodies of a cell about its centre of mass. */
struct extent {
    double b2, third; /* greatest distance, squared; sum of m r^3 */
    double mass, x, y, z, second[MOMENTS];
};

static void extent_add(struct extent *e, const struct cell *c, const struct body *body, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double m = body[i].mass, x = body[i].x - c->x, y = body[i].y - c->y, z = body[i].z - c->z;
        double r2 = length2((struct vector){ x, y, z });

        e->b2 = fmax(e->b2, r2);
        e->third += m * r2 * sqrt(r2);
        e->mass += m;
        e->x += m * x;
        e->y += m * y;
        e->z += m * z;
        moments_add(e->second, m, x, y, z);
    }
}

static double moments_error(const struct extent *e, const struct cell *c)
{
    double side = (double)c->side;
    const double first[] = { e->x, e->y, e->z };
    double error = fabs(e->mass - c->mass) / e->mass;

    for (int i = 0; i < 3; i++)
        error = fmax(error, fabs(first[i]) / (e->mass * side));
    for (int i = 0; i < MOMENTS; i++)
        error = fmax(error, fabs(e->second[i] - (double)c->second[i]) / (e->mass * side * side));
    return error;
}

static void look_at(struct probe *p, const struct cell *c, const struct extent *e, double d2)
{
    double D2 = d2 + p->eps2, u = sqrt(e->b2 / D2);

    p->bound +=
        u < 1 ? e->third / (D2 * D2 * sqrt(D2)) * (4 - 3 * u) / ((1 - u) * (1 - u)) : INFINITY;
    p->moments = fmax(p->moments, moments_error(e, c));
}

static double distance2(const struct probe *p, const struct cell *c)
{
    return length2((struct vector){ c->x - p->at.x, c->y - p->at.y, c->z - p->at.z });
}

/* Walks as the force computation does: barnes_tree.c. */
static void bound_branch(struct probe *p, int node, uint32_t root)
{
    const struct cell *cell = cells_of(p->tree->space, node);

    for (uint32_t i = root; i != CELL_END;) {
        const struct cell *c = &cell[i];
        double d2 = distance2(p, c);
        bool far = cell_far(c, d2, p->inverse_theta);
        struct extent e = { 0 };

        if (far) {
            extent_add(&e, c, &tree_bodies(p->tree, node)[c->first], c->count);
            look_at(p, c, &e, d2);
        }
        i = far || c->child == CELL_LEAF ? c->next : c->child;
    }
}

/* The bodies of a top cell are the bodies of the roots below it. */
static void bound_top(struct probe *p, uint32_t index, double d2)
{
    const struct cell *top = p->tree->top;
    struct extent e = { 0 };

    for (uint32_t i = index + 1; i < p->tree->top_used && i != top[index].next; i++) {
        if (top[i].child != CELL_ROOT)
            continue;
        const struct cell *root = &cells_of(p->tree->space, (int)top[i].count)[top[i].first];

        extent_add(&e, &top[index], &tree_bodies(p->tree, (int)top[i].count)[root->first],
                   root->count);
    }
    look_at(p, &top[index], &e, d2);
}

static void extent_add_branch(struct extent *e, const struct cell *c, const struct shared_tree *t,
                              uint32_t branch)
{
    const struct shared_cell *b = &t->cell[branch];

    if (!b->inner)
        extent_add(e, c, &t->body[b->cell.first], b->cell.count);
    for (unsigned octant = 0; b->inner && octant < 8; octant++)
        if (b->child[octant] != 0)
            extent_add_branch(e, c, t, b->child[octant]);
}

static void bound_shared(struct probe *p, const struct shared_tree *t, uint32_t branch)
{
    const struct shared_cell *b = &t->cell[branch];
    double d2 = distance2(p, &b->cell);
    struct extent e = { 0 };

    if (cell_far(&b->cell, d2, p->inverse_theta)) {
        extent_add_branch(&e, &b->cell, t, branch);
        look_at(p, &b->cell, &e, d2);
        return;
    }
    for (unsigned octant = 0; b->inner && octant < 8; octant++)
        if (b->child[octant] != 0)
            bound_shared(p, t, b->child[octant]);
}

static double error_bound(struct probe *p)
{
    const struct cell *top = p->tree->top;

    p->bound = 0;
    if (p->tree->shared != NULL) {
        bound_shared(p, p->tree->shared, p->tree->shared->root);
        return p->bound;
    }
    for (uint32_t i = 0; i != CELL_END;) {
        double d2 = distance2(p, &top[i]);
        bool far = top[i].child != CELL_ROOT && cell_far(&top[i], d2, p->inverse_theta);

        if (top[i].child == CELL_ROOT)
            bound_branch(p, (int)top[i].count, top[i].first);
        if (far)
            bound_top(p, i, d2);
        i = far || top[i].child == CELL_ROOT ? top[i].next : top[i].child;
    }
    return p->bound;
}

static struct vector direct_force(const struct probe *p)
{
    struct vector a = { 0, 0, 0 };

    for (int node = 0; node < app.nodes; node++) {
        const struct body *body = tree_bodies(p->tree, node);

        for (uint32_t i = 0; i < note_of(p->tree->space, node)->bodies; i++) {
            struct vector d = { body[i].x - p->at.x, body[i].y - p->at.y, body[i].z - p->at.z };
            double D2 = length2(d) + p->eps2, w = D2 > 0 ? body[i].mass / (D2 * sqrt(D2)) : 0;

            a.x += w * d.x;
            a.y += w * d.y;
            a.z += w * d.z;
        }
    }
    return a;
}

static struct vector tree_error(const struct probe *p, struct vector exact)
{
    struct force f = { .self = p->self, .x = p->at.x, .y = p->at.y, .z = p->at.z };

    f.inverse_theta = p->inverse_theta;
    f.eps2 = p->eps2;
    tree_force(p->tree, &f);
    return (struct vector){ f.ax - exact.x, f.ay - exact.y, f.az - exact.z };
}

static void check_force(struct probe *p, double theta, struct findings *found)
{
    struct vector exact = direct_force(p);
    double thetas[CHECKS], tolerance[CHECKS];

    check_thetas(theta, thetas, tolerance);
    for (int i = 0; i < CHECKS; i++) {
        double error2, bound;

        p->inverse_theta = 1 / thetas[i];
        error2 = length2(tree_error(p, exact));
        bound = error_bound(p) + ROUNDING * sqrt(length2(exact));
        found->error2[i] += error2;
        if (error2 > 0)
            found->ratio[i] = fmax(found->ratio[i], sqrt(error2) / bound);
    }
    found->force2 += length2(exact);
    found->moments = fmax(found->moments, p->moments);
    found->sample++;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_number(uint64_t hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static uint64_t hash_id(uint32_t id)
{
    return mix(mix(1, id), id);
}

static uint64_t hash_body(const struct body *b, const struct motion *m)
{
    uint64_t hash = hash_id(m->id);

    hash = hash_number(hash_number(hash_number(hash, b->x), b->y), b->z);
    return hash_number(hash_number(hash_number(hash, m->x), m->y), m->z);
}

uint64_t check_id_hash(uint32_t bodies)
{
    uint64_t sum = 0;

    for (uint32_t id = 0; id < bodies; id++)
        sum += hash_id(id);
    return sum;
}

void check_thetas(double theta, double thetas[CHECKS], double tolerance[CHECKS])
{
    thetas[0] = theta;
    thetas[1] = CHECK_THETA;
    thetas[2] = CHECK_SMALL;
    for (int i = 0; i < CHECKS; i++)
        tolerance[i] = 0.016 * pow(thetas[i], 4);
}

void check_bodies(const struct tree *tree, const struct zone *zone, int now, double theta,
                  double eps, struct findings *found)
{
    const struct space *s = tree->space;
    const struct body *body = tree_bodies(tree, app.node);
    const struct motion *motion = &s->motion[now][(size_t)app.node * s->stride];
    uint32_t step = s->total > CHECK_SAMPLE ? s->total / CHECK_SAMPLE : 1;

    *found = (struct findings){ 0 };
    if (tree->shared != NULL && app.node == 0)
        found->lost += tree->shared->lost;
    for (uint32_t i = 0; i < zone->count; i++) {
        struct probe p = { .tree = tree,
                           .self = &body[i],
                           .at = { body[i].x, body[i].y, body[i].z },
                           .eps2 = eps * eps };

        found->hash += hash_body(&body[i], &motion[i]);
        found->id_hash += hash_id(motion[i].id);
        found->lost +=
            !isfinite(length2(p.at)) || !isfinite(motion[i].x + motion[i].y + motion[i].z);
        if (app.verify && motion[i].id % step == 0)
            check_force(&p, theta, found);
    }
}
