/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lu.c - a dense matrix, factored into a lower and an upper triangular one by blocks, without
 * pivoting: the LU of SPLASH-2 (Woo et al., ISCA 1995).
 *
 * Step k factors the diagonal block, then the blocks below it and right of it, then subtracts the
 * products of these from all blocks below and right of both. There is a barrier after the first
 * and after the second part; none after the third, as a block is changed only by its owner.
 *
 * Nodes form a grid. With --distribution cyclic, block (i, j) belongs to the node in row i and
 * column j of the grid, modulo its sides, which keeps the work evenly distributed to the end. With
 * --distribution block, the grid is laid over the matrix, as Nieplocha, Ju and Apra (GM and ARMCI)
 * did in addition: fewer nodes need a block, and nodes at the upper left soon become idle.
 *
 *   --layout blocks  a node's blocks are consecutive, starting at a page: each page is written by
 *                    one node ("contiguous blocks" of SPLASH-2)
 *            rows    the matrix is an array of two dimensions: a page holds parts of several
 *                    blocks, which with --distribution cyclic have different owners
 *   --by     loads   other nodes' blocks are read in place
 *            gets    they are copied: blocks from windows in which their owners have them, rows as
 *                    sections of shared memory
 *
 * How pages move. A block is read by others once it is final: in its step by the nodes of its row
 * or column of the grid, and a diagonal one by both. With --layout blocks nothing else moves.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/equations.h"

#define DEFAULT_SIZE  1024
#define DEFAULT_BLOCK 32
#define MAX_SIZE      16384
#define MAX_BLOCK     512

struct problem {
    size_t size, block;
    bool by_rows, cyclic, gets;
};

struct lu {
    struct problem problem;
    size_t blocks;          /* along either side */
    int grid[2];            /* nodes in a column, and in a row, of the grid */
    size_t side[2];         /* maximum blocks of a node along either side */
    double *a;              /* shared; or in a window, for blocks with gets */
    double *copy;           /* private: other nodes' blocks of this step */
    double **below, **left; /* by block: where this node reads it in this step, or NULL */
};

/* By rows, which are `pitch` elements apart. */
struct block {
    double *at;
    size_t rows, columns, pitch;
};

/*
 * ---- operations on blocks ----
 *
 * L has ones on the diagonal. Each element gets its products one by one, in the order of the
 * columns of L. So it has the same bits independent of the storage of blocks and of the node that
 * computes them.
 */

/* row[from ..] -= factor * other[from ..] */
static void subtract(double *restrict row, const double *restrict other, double factor, size_t from,
                     size_t to)
{
    for (size_t j = from; j < to; j++)
        row[j] -= factor * other[j];
}

/* A square block becomes its L and U. */
static void block_factor(struct block a)
{
    for (size_t k = 0; k < a.rows; k++)
        for (size_t i = k + 1; i < a.rows; i++) {
            double *row = &a.at[i * a.pitch];

            row[k] /= a.at[k * a.pitch + k];
            subtract(row, &a.at[k * a.pitch], row[k], k + 1, a.columns);
        }
}

/* A block below a diagonal block becomes its part of L: a U^-1. */
static void block_below(struct block a, struct block diagonal)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t k = 0; k < a.columns; k++) {
            double *row = &a.at[i * a.pitch];

            row[k] /= diagonal.at[k * diagonal.pitch + k];
            subtract(row, &diagonal.at[k * diagonal.pitch], row[k], k + 1, a.columns);
        }
}

/* A block right of a diagonal block becomes its part of U: L^-1 a. */
static void block_right(struct block a, struct block diagonal)
{
    for (size_t k = 0; k < a.rows; k++)
        for (size_t i = k + 1; i < a.rows; i++)
            subtract(&a.at[i * a.pitch], &a.at[k * a.pitch], diagonal.at[i * diagonal.pitch + k], 0,
                     a.columns);
}

/* Two numbers that a CPU processes together; most have at least eight such registers. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

#define TILE_ROWS    2
#define TILE_COLUMNS 4

static inline pair load(const double *at)
{
    pair p;

    memcpy(&p, at, sizeof p);
    return p;
}

static inline void store(double *at, pair p)
{
    memcpy(at, &p, sizeof p);
}

/* TILE_ROWS x TILE_COLUMNS elements, kept in registers. */
static inline void tile(double *restrict a0, double *restrict a1, const double *restrict l0,
                        const double *restrict l1, const double *restrict u, size_t pitch,
                        size_t inner)
{
    pair x0 = load(a0), x1 = load(a0 + 2), y0 = load(a1), y1 = load(a1 + 2);

    for (size_t k = 0; k < inner; k++, u += pitch) {
        pair u0 = load(u), u1 = load(u + 2);

        x0 -= l0[k] * u0;
        x1 -= l0[k] * u1;
        y0 -= l1[k] * u0;
        y1 -= l1[k] * u1;
    }
    store(a0, x0);
    store(a0 + 2, x1);
    store(a1, y0);
    store(a1 + 2, y1);
}

