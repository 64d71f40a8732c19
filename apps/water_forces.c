/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_forces.c - see water_forces.h. */
#include "apps/water_forces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SELF  1e-6   /* squared distance below which two molecules are the same one */
#define CHUNK 64     /* molecules tested together */
#define UNITS 0x1p40 /* per 1 kJ/mol/angstrom */
#define LIMIT 0x1p17 /* of a force, far above the values found in water; 64 of them fit */

/* ---- sums ---- */

void sums_init(struct sums *s, size_t molecules)
{
    s->molecules = molecules;
    s->shared = app_shared("the forces", molecules * sizeof *s->shared);
    s->own = app_zeros("the forces", molecules * sizeof *s->own);
    s->touched = app_zeros("the forces", molecules * sizeof *s->touched);
}

static uint64_t units_of(double x)
{
    if (!(fabs(x) < LIMIT)) {
        fprintf(stderr, "%s: node %d: a force of %g kJ/mol/A is too large; choose a smaller --dt\n",
                app.name, app.node, x);
        exit(1);
    }
    return (uint64_t)llrint(UNITS * x);
}

static double from_units(uint64_t units)
{
    return (double)(int64_t)units / UNITS;
}

void sums_add(struct sums *s, size_t number, const struct water_force *force, unsigned pairs)
{
    struct sum *own = &s->own[number];

    for (int k = 0; k < WATER_DOF; k++)
        own->f[k] += units_of(force->f[k]);
    own->energy += units_of(force->energy);
    own->pairs += pairs;
    s->touched[number] = true;
}

static void share(struct sums *s, size_t number)
{
    hlrc_lock_t lock = (hlrc_lock_t)(number % HLRC_STATIC_LOCKS);
    struct sum *to = &s->shared[number], *own = &s->own[number];

    hlrc_lock(lock);
    for (int k = 0; k < WATER_DOF; k++)
        to->f[k] += own->f[k];
    to->energy += own->energy;
    to->pairs += own->pairs;
    hlrc_unlock(lock);
    *own = (struct sum){ 0 };
    s->touched[number] = false;
}

/* Each node begins at a different place, so that they do not contend for the same locks. */
void sums_share(struct sums *s)
{
    size_t begin = s->molecules * (size_t)app.node / (size_t)app.nodes;

    for (size_t i = 0; i < s->molecules; i++) {
        size_t number = (begin + i) % s->molecules;

        if (s->touched[number])
            share(s, number);
    }
}

unsigned sums_take(const struct sums *s, size_t number, struct water_force *force)
{
    struct sum *from = &s->shared[number];
    unsigned pairs = (unsigned)from->pairs;

    for (int k = 0; k < WATER_DOF; k++)
        force->f[k] = from_units(from->f[k]);
    force->energy = from_units(from->energy);
    *from = (struct sum){ 0 };
    return pairs;
}

/* True if the first of two molecules is assigned their pair: the other is among the half of all
 * molecules that follow it, with wrap-around. */
static bool sums_finder(const struct sums *s, size_t number, size_t other)
{
    size_t ahead = (other + s->molecules - number) % s->molecules;

    return 2 * ahead < s->molecules || (2 * ahead == s->molecules && number < other);
}

/* ---- the search ---- */

/* The current molecule, and the block of near ones that is being filled. */
struct seeker {
    const struct water_switch *law;
    double o[3], h[6];
    struct water_near near;
    unsigned lanes, found;
    struct water_force *force;
    struct sums *sums; /* for pairs; NULL for the force on one molecule, which needs no numbers */
    size_t number;
};

void forces_prepare(struct forces_around *a, const struct cells *cells,
                    const struct water_switch *law, unsigned step, size_t row)
{
    int i = 0;

    a->cells = cells;
    a->law = law;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++, i++)
            a->view[i] = cells_look(cells, step, cells_beside(cells, row, dy, dz, a->shift[i]));
}

static void flush(struct seeker *s)
{
    water_between(s->law, s->h, &s->near, s->force);
    s->lanes = 0;
}

/* Fills unused lanes: beyond the cut-off, and with hydrogens at positions different from all
 * others. */
static void fill_up(struct seeker *s)
{
    for (; s->lanes < WATER_LANES; s->lanes++) {
        for (int k = 0; k < 3; k++)
            s->near.o[k][s->lanes] = 2 * s->law->cutoff2 + 2;
        for (int k = 0; k < 6; k++)
            s->near.h[k][s->lanes] = 0;
    }
}

