/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_model.c - see water_model.h.
 *
 * water_between() computes the forces on one molecule only, from its neighbours: a pair is
 * computed twice, once for each of the two, so that no node adds to the forces on another node's
 * molecules. The loops run over a fixed number of lanes, so that compilers vectorise them.
 */
#include "apps/water_model.h"

#include <math.h>

#define INNER 0.9 /* part of the cut-off where switching begins */

struct water_switch water_switch_make(double cutoff)
{
    double outer2 = cutoff * cutoff, inner2 = INNER * INNER * outer2, width = outer2 - inner2;

    return (struct water_switch){ inner2, outer2, 1 / width };
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds a force of `amount` along a vector to a site, and the opposite force to its oxygen. */
static void push(double f[WATER_DOF], int site, const double along[3], double amount)
{
    for (int i = 0; i < 3; i++) {
        f[3 * site + i] += amount * along[i];
        f[i] -= amount * along[i];
    }
}

static void bend(const double h[6], double r1, double r2, struct water_force *to)
{
    double cosine = dot(h, h + 3) / (r1 * r2), sine, strain, pull;

    cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
    sine = sqrt(1 - cosine * cosine);
    strain = acos(cosine) - WATER_ANGLE;
    pull = WATER_ANGLE_K * strain / (sine > 1e-12 ? sine : 1e-12);
    push(to->f, 1, h + 3, pull / (r1 * r2));
    push(to->f, 1, h, -pull * cosine / (r1 * r1));
    push(to->f, 2, h, pull / (r1 * r2));
    push(to->f, 2, h + 3, -pull * cosine / (r2 * r2));
    to->energy += 0.5 * WATER_ANGLE_K * strain * strain;
}

void water_within(const double h[6], struct water_force *to)
{
    double r1 = sqrt(dot(h, h)), r2 = sqrt(dot(h + 3, h + 3));

    *to = (struct water_force){ .energy = 0.5 * WATER_BOND_K *
                                          ((r1 - WATER_BOND) * (r1 - WATER_BOND) +
                                           (r2 - WATER_BOND) * (r2 - WATER_BOND)) };
    push(to->f, 1, h, -WATER_BOND_K * (r1 - WATER_BOND) / r1);
    push(to->f, 2, h + 3, -WATER_BOND_K * (r2 - WATER_BOND) / r2);
    bend(h, r1, r2, to);
}

/* Energies, and forces on the sites of the molecule, before switching. */
struct lanes {
    double energy[WATER_LANES];
    double f[WATER_DOF][WATER_LANES];
};

/*
 * The Coulomb force between a site of the molecule, at `from`, and a site of each neighbour, at o
 * + h. Kept out of line, so that it is vectorised at every optimisation level that vectorises.
 */
__attribute__((noinline)) static void coulomb(double strength, const double from[3],
                                              const double (*restrict o)[WATER_LANES],
                                              const double (*restrict h)[WATER_LANES],
                                              double (*restrict f)[WATER_LANES],
                                              double *restrict energy)
{
    for (int l = 0; l < WATER_LANES; l++) {
        double x = o[0][l] + h[0][l] - from[0];
        double y = o[1][l] + h[1][l] - from[1];
        double z = o[2][l] + h[2][l] - from[2];
        double inverse = 1 / sqrt(x * x + y * y + z * z);
        double e = strength * inverse, g = e * inverse * inverse;

        energy[l] += e;
        f[0][l] -= g * x;
        f[1][l] -= g * y;
        f[2][l] -= g * z;
    }
}

static void lennard_jones(const double (*restrict o)[WATER_LANES], struct lanes *restrict to)
{
    for (int l = 0; l < WATER_LANES; l++) {
        double x = o[0][l], y = o[1][l], z = o[2][l];
        double inverse2 = 1 / (x * x + y * y + z * z);
        double s2 = WATER_LJ_SIGMA * WATER_LJ_SIGMA * inverse2, s6 = s2 * s2 * s2;
        double g = 24 * WATER_LJ_EPSILON * inverse2 * s6 * (2 * s6 - 1);

        to->energy[l] = 4 * WATER_LJ_EPSILON * s6 * (s6 - 1);
        to->f[0][l] = -g * x;
        to->f[1][l] = -g * y;
        to->f[2][l] = -g * z;
    }
}

/* Weight of a pair's interaction at a squared distance, and its derivative. */
static inline void switch_at(const struct water_switch *s, double u, double *weight, double *slope)
{
    double t = (u - s->inner2) * s->scale;

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    *weight = 1 - t * t * t * (10 - t * (15 - 6 * t));
    *slope = -30 * t * t * (1 - t) * (1 - t) * s->scale;
}

/* Applies the switching function to each lane, and adds up the lanes in order. */
static void add_switched(const struct water_switch *s, const double (*o)[WATER_LANES],
                         const struct lanes *from, struct water_force *to)
{
    double weight[WATER_LANES], slope[WATER_LANES];

    for (int l = 0; l < WATER_LANES; l++) {
        double u = o[0][l] * o[0][l] + o[1][l] * o[1][l] + o[2][l] * o[2][l];

        switch_at(s, u, &weight[l], &slope[l]);
    }
    for (int l = 0; l < WATER_LANES; l++)
        to->energy += 0.5 * weight[l] * from->energy[l];
    for (int i = 0; i < WATER_DOF; i++)
        for (int l = 0; l < WATER_LANES; l++)
            to->f[i] += weight[l] * from->f[i][l];
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < WATER_LANES; l++)
            to->f[i] += 2 * slope[l] * from->energy[l] * o[i][l];
}