static void rest(struct block a, struct block l, struct block u, size_t i, size_t from)
{
    for (size_t k = 0; k < l.columns; k++)
        subtract(&a.at[i * a.pitch], &u.at[k * u.pitch], l.at[i * l.pitch + k], from, a.columns);
}

/* a -= l u */
static void block_inner(struct block a, struct block l, struct block u)
{
    size_t rows = a.rows / TILE_ROWS * TILE_ROWS;
    size_t columns = a.columns / TILE_COLUMNS * TILE_COLUMNS;

    for (size_t i = 0; i < rows; i += TILE_ROWS) {
        double *a0 = &a.at[i * a.pitch], *a1 = a0 + a.pitch;
        const double *l0 = &l.at[i * l.pitch], *l1 = l0 + l.pitch;

        for (size_t j = 0; j < columns; j += TILE_COLUMNS)
            tile(a0 + j, a1 + j, l0, l1, &u.at[j], u.pitch, l.columns);
        rest(a, l, u, i, columns);
        rest(a, l, u, i + 1, columns);
    }
    if (rows < a.rows)
        rest(a, l, u, rows, 0);
}

/* ---- location of blocks ---- */

/* Row or column of the grid that owns row or column `i` of blocks; among_own(): its index
 * there. */
static size_t grid_of(const struct lu *lu, int axis, size_t i)
{
    return lu->problem.cyclic ? i % (size_t)lu->grid[axis] : i / lu->side[axis];
}

static size_t among_own(const struct lu *lu, int axis, size_t i)
{
    return lu->problem.cyclic ? i / (size_t)lu->grid[axis] : i % lu->side[axis];
}

static int owner_of(const struct lu *lu, size_t i, size_t j)
{
    return (int)(grid_of(lu, 0, i) * (size_t)lu->grid[1] + grid_of(lu, 1, j));
}

static bool is_mine(const struct lu *lu, size_t i, size_t j)
{
    return owner_of(lu, i, j) == app.node;
}

static size_t length_of(const struct lu *lu, size_t i)
{
    size_t rest = lu->problem.size - i * lu->problem.block;

    return rest < lu->problem.block ? rest : lu->problem.block;
}

static bool in_window(const struct lu *lu)
{
    return lu->problem.gets && !lu->problem.by_rows;
}

/* Bytes of a node's part, whole pages. */
static size_t part_size(const struct lu *lu)
{
    size_t n = lu->problem.block;

    return app_pages(lu->side[0] * lu->side[1] * n * n * sizeof(double));
}

/* Location of the block; in a window, its address at the owner. */
static struct block block_at(const struct lu *lu, size_t i, size_t j)
{
    size_t n = lu->problem.block, size = lu->problem.size;
    struct block b = { NULL, length_of(lu, i), length_of(lu, j), n };
    size_t index = among_own(lu, 0, i) * lu->side[1] + among_own(lu, 1, j);

    if (lu->problem.by_rows) {
        b.pitch = size;
        b.at = &lu->a[i * n * size + j * n];
        return b;
    }
    b.at = &lu->a[index * n * n];
    if (!in_window(lu))
        b.at += (size_t)owner_of(lu, i, j) * (part_size(lu) / sizeof *b.at);
    return b;
}

/* ---- blocks of other nodes ---- */

/* Starts to copy a block. */
static void get_block(const struct lu *lu, size_t i, size_t j, double *to)
{
    struct block b = block_at(lu, i, j);
    size_t width = lu->problem.block * sizeof(double), pitch = b.pitch * sizeof(double);
    size_t counts[] = { b.columns * sizeof(double), b.rows };

    hlrc_get_strided_nb(to, &width, b.at, &pitch, counts, 1,
                        in_window(lu) ? owner_of(lu, i, j) : HLRC_HOMES, NULL);
}

/* Starts to fetch another node's block; `copy` has room for it. Returns the address where it will
 * be read. */
static double *fetch(const struct lu *lu, size_t i, size_t j, double *copy)
{
    struct block b = block_at(lu, i, j);

    if (is_mine(lu, i, j))
        return b.at;
    if (lu->problem.gets) {
        get_block(lu, i, j, copy);
        return copy;
    }
    if (lu->problem.by_rows)
        for (size_t row = 0; row < b.rows; row++)
            app_will_read(b.at + row * b.pitch, b.columns * sizeof *b.at);
    else
        app_will_read(b.at, b.rows * b.pitch * sizeof *b.at);
    return b.at;
}

