/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_check.h - forces computed only from the energy.
 *
 * The energy of one molecule with all others is added up directly over all pairs, at the nearest
 * image, by the formulas of the model; it uses none of the program's forces, cells or switching.
 * Its central differences are the forces that the program must have computed.
 */
#ifndef APPS_WATER_CHECK_H
#define APPS_WATER_CHECK_H

#include "apps/water_cells.h"

/* Comparison of forces: the largest difference, and the sum of squares of `count` components. */
struct check_forces {
    double worst, squares;
    uint64_t count;
};

/* Compares the force on a molecule with the gradient of its energy at the positions published in
 * `step`. */
void check_force(const struct cells *c, unsigned step, double cutoff, const struct molecule *m,
                 const double force[WATER_DOF], struct check_forces *to);

#endif
