/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_sums.h - forces on molecules, added up by all nodes in shared memory, with locks: the way
 * of SPLASH-2's water-nsquared (Woo et al., ISCA 1995).
 *
 * A node finds the force of each of its pairs once, for both molecules, and adds it to a private
 * sum of each. When it has found all, it adds its sums to the shared ones, each under a lock of the
 * molecule, which is one of a table. After a barrier the node that moves a molecule takes the sum.
 *
 * Which node adds first is not known, and floating-point sums would depend on it. So sums are whole
 * numbers, of forces in units of 2^-40 kJ/mol/angstrom: forces are the same to the last bit
 * whatever the order and the number of nodes, and 4.5e-13 off at most for each pair.
 *
 * How pages move. Sums lie by number, 88 bytes each. A node adds to those of its own molecules and
 * of those within the cut-off of its rows; releases send the changes of the latter to the home of
 * their page, on which are sums that others add to at the same time.
 */
#ifndef APPS_WATER_SUMS_H
#define APPS_WATER_SUMS_H

#include <stdint.h>

#include "apps/common.h"
#include "apps/water_model.h"

/* Of one molecule. Modulo 2^64, negative numbers included. */
struct sum {
    uint64_t f[WATER_DOF], energy;
    uint64_t pairs; /* a number of molecules */
};

struct sums {
    size_t molecules;
    struct sum *shared; /* by number; under the molecule's lock, or with a barrier on both sides */
    struct sum *own;    /* private, by number */
    bool *touched;      /* private, by number: there is something in `own` */
};

void sums_init(struct sums *s, size_t molecules);
void sums_free(struct sums *s);

/* Adds to this node's sum of a molecule: a force and an energy of `pairs` others with it. */
void sums_add(struct sums *s, size_t number, const struct water_force *force, unsigned pairs);

/* Adds this node's sums to the shared ones. A barrier must follow. */
void sums_share(struct sums *s);

/* Sets the force on a molecule to its sum, which is 0 then; returns the number of others that it
 * has. */
unsigned sums_take(const struct sums *s, size_t number, struct water_force *force);

/* Of two molecules, the one that finds the force between them: the other is among the half of all
 * that follow it, around the end. */
static inline bool sums_finder(const struct sums *s, size_t number, size_t other)
{
    size_t ahead = (other + s->molecules - number) % s->molecules;

    return 2 * ahead < s->molecules || (2 * ahead == s->molecules && number < other);
}

#endif
