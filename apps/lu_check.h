/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lu_check.h - a system of equations whose matrix needs no pivoting, and the check that its
 * factors solve it.
 *
 * Off the diagonal, elements are uniform multiples of 1/16 from -8/16 to 7/16. On it they are
 * `size` larger, so they exceed the sum of all others of their row, and pivots stay large.
 * Unknowns are small integers, so that right-hand sides are exact and the solution known.
 */
#ifndef APPS_LU_CHECK_H
#define APPS_LU_CHECK_H

#include <stddef.h>

#include "apps/common.h"

/* `count` elements of row `i`, from column `j` on. */
void lu_make_row(size_t size, size_t i, size_t j, size_t count, double *row);

/*
 * Solves the system with its factors at `factors`, by rows, and sets in `result` whether the
 * residual is small, by the measure of the LINPACK benchmark (HPL): in norms of the largest
 * element or row sum, |A x - b| is less than 16 size epsilon (|A| |x| + |b|). The system is
 * generated again.
 */
void lu_verify(size_t size, const double *factors, struct app_result *result);

#endif
