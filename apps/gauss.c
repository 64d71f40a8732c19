/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gauss.c - a dense system of linear equations, A x = b, by Gaussian elimination with partial
 * pivoting: the Gauss of the programs used to evaluate TreadMarks (Dwarkadas, Cox and Zwaenepoel,
 * ASPLOS 1996).
 *
 * In step k one row, the pivot row, is chosen, and a multiple of it is subtracted from each row
 * not chosen yet, so that column k becomes zero there. The pivot row has the largest element in
 * column k, by absolute value; of equal ones the first is chosen. Rows are not moved: the order of
 * choice represents the row exchanges. Then the unknowns are computed from the last to the first,
 * each from the row chosen for it.
 *
 *   a      [i][j]      the matrix, by rows
 *   b      [i]         the right-hand side
 *   x      [j]         the solution
 *   offer  [k][node]   the best of the node's own rows for step k
 *
 * It is written as for one machine. Row i, with b[i], belongs to node i mod nodes, and only that
 * node changes it. So the work stays evenly distributed as the rows grow fewer. In each step a
 * node finds the best of its own rows. After a barrier, the only one per step, all nodes see all
 * offers, make the same choice, and update their own rows. Offers are never overwritten, so one
 * barrier is enough. At the end node 0 computes the unknowns.
 *
 * How pages move. In each step every node except the owner reads the rest of the pivot row, 8
 * (size - k) bytes, and one element of b. All nodes write in the few pages of b and in the page of
 * the step's offers, and read the others' values there. If rows fill whole pages (size a multiple
 * of 512) there is no other traffic: a row does not change after it is chosen, so node 0 already
 * has the rows that it needs at the end. Otherwise neighbouring rows, which have different owners,
 * share a page. Then each step changes almost every page of the matrix on two nodes or more, and
 * each of these fetches it again.
 *
 * In the first step many rows have the largest element, which tests the choice among equal ones.
 * The verification generates the system again, and node 0 checks the residual: equations.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "apps/equations.h"

#define DEFAULT_SIZE 1024
#define MAX_SIZE     32768

/* A node's best row for a step. */
struct offer {
    double size; /* absolute value of its element; negative: the node has no row left */
    uint64_t row;
};

struct gauss {
    size_t size;
    double *a, *b, *x;   /* shared */
    struct offer *offer; /* shared */
    size_t *pivot;       /* private, the same on all nodes: the row chosen in each step */
    bool *chosen;        /* private, by row */
};

static void gauss_init(struct gauss *g, size_t size)
{
    g->size = size;
    g->a = app_shared("the matrix", size * size * sizeof *g->a);
    g->b = app_shared("the right-hand side", size * sizeof *g->b);
    g->x = app_shared("the solution", size * sizeof *g->x);
    g->offer = app_shared("the offers", size * (size_t)app.nodes * sizeof *g->offer);
    g->pivot = app_private("the order of rows", size * sizeof *g->pivot);
    g->chosen = app_zeros("marks of rows", size * sizeof *g->chosen);
}

static double *row_of(const struct gauss *g, size_t i)
{
    return &g->a[i * g->size];
}

static struct equations system_of(const struct gauss *g)
{
    return (struct equations){ .size = g->size };
}

static void make_system(struct gauss *g)
{
    for (size_t i = (size_t)app.node; i < g->size; i += (size_t)app.nodes)
        g->b[i] = equations_side(system_of(g), i, row_of(g, i));
    hlrc_barrier();
}

/* The best of this node's rows for step k. */
static struct offer look_for_pivot(const struct gauss *g, size_t k)
{
    struct offer best = { -1, 0 };

    for (size_t i = (size_t)app.node; i < g->size; i += (size_t)app.nodes)
        if (!g->chosen[i] && fabs(row_of(g, i)[k]) > best.size)
            best = (struct offer){ fabs(row_of(g, i)[k]), i };
    return best;
}

/* The best of all offers; independent of the order of nodes. */
static struct offer choose_pivot(const struct gauss *g, size_t k)
{
    struct offer best = { -1, 0 };

    for (int node = 0; node < app.nodes; node++) {
        struct offer offer = g->offer[k * (size_t)app.nodes + (size_t)node];

        if (offer.size > best.size || (offer.size == best.size && offer.row < best.row))
            best = offer;
    }
    return best;
}

static void eliminate(struct gauss *g, size_t k, size_t pivot)
{
    const double *from = row_of(g, pivot);

    for (size_t i = (size_t)app.node; i < g->size; i += (size_t)app.nodes) {
        double *row = row_of(g, i), factor;

        if (g->chosen[i])
            continue;
        factor = row[k] / from[k];
        for (size_t j = k + 1; j < g->size; j++)
            row[j] -= factor * from[j];
        g->b[i] -= factor * g->b[pivot];
    }
}

static void substitute(struct gauss *g)
{
    for (size_t k = g->size; k-- > 0;) {
        const double *row = row_of(g, g->pivot[k]);
        double rest = g->b[g->pivot[k]];

        for (size_t j = k + 1; j < g->size; j++)
            rest -= row[j] * g->x[j];
        g->x[k] = rest / row[k];
    }
}

static double timed_solve(struct gauss *g)
{
    double start = app_now();

    for (size_t k = 0; k < g->size; k++) {
        struct offer best;

        g->offer[k * (size_t)app.nodes + (size_t)app.node] = look_for_pivot(g, k);
        hlrc_barrier();
        best = choose_pivot(g, k);
        if (!(best.size > 0))
            app_usage_error("--size %zu --seed %" PRIu64 ": the matrix is singular; choose another "
                            "seed",
                            g->size, app.seed);
        g->pivot[k] = best.row;
        g->chosen[best.row] = true;
        eliminate(g, k, best.row);
        app_progress(k + 1, g->size);
    }
    if (app.node == 0)
        substitute(g);
    hlrc_barrier();
    return app_now() - start;
}

static uint64_t checksum_of(const struct gauss *g)
{
    uint64_t sum = 0;

    for (size_t j = 0; j < g->size; j++)
        sum += app_stamp(g->x[j], j) ^ (uint64_t)g->pivot[j] << 32;
    return sum;
}

static void report(const struct gauss *g, struct app_result *result)
{
    double n = (double)g->size;

    APP_PRINT(result->size, "%zu", g->size);
    APP_PRINT(result->problem,
              "%zu equations, Gaussian elimination, partial pivoting, seed %" PRIu64, g->size,
              app.seed);
    APP_PRINT(result->checksum, "%016" PRIx64, checksum_of(g));
    result->mops = 1e-6 * (2 * n * n * n / 3 + 3 * n * n / 2) / result->time_s; /* as HPL counts */
    if (app.verify)
        equations_verify(system_of(g), g->x, result);
}

struct problem {
    size_t size;
};

static const struct app_option options[] = {
    { "size", 's', "N", "Equations and unknowns (default 1024)",
      APP_NUMBER(problem, size, 1, MAX_SIZE) },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct gauss g;
    struct problem problem = { DEFAULT_SIZE };
    struct app_result result = { 0 };

    app_begin("gauss", "A dense system of linear equations by Gaussian elimination.", options,
              &problem, argc, argv);
    gauss_init(&g, problem.size);
    make_system(&g);
    result.time_s = timed_solve(&g);
    if (app.node == 0)
        report(&g, &result);
    return app_end(&result);
}
