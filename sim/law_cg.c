/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_cg.c - apps/cg.c: rows distributed in whole blocks, of which there are 128 at most. A node's
 * rows have an element in nearly every page of the vector, so it reads all of it. The elements of a
 * row begin as if all rows had the same number.
 */
#include "sim/law.h"

/* ELEMENTS: printed by the program */
enum { ROWS, ELEMENTS, ITERATIONS };

#define STEPS 25 /* of the conjugate gradient in an iteration */

struct law_cg {
    int64_t rows, elements, unit;
    int64_t first, below;  /* this node's rows */
    int64_t from, to, own; /* their bytes in a vector; their number */
    struct law_array x, z, p, q, r, partial, begin, column, value;
};

static int64_t law_cg_element(const struct law_cg *c, int64_t row)
{
    return c->elements * row / c->rows;
}

/* Where the sum of the block of a row is, of sums of two kinds. */
static int64_t law_cg_sum(const struct law_cg *c, int kind, int64_t row)
{
    return 8 * (128 * kind + (row + c->unit - 1) / c->unit);
}

static void law_cg_make(struct law_run *r, struct law_cg *c)
{
    struct law_array *const vector[] = { &c->x, &c->z, &c->p, &c->q, &c->r };

    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = law_array_all(r, 8 * c->rows);
    }
    c->partial = law_array_all(r, 8 * 256);
    c->begin = law_array_all(r, 8 * (c->rows + 1));
}

/* The lengths of rows, from which node 0 computes where they begin; then the matrix. */
static void law_cg_fill(struct law_run *r, struct law_cg *c)
{
    if (c->own > 0)
        law_write(r, c->begin, c->from + 8, c->to + 8);
    law_barrier_after(r, c->own);
    if (r->node == 0)
        law_update(r, c->begin, 0, 8 * (c->rows + 1));
    law_barrier_after(r, r->node == 0 ? c->rows : 0);
    law_read(r, c->begin, 8 * c->rows, 8 * c->rows + 8);
    c->column = law_array_all(r, 4 * c->elements);
    c->value = law_array_all(r, 8 * c->elements);
    if (c->own > 0) {
        int64_t first = law_cg_element(c, c->first), below = law_cg_element(c, c->below);
        law_read(r, c->begin, c->from, c->to);
        law_write(r, c->column, 4 * first, 4 * below);
        law_write(r, c->value, 8 * first, 8 * below);
    }
    law_barrier_after(r, c->own);
}

/* The product of the matrix and a vector. */
static void law_cg_product(struct law_run *r, const struct law_cg *c, struct law_array vector)
{
    int64_t first = law_cg_element(c, c->first), below = law_cg_element(c, c->below);

    law_read(r, c->begin, c->from, c->to + 8);
    law_read(r, c->value, 8 * first, 8 * below);
    law_read(r, c->column, 4 * first, 4 * below);
    law_read(r, vector, 0, 8 * c->rows);
}

/* Each node writes the partial sums of its rows, and reads those of all. */
static void law_cg_reduce(struct law_run *r, const struct law_cg *c, int kind)
{
    law_write(r, c->partial, law_cg_sum(c, kind, c->first), law_cg_sum(c, kind, c->below));
    law_barrier_after(r, c->own);
    law_read(r, c->partial, law_cg_sum(c, kind, 0), law_cg_sum(c, kind, c->rows));
}

static void law_cg_step(struct law_run *r, const struct law_cg *c)
{
    if (c->own > 0) {
        law_cg_product(r, c, c->p);
        law_write(r, c->q, c->from, c->to);
    }
    law_cg_reduce(r, c, 1);
    law_update(r, c->z, c->from, c->to);
    law_read(r, c->q, c->from, c->to);
    law_update(r, c->r, c->from, c->to);
    law_cg_reduce(r, c, 0);
    law_read(r, c->r, c->from, c->to);
    law_update(r, c->p, c->from, c->to);
    law_barrier_after(r, c->own);
}

static void law_cg_iterate(struct law_run *r, const struct law_cg *c)
{
    law_write(r, c->z, c->from, c->to);
    law_read(r, c->x, c->from, c->to);
    law_write(r, c->r, c->from, c->to);
    law_write(r, c->p, c->from, c->to);
    law_cg_reduce(r, c, 0);
    for (int k = 0; k < STEPS; k++)
        law_cg_step(r, c);
    if (c->own > 0)
        law_cg_product(r, c, c->z);
    law_read(r, c->x, c->from, c->to);
    law_update(r, c->r, c->from, c->to);
    law_cg_reduce(r, c, 1);
    law_read(r, c->x, c->from, c->to);
    law_read(r, c->z, c->from, c->to);
    law_cg_reduce(r, c, 0);
    law_cg_reduce(r, c, 1);
    law_write(r, c->x, c->from, c->to);
}

static void law_cg_run(struct law_run *r)
{
    struct law_cg c = { .rows = law_grown(r, r->param[ROWS]),
                        .elements = law_grown(r, r->param[ELEMENTS]) };

    c.unit = (c.rows + 127) / 128;
    int64_t units = (c.rows + c.unit - 1) / c.unit;
    c.first = law_min(c.rows, law_share(r, units, r->node) * c.unit);
    c.below = law_min(c.rows, law_share(r, units, r->node + 1) * c.unit);
    c.from = 8 * c.first;
    c.to = 8 * c.below;
    c.own = c.below - c.first;
    law_cg_make(r, &c);
    law_cg_fill(r, &c);

    /* The first iteration is not timed; after it the program starts again. */
    law_write(r, c.x, c.from, c.to);
    law_cg_iterate(r, &c);
    for (int64_t i = 0; i < r->param[ITERATIONS]; i++) {
        if (i == 0) {
            law_write(r, c.x, c.from, c.to);
            law_barrier(r);
        }
        law_cg_iterate(r, &c);
    }
    law_barrier(r);
}

const struct law law_cg = {
    "cg",
    law_cg_run,
    { { "rows", 1400, 1, 1 << 24 },
      { "elements", 78148, 1, INT64_C(1) << 32 },
      { "iterations", 15, 0, 1 << 16 } },
};