static void fetched(const struct lu *lu)
{
    if (lu->problem.gets)
        hlrc_fence_all();
}

static double *room_for(const struct lu *lu, size_t number)
{
    return lu->copy + number * lu->problem.block * lu->problem.block;
}

/* The block as it is read here, at `at`. */
static struct block seen(const struct lu *lu, size_t i, size_t j, double *at)
{
    struct block b = block_at(lu, i, j);

    if (lu->problem.gets && !is_mine(lu, i, j))
        b.pitch = lu->problem.block;
    b.at = at;
    return b;
}

/* ---- the factorization ---- */

static bool in_row(const struct lu *lu, size_t i)
{
    return grid_of(lu, 0, i) == (size_t)(app.node / lu->grid[1]);
}

static bool in_column(const struct lu *lu, size_t j)
{
    return grid_of(lu, 1, j) == (size_t)(app.node % lu->grid[1]);
}

/* Computes the blocks below the diagonal block, and right of it. */
static void perimeter(struct lu *lu, size_t k)
{
    struct block diagonal;

    if (!in_row(lu, k) && !in_column(lu, k))
        return;
    diagonal = seen(lu, k, k, fetch(lu, k, k, room_for(lu, 0)));
    fetched(lu);
    for (size_t i = k + 1; i < lu->blocks; i++) {
        if (is_mine(lu, i, k))
            block_below(block_at(lu, i, k), diagonal);
        if (is_mine(lu, k, i))
            block_right(block_at(lu, k, i), diagonal);
    }
}

/* In regions a node may have no block left: then it needs none of the others. */
static bool has_interior(const struct lu *lu, size_t k)
{
    bool row = lu->problem.cyclic, column = row;

    for (size_t i = k + 1; i < lu->blocks; i++) {
        row = row || in_row(lu, i);
        column = column || in_column(lu, i);
    }
    return row && column;
}

static void interior(struct lu *lu, size_t k)
{
    if (!has_interior(lu, k))
        return;
    for (size_t i = k + 1; i < lu->blocks; i++) {
        lu->below[i] = in_row(lu, i) ? fetch(lu, i, k, room_for(lu, i)) : NULL;
        lu->left[i] = in_column(lu, i) ? fetch(lu, k, i, room_for(lu, lu->blocks + i)) : NULL;
    }
    fetched(lu);
    for (size_t i = k + 1; i < lu->blocks; i++)
        for (size_t j = k + 1; lu->below[i] != NULL && j < lu->blocks; j++)
            if (lu->left[j] != NULL)
                block_inner(block_at(lu, i, j), seen(lu, i, k, lu->below[i]),
                            seen(lu, k, j, lu->left[j]));
}

static double timed_factor(struct lu *lu)
{
    double start = app_now();

    for (size_t k = 0; k < lu->blocks; k++) {
        if (is_mine(lu, k, k))
            block_factor(block_at(lu, k, k));
        hlrc_barrier();
        perimeter(lu, k);
        hlrc_barrier();
        interior(lu, k);
        app_progress(k + 1, lu->blocks);
    }
    return app_now() - start;
}

/* ---- start and end ---- */

/* As close to a square as the number of nodes allows. */
static void make_grid(struct lu *lu)
{
    lu->grid[0] = 1;
    for (int rows = 2; rows * rows <= app.nodes; rows++)
        if (app.nodes % rows == 0)
            lu->grid[0] = rows;
    lu->grid[1] = app.nodes / lu->grid[0];
    for (int axis = 0; axis < 2; axis++)
        lu->side[axis] = (lu->blocks + (size_t)lu->grid[axis] - 1) / (size_t)lu->grid[axis];
}

static double *allocate(const struct lu *lu)
{
    size_t bytes = part_size(lu);
    double *a;

    if (lu->problem.by_rows)
        return app_shared("the matrix", lu->problem.size * lu->problem.size * sizeof(double));
    if (!in_window(lu))
        return app_shared("the matrix", (size_t)app.nodes * bytes);
    a = hlrc_window_create(bytes);
    if (a == NULL)
        app_no_memory("the matrix", bytes);
    return a;
}

static void lu_init(struct lu *lu, const struct problem *problem)
{
    size_t n = problem->block;

    *lu = (struct lu){ .problem = *problem, .blocks = (problem->size + n - 1) / n };
    make_grid(lu);
    lu->a = allocate(lu);
    lu->copy = app_private("copies of blocks", 2 * lu->blocks * n * n * sizeof *lu->copy);
    lu->below = app_private("places of blocks", lu->blocks * sizeof(double *));
    lu->left = app_private("places of blocks", lu->blocks * sizeof(double *));
}

