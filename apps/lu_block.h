/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lu_block.h - what is done to blocks of a matrix that is factored into a lower and an upper
 * triangular one, L with ones on the diagonal, both in its place.
 *
 * Each element gets its products one by one, in the order of the columns of L: so it has the same
 * bits whatever the blocks are stored in, and whoever works on them.
 */
#ifndef APPS_LU_BLOCK_H
#define APPS_LU_BLOCK_H

#include <stddef.h>

/* By rows; from one to the next it is `pitch` elements. */
struct lu_block {
    double *at;
    size_t rows, columns, pitch;
};

/* A square block becomes its L and U. */
void lu_factor(struct lu_block a);

/* What is below a diagonal block, or right of it, becomes its part of L, or of U: a U^-1, L^-1 a.
 */
void lu_below(struct lu_block a, struct lu_block diagonal);
void lu_right(struct lu_block a, struct lu_block diagonal);

/* a -= l u */
void lu_inner(struct lu_block a, struct lu_block l, struct lu_block u);

#endif
