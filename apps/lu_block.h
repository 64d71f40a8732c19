/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lu_block.h - operations on blocks of a matrix that is factored in place into a lower and an
 * upper triangular one, L with ones on the diagonal.
 *
 * Each element gets its products one by one, in the order of the columns of L. So it has the same
 * bits independent of the storage of blocks and of the node that computes them.
 */
#ifndef APPS_LU_BLOCK_H
#define APPS_LU_BLOCK_H

#include <stddef.h>

/* By rows, which are `pitch` elements apart. */
struct lu_block {
    double *at;
    size_t rows, columns, pitch;
};

/* A square block becomes its L and U. */
void lu_factor(struct lu_block a);

/* A block below a diagonal block, or right of it, becomes its part of L, or of U: a U^-1, L^-1
 * a. */
void lu_below(struct lu_block a, struct lu_block diagonal);
void lu_right(struct lu_block a, struct lu_block diagonal);

/* a -= l u */
void lu_inner(struct lu_block a, struct lu_block l, struct lu_block u);

#endif
