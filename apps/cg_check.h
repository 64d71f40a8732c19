/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cg_check.h - the eigenvalues that NAS CG must find: the published ones, and another way to all of
 * them.
 *
 * The reference never adds up the matrix: it applies B as the sum of outer products that it is by
 * definition, with each weight from its own power. Instead of conjugate gradients it has a series,
 *
 *   (B - shift I)^-1 x = - (x + (B/shift) x + (B/shift)^2 x + ...) / shift
 *
 * which converges for a shift above all eigenvalues, as the classes have it. Of the parallel
 * program nothing is used for it but the random vectors.
 */
#ifndef APPS_CG_CHECK_H
#define APPS_CG_CHECK_H

#include <stddef.h>
#include <stdint.h>

struct cg_class {
    char name; /* 0 for none */
    size_t rows, nonzer;
    int iterations;
    double shift;
    double zeta;
};

/* NULL when there is none of that name. */
const struct cg_class *cg_class_find(char name);

/* What zeta is after so many iterations, in one thread and private memory; NAN when the series does
 * not converge. */
double cg_reference(size_t rows, size_t nonzer, uint64_t seed, double shift, int iterations);

#endif
