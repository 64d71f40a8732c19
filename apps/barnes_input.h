/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_input.h - source and destination of the bodies: Plummer's model, and text files.
 *
 * A file has one body per line: mass, position and velocity, seven numbers; mass is positive, and
 * G is 1. Empty lines and text after a '#' are ignored. The order of bodies is kept.
 */
#ifndef APPS_BARNES_INPUT_H
#define APPS_BARNES_INPUT_H

#include "apps/barnes.h"

struct bodies {
    struct body *body;
    struct motion *motion;
    uint32_t count;
};

/*
 * Fills in `count` bodies of Plummer's model, as S. J. Aarseth, M. Henon and R. Wielen (Astron.
 * Astrophys. 37, 183, 1974) do: G = 1, mass 1, energy -1/4, centre of mass at rest at the origin;
 * without the outermost thousandth.
 */
void plummer_model(const struct bodies *bodies, uint64_t seed);

/*
 * Reads a file into private memory. Returns 0, or a negative errno value: -EINVAL
 * if *line is not a body, -EFBIG if there are too many.
 */
int bodies_read(const char *path, struct bodies *bodies, size_t *line);

/* Writes the bodies of all nodes in arrays `now` in their original order. Only on node 0. Returns
 * the exit status, 1 after a message. */
int bodies_write(const char *path, const struct space *s, int now);

#endif
