/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cg_matrix.h - the random sparse matrix of the CG benchmark.
 *
 * From n sparse vectors v, one for each row, with numbers in (0, 1) at random places:
 *
 *   B = sum over i of w_i v_i v_i^T + 0.1 I        w_i = 0.1^(i/n), i = 0 ... n - 1
 *   A = B - shift I
 *
 * So B is symmetric, its eigenvalues are at least 0.1, and the largest ones belong to the vectors
 * of the greatest weight. A shift near the largest eigenvalue selects it. Vector i has `nonzer`
 * numbers at different places. In addition, or instead of one of them, it has 1/2 at place i, so
 * no row is empty.
 *
 * Source: Bailey et al., The NAS Parallel Benchmarks, RNR-94-007 (1994), kernel CG. Random numbers
 * are used in the order that gives the published eigenvalues. A vector takes two at a time: a
 * value, then a place, scaled to the least power of two not below n. The pair is dropped if the
 * place is not below n or already used. The very first number is not used.
 *
 * So each vector depends on the previous ones: each node makes all of them, in private memory, and
 * its own rows of the matrix.
 */
#ifndef APPS_CG_MATRIX_H
#define APPS_CG_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "apps/common.h"

#define CG_RCOND 0.1 /* the smallest weight, and the term added to the diagonal */

/* Vector i has length[i] numbers, value[k] at place[k] for k from i * stride. */
struct cg_vectors {
    size_t count;  /* n: number of vectors, and places in each */
    size_t stride; /* nonzer + 1 */
    uint32_t *length;
    uint32_t *place;
    double *value; /* above 0 */
};

/* ASSUMPTION: nonzer <= count. */
void cg_vectors_make(struct cg_vectors *v, size_t count, size_t nonzer, uint64_t seed);
void cg_vectors_free(struct cg_vectors *v);

/* A, row by row in shared memory: row j has value[k] in column[k], begin[j] <= k < begin[j + 1],
 * by ascending column. */
struct cg_matrix {
    size_t rows;
    uint64_t *begin;
    uint32_t *column;
    double *value;
};

/* Collective. Each node makes its rows `mine`; each entry is summed in the same order, independent
 * of the node. On return all rows are present. */
void cg_matrix_make(struct cg_matrix *a, const struct cg_vectors *v, double shift,
                    struct app_range mine);

#endif