/* Adds the forces on both molecules of a pair, if it is assigned to this molecule. */
static void pair_up(const struct seeker *s, const struct cells_view *v, size_t j,
                    const double origin[3])
{
    struct water_force force, on_other;
    double o[3], h[6];

    if (!sums_finder(s->sums, s->number, v->number[j]))
        return;
    for (int k = 0; k < 3; k++)
        o[k] = v->o[k][j] - origin[k];
    for (int k = 0; k < 6; k++)
        h[k] = v->h[k][j];
    water_pair(s->law, s->h, o, h, &force, &on_other);
    sums_add(s->sums, s->number, &force, 1);
    sums_add(s->sums, v->number[j], &on_other, 1);
}

static void put(struct seeker *s, const struct cells_view *v, size_t j, const double origin[3])
{
    for (int k = 0; k < 3; k++)
        s->near.o[k][s->lanes] = v->o[k][j] - origin[k];
    for (int k = 0; k < 6; k++)
        s->near.h[k][s->lanes] = v->h[k][j];
    s->found++;
    if (++s->lanes == WATER_LANES)
        flush(s);
}

/* Lists the molecules within the cut-off, without a branch for each. */
static unsigned sift(const struct seeker *s, const struct cells_view *v, size_t begin, size_t end,
                     const double origin[3], uint32_t hits[CHUNK])
{
    const double *restrict x = v->o[0], *restrict y = v->o[1], *restrict z = v->o[2];
    unsigned count = 0;

    for (size_t j = begin; j < end; j++) {
        double dx = x[j] - origin[0], dy = y[j] - origin[1], dz = z[j] - origin[2];
        double u = dx * dx + dy * dy + dz * dz;

        hits[count] = (uint32_t)j;
        count += (u < s->law->cutoff2) & (u > SELF);
    }
    return count;
}

/* Visits molecules [begin, end) of a shifted row. */
static void scan(struct seeker *s, const struct cells_view *v, size_t begin, size_t end,
                 const double shift[3])
{
    const double origin[3] = { s->o[0] - shift[0], s->o[1] - shift[1], s->o[2] - shift[2] };
    uint32_t hits[CHUNK];

    for (; begin < end; begin += CHUNK) {
        size_t stop = end - begin < CHUNK ? end : begin + CHUNK;
        unsigned count = sift(s, v, begin, stop, origin, hits);

        for (unsigned i = 0; i < count; i++)
            if (s->sums != NULL)
                pair_up(s, v, hits[i], origin);
            else
                put(s, v, hits[i], origin);
    }
}

/* The cells from x - 1 to x + 1, in two runs where they wrap around the edge of the box. */
static void scan_row(struct seeker *s, const struct cells *c, const struct cells_view *v, size_t x,
                     const double shift[3])
{
    double around[3] = { 0, shift[1], shift[2] };
    size_t begin = x > 0 ? x - 1 : 0, end = x + 1 < c->n ? x + 2 : c->n;

    if (x == 0) {
        around[0] = -c->box;
        scan(s, v, v->cell[c->n - 1], v->cell[c->n], around);
    }
    scan(s, v, v->cell[begin], v->cell[end], shift);
    if (x + 1 == c->n) {
        around[0] = c->box;
        scan(s, v, v->cell[0], v->cell[1], around);
    }
}

/* Sets the forces within the molecule, and visits the cells around it. */
static void seek(struct seeker *s, const struct forces_around *a, const struct molecule *m)
{
    size_t x = (size_t)(m->d[0][0] / a->cells->width);

    s->law = a->law;
    for (int k = 0; k < 3; k++)
        s->o[k] = m->d[0][k];
    for (int k = 0; k < 6; k++)
        s->h[k] = m->d[0][3 + k] - m->d[0][k % 3];
    x = x < a->cells->n ? x : a->cells->n - 1;
    water_within(s->h, s->force);
    for (int i = 0; i < FORCES_ROWS; i++)
        scan_row(s, a->cells, &a->view[i], x, a->shift[i]);
}

unsigned forces_on(const struct forces_around *a, const struct molecule *m,
                   struct water_force *force)
{
    struct seeker s = { .force = force };

    seek(&s, a, m);
    if (s.lanes > 0) {
        fill_up(&s);
        flush(&s);
    }
    return s.found;
}

void forces_of_pairs(const struct forces_around *a, const struct molecule *m, struct sums *sums)
{
    struct water_force within;
    struct seeker s = { .force = &within, .sums = sums, .number = m->number };

    seek(&s, a, m);
    sums_add(sums, m->number, &within, 0);
}