void water_between(const struct water_switch *s, const double h[6], const struct water_near *near,
                   struct water_force *to)
{
    static const double nowhere[3], zero[3][WATER_LANES];
    const double *site[WATER_SITES] = { nowhere, h, h + 3 };
    const double(*other[WATER_SITES])[WATER_LANES] = { zero, near->h, near->h + 3 };
    static const double charge[WATER_SITES] = { WATER_CHARGE_O, WATER_CHARGE_H, WATER_CHARGE_H };
    struct lanes sum = { 0 };

    lennard_jones(near->o, &sum);
    for (int a = 0; a < WATER_SITES; a++)
        for (int b = 0; b < WATER_SITES; b++)
            coulomb(WATER_COULOMB * charge[a] * charge[b], site[a], near->o, other[b],
                    &sum.f[3 * a], sum.energy);
    add_switched(s, near->o, &sum, to);
}

/* Adds to the forces of two sites on each other; `along` is the vector from the first to the
 * second. */
static void push_apart(double *f, double *other, const double along[3], double amount)
{
    for (int i = 0; i < 3; i++) {
        f[i] -= amount * along[i];
        other[i] += amount * along[i];
    }
}

static double lennard_jones_pair(const double o[3], double *f, double *other)
{
    double inverse2 = 1 / dot(o, o);
    double s2 = WATER_LJ_SIGMA * WATER_LJ_SIGMA * inverse2, s6 = s2 * s2 * s2;

    push_apart(f, other, o, 24 * WATER_LJ_EPSILON * inverse2 * s6 * (2 * s6 - 1));
    return 4 * WATER_LJ_EPSILON * s6 * (s6 - 1);
}

static double coulomb_pair(double strength, const double along[3], double *f, double *other)
{
    double inverse = 1 / sqrt(dot(along, along)), energy = strength * inverse;

    push_apart(f, other, along, energy * inverse * inverse);
    return energy;
}

/* Both molecules' forces before switching; returns the energy. */
static double all_sites(const double h[6], const double o[3], const double other_h[6], double *f,
                        double *other)
{
    static const double zero[3];
    static const double charge[WATER_SITES] = { WATER_CHARGE_O, WATER_CHARGE_H, WATER_CHARGE_H };
    const double *site[WATER_SITES] = { zero, h, h + 3 };
    const double *other_site[WATER_SITES] = { zero, other_h, other_h + 3 };
    double energy = lennard_jones_pair(o, f, other), along[3];

    for (int a = 0; a < WATER_SITES; a++)
        for (int b = 0; b < WATER_SITES; b++) {
            for (int i = 0; i < 3; i++)
                along[i] = o[i] + other_site[b][i] - site[a][i];
            energy += coulomb_pair(WATER_COULOMB * charge[a] * charge[b], along, f + 3 * a,
                                   other + 3 * b);
        }
    return energy;
}

void water_pair(const struct water_switch *s, const double h[6], const double o[3],
                const double other_h[6], struct water_force *to, struct water_force *to_other)
{
    double weight, slope, energy;

    *to = *to_other = (struct water_force){ 0 };
    energy = all_sites(h, o, other_h, to->f, to_other->f);
    switch_at(s, dot(o, o), &weight, &slope);
    for (int k = 0; k < WATER_DOF; k++) {
        to->f[k] *= weight;
        to_other->f[k] *= weight;
    }
    push_apart(to->f, to_other->f, o, -2 * slope * energy);
    to->energy = to_other->energy = 0.5 * weight * energy;
}
