/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_start.h - where the molecules start: near the places of a cubic lattice at the density of
 * water, with as many vacancies, evenly spread, as the next larger cube has places too many; each
 * molecule nearly at rest in itself, turned at random, its atoms with velocities of 298 K. All of
 * it follows from seed and number of a molecule, on any node. Nothing is symmetric, so that no
 * force is zero by accident.
 */
#ifndef APPS_WATER_START_H
#define APPS_WATER_START_H

#include <stdint.h>

#include "apps/water_model.h"

struct start {
    uint64_t molecules, side; /* places along an axis of the lattice */
    double box;
};

struct start start_make(uint64_t molecules);

/* The place of a molecule's oxygen. */
void start_place(const struct start *s, uint64_t number, double o[3]);

/* Coordinates and velocities of its sites. */
void start_molecule(const struct start *s, uint64_t number, double x[WATER_DOF],
                    double v[WATER_DOF]);

#endif
