/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_check.h - forces of the tree against direct summation.
 *
 * The tree takes the field of a cell as a Taylor series about its centre of mass and leaves out the
 * terms from the third order on. That of order n is at most (n + 1) B(n) / D^(n + 2), with B(n) the
 * sum of m r^n over the cell's bodies and D^2 = d^2 + eps^2 for a body at distance d (J. K. Salmon
 * and M. S. Warren, Skeletons from the treecode closet, J. Comp. Phys. 111, 1994; the softened
 * potential is that of one more dimension, eps away). With all r at most b and u = b / D < 1, B(n)
 * <= b^(n - 3) B(3), and the terms add up to at most
 *
 *     B(3) / D^5  (4 - 3 u) / (1 - u)^2.
 *
 * A force must not differ from the direct sum by more than the sum of this over the cells that it
 * was made of. The bound adds up errors of any direction, and so is far above what is found. So it
 * is looked at besides that the cells' moments are those of their bodies, and, for 1,000 bodies or
 * more of Plummer's model, that the root mean square of the errors is not much more than what this
 * method gives: about 0.01 theta^4. A small theta shows errors in the second moments' terms.
 */
#ifndef APPS_BARNES_CHECK_H
#define APPS_BARNES_CHECK_H

#include "apps/barnes_tree.h"

#define CHECK_SAMPLE 128 /* at least so many bodies, if there are */
#define CHECK_THETA  0.5 /* are looked at besides the theta of the run */
#define CHECK_SMALL  0.2

#define CHECK_MOMENTS \
    1e-5 /* the greatest error of a moment, where mass and side of the cell are 1 */

/*
 * The thetas that are looked at, and the root mean square errors that are allowed in Plummer's
 * model, relative to that of the forces.
 */
void check_thetas(double theta, double thetas[CHECKS], double tolerance[CHECKS]);

/* Of this node's bodies in arrays `now`: hashes of all, and with app.verify errors and bounds of a
 * sample. */
void check_bodies(const struct tree *tree, const struct zone *zone, int now, double theta,
                  double eps, struct findings *found);

/* The sum of findings->id_hash over all nodes when no body was lost. */
uint64_t check_id_hash(uint32_t bodies);

#endif
