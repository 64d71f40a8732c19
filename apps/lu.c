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

#include "apps/common.h"
#include "apps/lu_block.h"
#include "apps/lu_check.h"

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

/* ---- location of blocks ---- */

static size_t per_node(const struct lu *lu, int axis)
{
    size_t nodes = (size_t)lu->grid[axis];

    return (lu->blocks + nodes - 1) / nodes;
}

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

/* Elements of a node's part, rounded up to whole pages. */
static size_t part_size(const struct lu *lu)
{
    size_t size = lu->side[0] * lu->side[1] * lu->problem.block * lu->problem.block;
    size_t unit = APP_PAGE / sizeof(double);

    return (size + unit - 1) / unit * unit;
}

/* Location of the block; in a window, its address at the owner. */
static struct lu_block profile_report_block_at(const struct lu *lu, size_t i, size_t j)
{
    size_t n = lu->problem.block, size = lu->problem.size;
    struct lu_block b = { NULL, length_of(lu, i), length_of(lu, j), n };
    size_t index = among_own(lu, 0, i) * lu->side[1] + among_own(lu, 1, j);

    if (lu->problem.by_rows) {
        b.pitch = size;
        b.at = &lu->a[i * n * size + j * n];
        return b;
    }
    b.at = &lu->a[index * n * n];
    if (!in_window(lu))
        b.at += (size_t)owner_of(lu, i, j) * part_size(lu);
    return b;
}

/* ---- blocks of other nodes ---- */

/* Starts to copy a block. */
static void get_block(const struct lu *lu, size_t i, size_t j, double *to)
{
    struct lu_block b = profile_report_block_at(lu, i, j);
    size_t width = lu->problem.block * sizeof(double), pitch = b.pitch * sizeof(double);
    size_t counts[] = { b.columns * sizeof(double), b.rows };

    hlrc_get_strided_nb(to, &width, b.at, &pitch, counts, 1,
                        in_window(lu) ? owner_of(lu, i, j) : HLRC_HOMES, NULL);
}

/* Starts to fetch another node's block; `copy` has room for it. Returns the address where it will
 * be read. */
static double *fetch(const struct lu *lu, size_t i, size_t j, double *copy)
{
    struct lu_block b = profile_report_block_at(lu, i, j);

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
static struct lu_block seen(const struct lu *lu, size_t i, size_t j, double *at)
{
    struct lu_block b = profile_report_block_at(lu, i, j);

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
    struct lu_block diagonal;

    if (!in_row(lu, k) && !in_column(lu, k))
        return;
    diagonal = seen(lu, k, k, fetch(lu, k, k, room_for(lu, 0)));
    fetched(lu);
    for (size_t i = k + 1; i < lu->blocks; i++) {
        if (is_mine(lu, i, k))
            lu_below(profile_report_block_at(lu, i, k), diagonal);
        if (is_mine(lu, k, i))
            lu_right(profile_report_block_at(lu, k, i), diagonal);
    }
}

static void interior(struct lu *lu, size_t k)
{
    for (size_t i = k + 1; i < lu->blocks; i++) {
        lu->below[i] = in_row(lu, i) ? fetch(lu, i, k, room_for(lu, i)) : NULL;
        lu->left[i] = in_column(lu, i) ? fetch(lu, k, i, room_for(lu, lu->blocks + i)) : NULL;
    }
    fetched(lu);
    for (size_t i = k + 1; i < lu->blocks; i++)
        for (size_t j = k + 1; lu->below[i] != NULL && j < lu->blocks; j++)
            if (lu->left[j] != NULL)
                lu_inner(profile_report_block_at(lu, i, j), seen(lu, i, k, lu->below[i]),
                         seen(lu, k, j, lu->left[j]));
}

static double timed_factor(struct lu *lu)
{
    double start = app_now();

    for (size_t k = 0; k < lu->blocks; k++) {
        if (is_mine(lu, k, k))
            lu_factor(profile_report_block_at(lu, k, k));
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
        lu->side[axis] = per_node(lu, axis);
}

static double *allocate(const struct lu *lu)
{
    size_t bytes = part_size(lu) * sizeof(double);
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

static void lu_free(struct lu *lu)
{
    free(lu->copy);
    free(lu->below);
    free(lu->left);
}

static void make_matrix(struct lu *lu)
{
    size_t n = lu->problem.block;

    for (size_t i = 0; i < lu->blocks; i++)
        for (size_t j = 0; j < lu->blocks; j++) {
            struct lu_block b = profile_report_block_at(lu, i, j);

            for (size_t row = 0; row < b.rows && is_mine(lu, i, j); row++)
                lu_make_row(lu->problem.size, i * n + row, j * n, b.columns, b.at + row * b.pitch);
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
            struct lu_block b = seen(lu, i, j, fetch(lu, i, j, room_for(lu, 0)));

            fetched(lu);
            for (size_t row = 0; row < b.rows; row++)
                memcpy(&whole[(i * n + row) * size + j * n], b.at + row * b.pitch,
                       b.columns * sizeof *whole);
        }
    return whole;
}

/* Any differing bit changes the sum. */
static uint64_t checksum_of(const double *whole, size_t elements)
{
    uint64_t bits, sum = 0;

    for (size_t i = 0; i < elements; i++) {
        memcpy(&bits, &whole[i], sizeof bits);
        sum += bits * (2 * i + 1);
    }
    return sum;
}

/* Only on node 0. */
static void report(const struct lu *lu, struct app_result *result)
{
    const struct problem *p = &lu->problem;
    double n = (double)p->size, *whole = gather(lu);

    snprintf(result->size, sizeof result->size, "%zu", p->size);
    snprintf(result->problem, sizeof result->problem,
             "%zu x %zu, blocks of %zu, %s, dealt out %s, by %s, seed %" PRIu64, p->size, p->size,
             p->block, p->by_rows ? "by rows" : "contiguous", p->cyclic ? "in turn" : "in regions",
             p->gets ? "gets" : "loads", app.seed);
    snprintf(result->checksum, sizeof result->checksum, "%016" PRIx64,
             checksum_of(whole, p->size * p->size));
    result->mops = 1e-6 * 2 * n * n * n / 3 / result->time_s;
    if (app.verify)
        lu_verify(p->size, whole, result);
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
    struct problem problem = { DEFAULT_SIZE, DEFAULT_BLOCK, false, true, false };
    struct app_result result = { 0 };
    struct lu lu;

    app_begin("lu", &argc, &argv);
    app_parse(options, "A dense matrix factored by blocks: the LU of SPLASH-2.", argc, argv,
              &problem);
    lu_init(&lu, &problem);
    make_matrix(&lu);
    result.time_s = timed_factor(&lu);
    hlrc_barrier();
    if (app.node == 0)
        report(&lu, &result);
    hlrc_barrier();
    lu_free(&lu);
    return app_end(&result);
}
