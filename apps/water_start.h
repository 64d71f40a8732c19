/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_start.h - initial positions of the molecules. They start near the places of a cubic
 * lattice at the density of water, in the smallest cube that has enough places; surplus places are
 * evenly spread vacancies. Each molecule is almost in its rest shape, rotated at random, and its
 * atoms have velocities of 298 K. All of this depends only on the seed and a molecule's number, so
 * it is the same on any node. Nothing is symmetric, so that no force is zero by accident.
 */
#ifndef APPS_WATER_START_H
#define APPS_WATER_START_H

#include <stdint.h>

#include "apps/water_model.h"

struct start {
    uint64_t molecules, side; /* lattice places along an axis */
    double box;
};

struct start start_make(uint64_t molecules);

/* The position of a molecule's oxygen. */
void start_place(const struct start *s, uint64_t number, double o[3]);

/* Coordinates and velocities of its sites. */
void start_molecule(const struct start *s, uint64_t number, double x[WATER_DOF],
                    double v[WATER_DOF]);

#endif
