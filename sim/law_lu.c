/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_lu.c - apps/lu.c, contiguous blocks distributed cyclically, by loads, with hints: nodes form
 * a grid that is as square as possible, and block (i, j) belongs to row i and column j of it,
 * modulo its sides. Size: a multiple of the block.
 */
#include "sim/law.h"

/* LOOK 0: node 0 does not read the matrix at the end */
enum { SIZE, BLOCK, LOOK };

struct law_lu {
    int64_t high, wide; /* the grid of nodes */
    int64_t blocks, bytes, cube, side, part;
    int64_t row, column;   /* this node in the grid */
    int64_t rows, columns; /* of blocks, of this node */
    struct law_array a;
};

static int64_t law_lu_high(const struct law_run *r)
{
    int64_t high = 1;

    for (int64_t i = 2; i <= law_root(r->nodes); i++)
        if (r->nodes % i == 0)
            high = i;
    return high;
}

static int64_t law_lu_at(const struct law_lu *m, int64_t i, int64_t j)
{
    return (i % m->high * m->wide + j % m->wide) * m->part +
           (i / m->high * m->side + j / m->wide) * m->bytes;
}

/* In the matrix of all blocks: the r-th row and the c-th column of this node. */
static int64_t law_lu_row(const struct law_lu *m, int64_t r)
{
    return m->row + r * m->high;
}

static int64_t law_lu_column(const struct law_lu *m, int64_t c)
{
    return m->column + c * m->wide;
}

static void law_lu_load(struct law_run *r, const struct law_lu *m, int64_t i, int64_t j)
{
    law_read(r, m->a, law_lu_at(m, i, j), law_lu_at(m, i, j) + m->bytes);
}

static void law_lu_prefetch(struct law_run *r, const struct law_lu *m, int64_t i, int64_t j)
{
    law_prefetch(r, m->a, law_lu_at(m, i, j), law_lu_at(m, i, j) + m->bytes);
}

static void law_lu_make(struct law_run *r, struct law_lu *m)
{
    int64_t size = r->param[SIZE], block = r->param[BLOCK];

    if (r->weak) /* as many elements per node, and more work */
        size = law_root(size * size * r->nodes / r->traced) / block * block;
    m->high = law_lu_high(r);
    m->wide = r->nodes / m->high;
    m->blocks = size / block;
    m->bytes = 8 * block * block;
    m->cube = block * block * block;
    m->side = (m->blocks + m->wide - 1) / m->wide;
    m->part = law_whole((m->blocks + m->high - 1) / m->high * m->side * m->bytes, r->page);
    m->row = r->node / m->wide;
    m->column = r->node % m->wide;
    m->rows = (m->blocks - m->row + m->high - 1) / m->high;
    m->columns = (m->blocks - m->column + m->wide - 1) / m->wide;
    m->a = law_array_all(r, r->nodes * m->part);
}

static void law_lu_fill(struct law_run *r, const struct law_lu *m)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->columns; j++) {
            int64_t at = law_lu_at(m, law_lu_row(m, i), law_lu_column(m, j));
            law_write(r, m->a, at, at + m->bytes);
            law_work(r, 1);
        }
    law_barrier(r);
}

/* The blocks below diagonal block K, and right of it. */
static void law_lu_border(struct law_run *r, const struct law_lu *m, int64_t k, int64_t down,
                          int64_t right)
{
    bool in_row = k % m->high == m->row, in_column = k % m->wide == m->column;

    if (in_row != in_column)
        law_lu_prefetch(r, m, k, k);
    for (int64_t i = down; in_column && i < m->rows; i++) {
        int64_t at = law_lu_at(m, law_lu_row(m, i), k);
        law_update(r, m->a, at, at + m->bytes);
        law_lu_load(r, m, k, k);
        law_work(r, m->cube);
    }
    for (int64_t j = right; in_row && j < m->columns; j++) {
        int64_t at = law_lu_at(m, k, law_lu_column(m, j));
        law_update(r, m->a, at, at + m->bytes);
        law_lu_load(r, m, k, k);
        law_work(r, m->cube);
    }
    law_barrier(r);
}

static void law_lu_inside(struct law_run *r, const struct law_lu *m, int64_t k, int64_t down,
                          int64_t right)
{
    for (int64_t i = down; k % m->wide != m->column && i < m->rows; i++)
        law_lu_prefetch(r, m, law_lu_row(m, i), k);
    for (int64_t j = right; k % m->high != m->row && j < m->columns; j++)
        law_lu_prefetch(r, m, k, law_lu_column(m, j));
    for (int64_t i = down; i < m->rows; i++)
        for (int64_t j = right; j < m->columns; j++) {
            int64_t at = law_lu_at(m, law_lu_row(m, i), law_lu_column(m, j));
            law_lu_load(r, m, law_lu_row(m, i), k);
            law_lu_load(r, m, k, law_lu_column(m, j));
            law_update(r, m->a, at, at + m->bytes);
            law_work(r, 2 * m->cube);
        }
}

static void law_lu_step(struct law_run *r, const struct law_lu *m, int64_t k)
{
    /* of this node's rows and columns of blocks, the first ones after K */
    int64_t down = law_divide(k - m->row, m->high) + 1;
    int64_t right = law_divide(k - m->column, m->wide) + 1;

    if (k % m->high == m->row && k % m->wide == m->column) {
        law_update(r, m->a, law_lu_at(m, k, k), law_lu_at(m, k, k) + m->bytes);
        law_work(r, 2 * m->cube / 3);
    }
    law_barrier(r);
    law_lu_border(r, m, k, down, right);
    law_lu_inside(r, m, k, down, right);
}

/* Node 0 reads all of it. */
static void law_lu_look(struct law_run *r, const struct law_lu *m)
{
    for (int64_t i = 0; i < m->blocks; i++)
        for (int64_t j = 0; j < m->blocks; j++) {
            if (i % m->high != 0 || j % m->wide != 0)
                law_lu_prefetch(r, m, i, j);
            law_lu_load(r, m, i, j);
        }
    law_work(r, m->blocks * m->blocks);
}

static void law_lu_run(struct law_run *r)
{
    struct law_lu m;

    law_lu_make(r, &m);
    law_lu_fill(r, &m);
    for (int64_t k = 0; k < m.blocks; k++)
        law_lu_step(r, &m, k);
    law_barrier(r);
    if (r->node == 0 && r->param[LOOK] == 1)
        law_lu_look(r, &m);
    law_barrier(r);
    law_barrier(r);
}

const struct law law_lu = {
    "lu",
    law_lu_run,
    { { "size", 1024, 1, 1 << 20 }, { "block", 32, 1, 1 << 10 }, { "look", 1, 0, 1 } },
};
