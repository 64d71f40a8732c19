/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_forces.h - the forces on the molecules of a row, from the positions published around it.
 *
 * For each molecule the nine rows around are visited in a fixed order, in each row three cells, in
 * a cell the molecules by number: the sums have the same bits on any node.
 *
 * Or with sums, forces on molecules are added up by all nodes in shared memory, with locks: the
 * method of SPLASH-2's water-nsquared (Woo et al., ISCA 1995).
 *
 * A node computes the force of each of its pairs once, for both molecules, and adds it to a
 * private sum of each. At the end it adds its sums to the shared ones, each under a lock of the
 * molecule, from a table of locks. After a barrier the node that moves a molecule takes the sum.
 *
 * The order in which nodes add is not determined, and floating-point sums would depend on it. So
 * sums are integers, of forces in units of 2^-40 kJ/mol/angstrom. Forces are bitwise equal for any
 * order and any number of nodes, with an error of at most 4.5e-13 for each pair.
 *
 * How pages move. Sums are stored by number, 88 bytes each. A node adds to the sums of its own
 * molecules and of the molecules within the cut-off of its rows. Releases send the changes of the
 * latter to the home of their page, which has sums that others add to at the same time.
 */
#ifndef APPS_WATER_FORCES_H
#define APPS_WATER_FORCES_H

#include "apps/water_cells.h"

#define FORCES_ROWS 9

/* Of one molecule. Modulo 2^64; negative numbers as two's complement. */
struct sum {
    uint64_t f[WATER_DOF], energy;
    uint64_t pairs; /* counts molecules */
};

struct sums {
    size_t molecules;
    struct sum *shared; /* by number; accessed under the molecule's lock, or between barriers */
    struct sum *own;    /* private, by number */
    bool *touched;      /* private, by number: `own` is nonzero */
};

void sums_init(struct sums *s, size_t molecules);

/* Adds to this node's sum of a molecule: the force and energy of `pairs` others on it. */
void sums_add(struct sums *s, size_t number, const struct water_force *force, unsigned pairs);

/* Adds this node's sums to the shared ones. A barrier must follow. */
void sums_share(struct sums *s);

/* Sets the force on a molecule to its sum and clears the sum; returns the number of others in
 * it. */
unsigned sums_take(const struct sums *s, size_t number, struct water_force *force);

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
