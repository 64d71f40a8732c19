/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cg_check.h - the eigenvalues that NAS CG must find: the published ones, and an independent
 * computation.
 *
 * The reference never sums up the matrix: it applies B as a sum of outer products, as it is
 * defined, and computes each weight by its own power. Instead of conjugate gradients it uses a
 * series,
 *
 *   (B - shift I)^-1 x = - (x + (B/shift) x + (B/shift)^2 x + ...) / shift
 *
 * which converges for a shift above all eigenvalues, as the classes have it. It shares only the
 * random vectors with the parallel program.
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

/* NULL if there is no class of that name. */
const struct cg_class *cg_class_find(char name);

/* Zeta after the given iterations, in one thread and private memory; NAN if the series does not
 * converge. */
double cg_reference(size_t rows, size_t nonzer, uint64_t seed, double shift, int iterations);

#endif
