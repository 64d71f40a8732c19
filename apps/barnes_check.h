/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes_check.h - checks the forces of the tree against direct summation.
 *
 * The tree uses the field of a cell as a Taylor series about its centre of mass, without the terms
 * of third and higher order. The term of order n is at most (n + 1) B(n) / D^(n + 2), with B(n)
 * the sum of m r^n over the cell's bodies and D^2 = d^2 + eps^2 for a body at distance d (J. K.
 * Salmon and M. S. Warren, Skeletons from the treecode closet, J. Comp. Phys. 111, 1994; the
 * softened potential is that of one more dimension, eps away). With all r at most b and u = b / D
 * < 1, B(n) <= b^(n - 3) B(3), and the terms add up to at most
 *
 *     B(3) / D^5  (4 - 3 u) / (1 - u)^2.
 *
 * A force must not differ from the direct sum by more than the sum of this over the cells used for
 * it. The bound adds up errors of any direction, so it is far above the actual errors. Two further
 * checks follow. The cells' moments must equal the moments of their bodies. For 1,000 bodies or
 * more of Plummer's model, the root mean square of the errors must not be much larger than this
 * method gives: about 0.01 theta^4. A small theta shows errors in the terms of the second moments.
 */
#ifndef APPS_BARNES_CHECK_H
#define APPS_BARNES_CHECK_H

#include "apps/barnes_tree.h"

#define CHECK_SAMPLE 128 /* minimum number of bodies, if there are as many */
#define CHECK_THETA  0.5 /* checked in addition to the theta of the run */
#define CHECK_SMALL  0.2

#define CHECK_MOMENTS \
    1e-5 /* maximum error of a moment, with mass and side of the cell scaled to 1 */

/*
 * The thetas checked, and the maximum root mean square errors in Plummer's model, relative to that
 * of the forces.
 */
void check_thetas(double theta, double thetas[CHECKS], double tolerance[CHECKS]);

/* For this node's bodies in arrays `now`: hashes of all, and with app.verify errors and bounds of
 * a sample. */
void check_bodies(const struct tree *tree, const struct zone *zone, int now, double theta,
                  double eps, struct findings *found);

/* The sum of findings->id_hash over all nodes if no body was lost. */
uint64_t check_id_hash(uint32_t bodies);

#endif
