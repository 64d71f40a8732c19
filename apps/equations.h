/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * equations.h - the dense systems of linear equations that gauss and lu solve, and the check of a
 * solution.
 *
 * Elements are uniform multiples of 1/16 from -8/16 to 7/16. In a dominant matrix those on the
 * diagonal are `size` larger, so they exceed the sum of all others of their row: it needs no
 * pivoting. Unknowns are small integers, so that right-hand sides are exact and the solution known.
 */
#ifndef APPS_EQUATIONS_H
#define APPS_EQUATIONS_H

#include "apps/common.h"

struct equations {
    size_t size;
    bool dominant;
};

/* `count` elements of row `i`, from column `j` on. */
void equations_row(struct equations e, size_t i, size_t j, size_t count, double *row);

/* Makes row `i` and returns its right-hand side. */
double equations_side(struct equations e, size_t i, double *row);

/*
 * Sets in `result` whether the residual of x is small, by the measure of the LINPACK benchmark
 * (HPL): in norms of the largest element or row sum, |A x - b| is less than 16 size epsilon (|A|
 * |x| + |b|). The system is generated again.
 */
void equations_verify(struct equations e, const double *x, struct app_result *result);

#endif
