/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_cell.h - one cell: its moments, computed from its bodies or its children, and its force
 * on a body.
 *
 * The definition of a cell and the opening criterion are in barnes_tree.h.
 */
#ifndef APPS_BARNES_CELL_H
#define APPS_BARNES_CELL_H

#include <math.h>

#include "apps/barnes.h"

/* A force on a body; results are added to. */
struct force {
    const struct body *self;
    double x, y, z; /* its position */
    double inverse_theta, eps2;
    double ax, ay, az, potential;
    uint32_t cost;
};

/* Sets mass, centre and second moments of a cell in which they are 0. Input: c->count consecutive
 * bodies, or the children in key order. */
void cell_sum_bodies(struct cell *c, const struct body *body);
void cell_sum_cells(struct cell *c, const struct cell *const child[8], int n);

/* Adds the second moments of a mass at (x, y, z). */
void moments_add(double sum[MOMENTS], double m, double x, double y, double z);

/* Called next: sets the size of the cube of this level around `key`, and the offset of the centre
 * of mass in it. */
void cell_place(struct cell *c, const struct cube *space, uint64_t key, unsigned level);

/* True if a cell at this squared distance is far enough away not to be opened. */
static inline bool cell_far(const struct cell *c, double distance2, double inverse_theta)
{
    double reach = (double)c->side * inverse_theta + (double)c->offset;

    return reach * reach < distance2;
}

/* Adds the force of mass and second moments at (dx, dy, dz) from the body: the Taylor series of
 * the softened potential. */
static inline void force_add_cell(struct force *f, const struct cell *c, double dx, double dy,
                                  double dz, double d2)
{
    double inverse = 1 / sqrt(d2 + f->eps2), inverse2 = inverse * inverse;
    const float *s = c->second;
    double sx = (double)s[XX] * dx + (double)s[XY] * dy + (double)s[XZ] * dz;
    double sy = (double)s[XY] * dx + (double)s[YY] * dy + (double)s[YZ] * dz;
    double sz = (double)s[XZ] * dx + (double)s[YZ] * dy + (double)s[ZZ] * dz;
    double along = (sx * dx + sy * dy + sz * dz) * inverse2;
    double trace = (double)s[XX] + (double)s[YY] + (double)s[ZZ];
    double inverse3 = inverse * inverse2, inverse5 = inverse3 * inverse2;
    double radial = c->mass * inverse3 + (7.5 * along - 1.5 * trace) * inverse5;

    f->ax += radial * dx - 3 * inverse5 * sx;
    f->ay += radial * dy - 3 * inverse5 * sy;
    f->az += radial * dz - 3 * inverse5 * sz;
    f->potential -= c->mass * inverse + (1.5 * along - 0.5 * trace) * inverse3;
}

/* Without softening, bodies at exactly the same position do not act on each other: the force has
 * no direction. */
static inline void force_add_bodies(struct force *f, const struct body *body, uint32_t n)
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

/* Adds the cell's force if it is far enough away. */
static inline bool force_try_cell(struct force *f, const struct cell *c)
{
    double dx = c->x - f->x, dy = c->y - f->y, dz = c->z - f->z;
    double d2 = dx * dx + dy * dy + dz * dz;

    f->cost++;
    if (!cell_far(c, d2, f->inverse_theta))
        return false;
    force_add_cell(f, c, dx, dy, dz, d2);
    return true;
}

#endif