static struct equations system_of(const struct lu *lu)
{
    return (struct equations){ .size = lu->problem.size, .dominant = true };
}

static void make_matrix(struct lu *lu)
{
    size_t n = lu->problem.block;

    for (size_t i = 0; i < lu->blocks; i++)
        for (size_t j = 0; j < lu->blocks; j++) {
            struct block b = block_at(lu, i, j);

            for (size_t row = 0; row < b.rows && is_mine(lu, i, j); row++)
                equations_row(system_of(lu), i * n + row, j * n, b.columns, b.at + row * b.pitch);
        }
    hlrc_barrier();
}

/* The whole matrix, by rows, in private memory. */
static double *gather(const struct lu *lu)
{
    size_t n = lu->problem.block, size = lu->problem.size;
    double *whole = app_private("a copy of the matrix", size * size * sizeof *whole);

    for (size_t i = 0; i < lu->blocks; i++)
        for (size_t j = 0; j < lu->blocks; j++) {
            struct block b = seen(lu, i, j, fetch(lu, i, j, room_for(lu, 0)));

            fetched(lu);
            for (size_t row = 0; row < b.rows; row++)
                memcpy(&whole[(i * n + row) * size + j * n], b.at + row * b.pitch,
                       b.columns * sizeof *whole);
        }
    return whole;
}

/* Solves the system with its factors, which are by rows. */
static double *solve(struct equations e, const double *factors)
{
    double *x = app_private("the solution", e.size * sizeof *x);
    double *row = app_private("a row", e.size * sizeof *row);

    for (size_t i = 0; i < e.size; i++) {
        x[i] = equations_side(e, i, row);
        for (size_t j = 0; j < i; j++)
            x[i] -= factors[i * e.size + j] * x[j];
    }
    for (size_t i = e.size; i-- > 0;) {
        for (size_t j = i + 1; j < e.size; j++)
            x[i] -= factors[i * e.size + j] * x[j];
        x[i] /= factors[i * e.size + i];
    }
    free(row);
    return x;
}

/* Only on node 0. */
static void report(const struct lu *lu, struct app_result *result)
{
    const struct problem *p = &lu->problem;
    double n = (double)p->size, *whole = gather(lu), *x;
    uint64_t sum = 0;

    for (size_t i = 0; i < p->size * p->size; i++)
        sum += app_stamp(whole[i], i);
    APP_PRINT(result->size, "%zu", p->size);
    APP_PRINT(result->problem, "%zu x %zu, blocks of %zu, %s, dealt out %s, by %s, seed %" PRIu64,
              p->size, p->size, p->block, p->by_rows ? "by rows" : "contiguous",
              p->cyclic ? "in turn" : "in regions", p->gets ? "gets" : "loads", app.seed);
    APP_PRINT(result->checksum, "%016" PRIx64, sum);
    result->mops = 1e-6 * 2 * n * n * n / 3 / result->time_s;
    if (app.verify) {
        x = solve(system_of(lu), whole);
        equations_verify(system_of(lu), x, result);
        free(x);
    }
    free(whole);
}

static const struct app_option options[] = {
    { "size", 's', "N", "Rows and columns (default 1024)", APP_NUMBER(problem, size, 1, MAX_SIZE) },
    { "block", 'b', "B", "Rows and columns of a block (default 32)",
      APP_NUMBER(problem, block, 1, MAX_BLOCK) },
    { "layout", 'l', "HOW", "blocks (default): each block in a row; rows: an array",
      APP_WORDS(problem, by_rows, "blocks", "rows") },
    { "distribution", 'd', "HOW", "cyclic (default), or block: regions of blocks",
      APP_WORDS(problem, cyclic, "block", "cyclic") },
    { "by", 'w', "HOW", "loads (default), or gets: other nodes' blocks are copied",
      APP_WORDS(problem, gets, "loads", "gets") },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct lu lu;
    struct problem problem = { DEFAULT_SIZE, DEFAULT_BLOCK, false, true, false };
    struct app_result result = { 0 };

    app_begin("lu", "A dense matrix factored by blocks: the LU of SPLASH-2.", options, &problem,
              argc, argv);
    lu_init(&lu, &problem);
    make_matrix(&lu);
    result.time_s = timed_factor(&lu);
    hlrc_barrier();
    if (app.node == 0)
        report(&lu, &result);
    hlrc_barrier();
    return app_end(&result);
}
