/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_gauss.c - apps/gauss.c: rows distributed cyclically. In each step all nodes read the offers
 * of all and the rest of the pivot row. Which row that is does not depend on N: the traces show
 * it. A page has one row at most: size a multiple of 512.
 */
#include "sim/law.h"

enum { SIZE };

struct law_gauss {
    int64_t size, row, rows; /* rows: of this node */
    struct law_array a, b, x, offer;
    bool *done; /* rows that were a pivot row */
};

static void law_gauss_fill(struct law_run *r, const struct law_gauss *m)
{
    for (int64_t i = r->node; i < m->size; i += r->nodes) {
        law_write(r, m->a, i * m->row, (i + 1) * m->row);
        law_write(r, m->b, i * 8, (i + 1) * 8);
    }
    law_barrier_after(r, m->rows * m->size);
}

static void law_gauss_step(struct law_run *r, const struct law_gauss *m, int64_t k)
{
    int64_t at, pivot, left = 0;

    law_write(r, m->offer, (k * r->nodes + r->node) * 16, (k * r->nodes + r->node + 1) * 16);
    law_barrier(r);
    law_read(r, m->offer, k * r->nodes * 16, (k + 1) * r->nodes * 16);
    at = law_seen_first(r, m->a);
    pivot = law_max(at, 0) / m->row;
    if (at >= 0)
        m->done[pivot] = true;
    for (int64_t i = r->node; i < m->size && k < m->size - 1; i += r->nodes) {
        if (m->done[i])
            continue;
        left++;
        law_update(r, m->a, i * m->row + 8 * k, (i + 1) * m->row);
        law_update(r, m->b, i * 8, (i + 1) * 8);
    }
    if (left > 0) {
        law_read(r, m->a, pivot * m->row + 8 * k, (pivot + 1) * m->row);
        law_read(r, m->b, pivot * 8, pivot * 8 + 8);
    }
    law_work(r, left * (m->size - k));
}

static void law_gauss_run(struct law_run *r)
{
    struct law_gauss m = { .size = r->param[SIZE] };

    m.row = 8 * m.size;
    m.rows = (m.size - r->node + r->nodes - 1) / r->nodes;
    m.a = law_array_all(r, m.row * m.size);
    m.b = law_array_all(r, 8 * m.size);
    m.x = law_array_all(r, 8 * m.size);
    m.offer = law_array_all(r, 16 * m.size * r->nodes);
    m.done = law_alloc(r, (size_t)m.size, sizeof *m.done);
    law_gauss_fill(r, &m);
    for (int64_t k = 0; k < m.size; k++)
        law_gauss_step(r, &m, k);

    /* Node 0 computes the unknowns, and reads them. */
    if (r->node == 0) {
        law_read(r, m.a, 0, m.row * m.size);
        law_read(r, m.b, 0, 8 * m.size);
        law_write(r, m.x, 0, 8 * m.size);
        law_work(r, m.size * m.size);
    }
    law_barrier(r);
    law_barrier(r);
}

const struct law law_gauss = { "gauss", law_gauss_run, { { "size", 512, 1, 1 << 20 } } };
