/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_forces.h - the forces on the molecules of a row, from the positions published around it.
 *
 * For each molecule the nine rows around are visited in a fixed order, in each row three cells, in
 * a cell the molecules by number: the sums have the same bits on any node.
 */
#ifndef APPS_WATER_FORCES_H
#define APPS_WATER_FORCES_H

#include "apps/water_cells.h"
#include "apps/water_sums.h"

#define FORCES_ROWS 9

/* The surroundings of a row. Prepared once for all its molecules. */
struct forces_around {
    const struct cells *cells;
    const struct water_switch *law;
    struct cells_view view[FORCES_ROWS];
    double shift[FORCES_ROWS][3];
};

void forces_prepare(struct forces_around *a, const struct cells *cells,
                    const struct water_switch *law, unsigned step, size_t row);

/* Sets the force on a molecule of that row; returns the number of molecules within the cut-off. */
unsigned forces_on(const struct forces_around *a, const struct molecule *m,
                   struct water_force *force);

/* Adds to this node's sums the forces within a molecule of that row, and the forces of the pairs
 * assigned to it. The rows are published with numbers. */
void forces_of_pairs(const struct forces_around *a, const struct molecule *m, struct sums *sums);

#endif
