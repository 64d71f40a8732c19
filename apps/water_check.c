/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_check.c - see water_check.h. */
#include "apps/water_check.h"

#include <math.h>

#define STEP \
    1e-4 /* angstrom; rounding and the third derivative then contribute errors of equal size */
#define SAME 1e-3 /* two oxygens nearer than this are the same */

/* One molecule among all others. */
struct trial {
    const struct cells *cells;
    unsigned step;
    double cutoff;
    const double *at; /* true position of its oxygen, which identifies it */
    const double *x;  /* its trial coordinates */
};

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static double inner_energy(const double x[WATER_DOF])
{
    double r1 = distance(x, x + 3), r2 = distance(x, x + 6), r3 = distance(x + 3, x + 6);
    double angle = acos((r1 * r1 + r2 * r2 - r3 * r3) / (2 * r1 * r2)); /* law of cosines */

    return WATER_BOND_K / 2 * (pow(r1 - WATER_BOND, 2) + pow(r2 - WATER_BOND, 2)) +
           WATER_ANGLE_K / 2 * pow(angle - WATER_ANGLE, 2);
}

static double pair_energy(const double a[WATER_DOF], const double b[WATER_DOF], double cutoff)
{
    static const double charge[WATER_SITES] = { WATER_CHARGE_O, WATER_CHARGE_H, WATER_CHARGE_H };
    double r = distance(a, b), inner = 0.9 * cutoff;
    double part = (r * r - inner * inner) / (cutoff * cutoff - inner * inner);
    double energy =
        4 * WATER_LJ_EPSILON * (pow(WATER_LJ_SIGMA / r, 12) - pow(WATER_LJ_SIGMA / r, 6));

    for (int i = 0; i < WATER_SITES; i++)
        for (int j = 0; j < WATER_SITES; j++)
            energy += WATER_COULOMB * charge[i] * charge[j] / distance(a + 3 * i, b + 3 * j);
    return part <= 0 ? energy
                     : energy * (1 - 10 * pow(part, 3) + 15 * pow(part, 4) - 6 * pow(part, 5));
}

/* Sets the image of molecule j of a view that is nearest to a given oxygen. */
static void nearest_image(const struct cells_view *v, size_t j, const double *o, double box,
                          double b[WATER_DOF])
{
    for (int k = 0; k < 3; k++) {
        b[k] = v->o[k][j];
        b[k] -= box * nearbyint((b[k] - o[k]) / box);
    }
    for (int k = 0; k < 6; k++)
        b[3 + k] = b[k % 3] + v->h[k][j];
}

static double energy_with_row(const struct trial *t, const struct cells_view *v)
{
    double energy = 0, b[WATER_DOF];

    for (size_t j = 0; j < v->molecules; j++) {
        nearest_image(v, j, t->at, t->cells->box, b);
        if (distance(b, t->at) > SAME && distance(b, t->x) < t->cutoff)
            energy += pair_energy(t->x, b, t->cutoff);
    }
    return energy;
}

static double energy_of(const struct trial *t)
{
    double energy = inner_energy(t->x);

    for (size_t row = 0; row < t->cells->rows; row++) {
        struct cells_view view = cells_look(t->cells, t->step, row);

        energy += energy_with_row(t, &view);
    }
    return energy;
}

void check_force(const struct cells *c, unsigned step, double cutoff, const struct molecule *m,
                 const double force[WATER_DOF], struct check_forces *to)
{
    double x[WATER_DOF];
    struct trial t = { c, step, cutoff, m->d[0], x };

    for (int k = 0; k < WATER_DOF; k++)
        x[k] = m->d[0][k];
    for (int k = 0; k < WATER_DOF; k++) {
        double above, below, off;

        x[k] = m->d[0][k] + STEP;
        above = energy_of(&t);
        x[k] = m->d[0][k] - STEP;
        below = energy_of(&t);
        x[k] = m->d[0][k];
        off = fabs(force[k] + (above - below) / (2 * STEP));
        to->worst = off > to->worst ? off : to->worst;
        to->squares += force[k] * force[k];
        to->count++;
    }
}
