/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_model.h - forces and energies of water molecules: the SPC/Fw model (Y. Wu, H. L. Tepper,
 * G. A. Voth, "Flexible simple point-charge water model with improved liquid-state properties", J.
 * Chem. Phys. 124, 024503, 2006).
 *
 * Within a molecule both bonds and the angle between them are harmonic. Between molecules there
 * are Coulomb forces between all charges and a Lennard-Jones force between the oxygens. The whole
 * interaction of two molecules is switched off as the distance r of their oxygens goes from 0.9 of
 * the cut-off to the cut-off, by 1 - 10 t^3 + 15 t^4 - 6 t^5, where t goes from 0 to 1 linearly in
 * r^2. So forces remain the gradient of the energy, and smooth.
 *
 * Units: angstrom, picosecond, atomic mass unit, kJ/mol. The sites of a molecule are O, H, H.
 */
#ifndef APPS_WATER_MODEL_H
#define APPS_WATER_MODEL_H

#define WATER_SITES 3
#define WATER_DOF   9 /* coordinates of a molecule: site by site, x y z */

#define WATER_MASS_O 15.9994
#define WATER_MASS_H 1.00794
#define WATER_FORCE  100.0 /* an acceleration is this, times force over mass */

#define WATER_KCAL       4.184
#define WATER_BOND       1.012                   /* length at rest */
#define WATER_BOND_K     (1059.162 * WATER_KCAL) /* energy K/2 (r - rest)^2 */
#define WATER_ANGLE      (113.24 * 3.14159265358979323846 / 180)
#define WATER_ANGLE_K    (75.90 * WATER_KCAL)
#define WATER_CHARGE_H   0.41
#define WATER_CHARGE_O   (-2 * WATER_CHARGE_H)
#define WATER_COULOMB    1389.35457644 /* of two unit charges one angstrom apart */
#define WATER_LJ_SIGMA   3.165492
#define WATER_LJ_EPSILON (0.1554253 * WATER_KCAL)
#define WATER_DENSITY    0.998               /* g/cm^3 */
#define WATER_DALTON     1.66053906660       /* g/cm^3 of one atomic mass unit per cubic angstrom */
#define WATER_GAS        8.31446261815324e-3 /* kJ/mol per kelvin */

struct water_switch {
    double inner2, cutoff2, scale; /* squares; 1 / (cutoff2 - inner2) */
};

/* Molecules near another one, in insertion order; processed in blocks of fixed size. */
#define WATER_LANES 8

struct water_near {
    double o[3][WATER_LANES]; /* from the molecule's oxygen to the other's oxygen */
    double h[6][WATER_LANES]; /* from the other oxygen to its hydrogens */
};

/* Force on a molecule. */
struct water_force {
    double f[WATER_DOF];
    double energy; /* internal energy, and half of the energy with others */
};

struct water_switch water_switch_make(double cutoff);

/* The forces within a molecule; h are the vectors from the oxygen to the hydrogens. Sets *to. */
void water_within(const double h[6], struct water_force *to);

/* Adds the forces of a block of near molecules. Unused lanes hold a position beyond the
 * cut-off. */
void water_between(const struct water_switch *s, const double h[6], const struct water_near *near,
                   struct water_force *to);

/* Sets the forces of two molecules on each other, and half of the energy for each: h and other_h
 * are the vectors to their hydrogens, o the vector from the first one's oxygen to the other's. */
void water_pair(const struct water_switch *s, const double h[6], const double o[3],
                const double other_h[6], struct water_force *to, struct water_force *to_other);

#endif
