/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sor.c - Laplace's equation on a square by red-black successive over-relaxation, the SOR of the
 * programs used to evaluate TreadMarks (Lu, Dwarkadas, Cox and Zwaenepoel, SC '95). The method is
 * D. M. Young's (Trans. AMS 76, 1954). Or, with --method jacobi, by Jacobi's.
 *
 * Each inner point of the grid is moved towards the mean of its four neighbours, over-relaxed by
 * the factor omega. Points are coloured as a chessboard: red ones have only black neighbours, so
 * all red ones may be computed at once, and then all black ones. Jacobi's method computes all
 * points at once, from one array to the other.
 *
 *   grid[0]  [i][j]   size + 2 rows of size + 2 points; the outermost are the constant boundary
 *   grid[1]  [i][j]   only with Jacobi's method: after each step the two swap roles
 *
 * It is written as for one machine. The inner rows are distributed over the nodes in blocks, with
 * no regard to page boundaries. There is a barrier after each colour, or each step of Jacobi's
 * method. For SOR each node fills the rows that it works on. For Jacobi's method node 0 fills both
 * arrays, as a program does that reads its input from a file.
 *
 * How pages move. In each phase a node reads a row of the block before its own and one of the
 * block after it, 8 (size + 2) bytes each, just written by their nodes, and with them the rest of
 * the same pages. Rows end within a page, so two nodes write the page where their blocks meet,
 * each in every phase. With Jacobi's method, node 0 is the home of all pages, so the others also
 * send all their results to node 0 in each step.
 *
 * A job with --checkpoint may be saved before each sweep, and continued on any number of nodes.
 *
 * The verification knows each point beforehand: the start is a solution of the discrete equations
 * plus an error whose value after any number of sweeps is known from theory. Node 0 compares the
 * whole grid with it, boundary included.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "apps/common.h"

#define DEFAULT_SIZE   1024
#define DEFAULT_SWEEPS 100

#define MAX_SIZE   32768
#define MAX_SWEEPS 1000000

#define MODES     2
#define LONGEST   3 /* maximum half waves along an axis */
#define PI        3.14159265358979323846
#define AMPLITUDE 0.5 /* of each wave, at the start */

/* Maximum error of a relaxation, in epsilons: 14 for values up to 2 and the worst omega. The rest
 * is for the sines, and for short waves, which SOR amplifies at first. */
#define ROUNDING 32

struct problem {
    uint64_t size, sweeps;
    double omega; /* 0: the best for this size */
    bool jacobi;
};

struct sor {
    size_t size, width;    /* inner points along a side, and all points */
    double omega;          /* 0: Jacobi's method */
    double *grid[2];       /* shared; only [0] with SOR */
    struct app_range mine; /* rows of this node */
    struct app_steps sweeps;
    double *sine[LONGEST];      /* private, by half waves minus 1 and by index */
    double amplitude[MODES][2]; /* of the waves expected in grid[0], by colour, red first */
};

/* Half waves along either axis; different numbers, so that the grid is not its own mirror
 * image. */
static const struct mode {
    int p, q;
} modes[MODES] = { { 1, 1 }, { 3, 2 } };

/*
 * ---- expected values at each point, after any number of sweeps ----
 *
 * The solution is x^2 - y^2 on the unit square; on a grid the sum of its second differences is 0,
 * too. The errors are waves sin(pi p x) sin(pi q y), zero at the boundary. The mean of the four
 * neighbours of a point is (cos(pi p h) + cos(pi q h)) / 2 times the wave at the point itself,
 * where h is the distance of neighbours. So a sweep of either method preserves the shape. It
 * multiplies the red points of a wave by one number, the black ones by another (D. M. Young,
 * Trans. AMS 76, 1954).
 *
 * Points are numbered from 0 to size + 1 along either axis; the first and last are the boundary.
 * Points with an even sum of indices are red.
 */

/* Exactly zero where the wave is zero. */
static void fill_sines(struct sor *s, int half_waves)
{
    double *sine = app_private("sines", (s->size + 2) * sizeof *sine);

    for (size_t i = 0; i < s->size + 2; i++) {
        size_t phase = (size_t)half_waves * i % (2 * (s->size + 1));

        sine[i] = phase % (s->size + 1) == 0 ? 0 : sin(PI * (double)phase / (double)(s->size + 1));
    }
    s->sine[half_waves - 1] = sine;
}

/* The state at the start. */
static void waves_init(struct sor *s)
{
    for (int n = 1; n <= LONGEST; n++)
        fill_sines(s, n);
    for (int m = 0; m < MODES; m++)
        s->amplitude[m][0] = s->amplitude[m][1] = AMPLITUDE;
}

/* The mean of a point's neighbours, for a wave that is 1 there. */
static long double mean_of_neighbours(const struct sor *s, struct mode mode)
{
    long double angle = acosl(-1) / (long double)(s->size + 1);

    return (cosl((long double)mode.p * angle) + cosl((long double)mode.q * angle)) / 2;
}

/* With more digits than the grid has: near the best omega, errors of the two numbers grow at
 * first. */
static void relax_mode(struct sor *s, int m, uint64_t sweeps)
{
    long double mean = mean_of_neighbours(s, modes[m]), omega = s->omega;
    long double red = s->amplitude[m][0], black = s->amplitude[m][1];

    for (uint64_t k = 0; k < sweeps; k++) {
        long double before = red;

        if (s->omega == 0) {
            red = mean * black;
            black = mean * before;
        } else {
            red += omega * (mean * black - red);
            black += omega * (mean * red - black);
        }
    }
    s->amplitude[m][0] = (double)red;
    s->amplitude[m][1] = (double)black;
}

/* Advances the waves by `sweeps`. */
static void waves_relax(struct sor *s, uint64_t sweeps)
{
    for (int m = 0; m < MODES; m++)
        relax_mode(s, m, sweeps);
}

/* The value at a point without the waves, and the waves' contribution; together at most 2 at the
 * start. */
static double waves_solution(const struct sor *s, size_t i, size_t j)
{
    double side = (double)(s->size + 1), x = (double)i, y = (double)j;

    return (x * x - y * y) / (side * side);
}

static double waves_error(const struct sor *s, size_t i, size_t j)
{
    double error = 0;

    for (int m = 0; m < MODES; m++)
        error +=
            s->amplitude[m][(i + j) % 2] * s->sine[modes[m].p - 1][i] * s->sine[modes[m].q - 1][j];
    return error;
}

/*
 * Maximum root mean square error of the points after `sweeps` from the start: the rounding errors
 * of each sweep, as later sweeps change them. A step of Jacobi's method lowers the root mean
 * square of an error. A relaxation of SOR lowers its energy, for 0 < omega < 2 (Ostrowski 1954),
 * which is at least 8 sin^2(pi h / 2) times the sum of its squares. On the points of one colour,
 * which are never adjacent, the energy of an error is 4 times the sum of its squares. The two
 * phases of a sweep and the start each contribute the square root of 8 size^2 ROUNDING^2 epsilons;
 * the size cancels out. sin(pi h / 2) is not below h.
 */
static double waves_bound(const struct sor *s, uint64_t sweeps)
{
    double once = ROUNDING * DBL_EPSILON * (double)(sweeps + 1);

    return s->omega == 0 ? once : once * (double)(s->size + 1);
}

/* ---- the sweeps ---- */

/* The omega with the fastest asymptotic convergence: Young. */
static double best_omega(size_t size)
{
    return 2 / (1 + sin(acos(-1) / (double)(size + 1)));
}

static void sor_init(struct sor *s, const struct problem *problem)
{
    struct app_range inner = app_part(problem->size, 1, app.node);

    s->size = problem->size;
    s->width = s->size + 2;
    s->mine = (struct app_range){ inner.begin + 1, inner.end + 1 };
    s->omega = problem->jacobi ? 0 : problem->omega != 0 ? problem->omega : best_omega(s->size);
    for (int i = 0; i < (problem->jacobi ? 2 : 1); i++)
        s->grid[i] = app_shared("the grid", s->width * s->width * sizeof *s->grid[i]);
    waves_init(s);
    app_protect(s->grid, sizeof s->grid);
}

static void fill(const struct sor *s, double *grid, struct app_range rows)
{
    for (size_t i = rows.begin; i < rows.end; i++)
        for (size_t j = 0; j < s->width; j++)
            grid[i * s->width + j] = waves_solution(s, i, j) + waves_error(s, i, j);
}

/* The first and last rows, which are boundary, are filled with the rows beside them. */
static void fill_sor(const struct sor *s)
{
    struct app_range rows = s->mine;

    rows.begin -= app.node == 0;
    rows.end += app.node == app.nodes - 1;
    fill(s, s->grid[0], rows);
    hlrc_barrier();
}

static void fill_jacobi(const struct sor *s)
{
    for (int i = 0; i < 2 && app.node == 0; i++)
        fill(s, s->grid[i], (struct app_range){ 0, s->width });
    hlrc_barrier();
}

/* The points of one colour in this node's rows: red, 0, have an even sum of indices. */
static void relax(const struct sor *s, size_t colour)
{
    for (size_t i = s->mine.begin; i < s->mine.end; i++) {
        double *row = &s->grid[0][i * s->width];
        const double *above = row - s->width, *below = row + s->width;

        for (size_t j = 1 + (i + 1 + colour) % 2; j <= s->size; j += 2)
            row[j] += s->omega * (0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]) - row[j]);
    }
    hlrc_barrier();
}

static void jacobi_step(struct sor *s)
{
    double *from = s->grid[0];

    for (size_t i = s->mine.begin; i < s->mine.end; i++) {
        const double *row = &from[i * s->width];
        const double *above = row - s->width, *below = row + s->width;
        double *to = &s->grid[1][i * s->width];

        for (size_t j = 1; j <= s->size; j++)
            to[j] = 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]);
    }
    hlrc_barrier();
    s->grid[0] = s->grid[1];
    s->grid[1] = from;
}

static double timed_sweeps(struct sor *s, uint64_t sweeps)
{
    app_steps_begin(&s->sweeps);
    while (s->sweeps.done < sweeps) {
        app_steps_save(&s->sweeps, hlrc_checkpoint_any);
        if (s->omega == 0) {
            jacobi_step(s);
        } else {
            relax(s, 0);
            relax(s, 1);
        }
        s->sweeps.done++;
        app_progress(s->sweeps.done, sweeps);
    }
    return app_steps_seconds(&s->sweeps);
}

/* Only on node 0. */
static void verify(struct sor *s, uint64_t sweeps, struct app_result *result)
{
    double squares = 0, largest = 0, bound = waves_bound(s, sweeps), rms;

    waves_relax(s, sweeps);
    for (size_t i = 0; i < s->width; i++)
        for (size_t j = 0; j < s->width; j++) {
            double error = s->grid[0][i * s->width + j] - waves_solution(s, i, j);
            double off = error - waves_error(s, i, j);

            squares += off * off;
            largest = fmax(largest, fabs(error));
        }
    rms = sqrt(squares) / (double)s->size;
    result->verified = rms <= bound;
    APP_PRINT(result->evidence,
              "%sat most %.3g off the solution; root mean square off theory %.1e, bound %.1e",
              result->verified ? "" : "wrong: ", largest, rms, bound);
}

static void report(struct sor *s, const struct problem *problem, struct app_result *result)
{
    uint64_t sum = 0;
    char method[40];

    if (s->omega == 0)
        APP_PRINT(method, "Jacobi's method");
    else
        APP_PRINT(method, "omega %.6f", s->omega);
    APP_PRINT(result->size, "%zu", s->size);
    APP_PRINT(result->problem, "%zu x %zu points, %" PRIu64 " sweeps, %s", s->size, s->size,
              problem->sweeps, method);
    for (size_t i = 0; i < s->width * s->width; i++)
        sum += app_stamp(s->grid[0][i], i);
    APP_PRINT(result->checksum, "%016" PRIx64, sum);
    result->mops =
        1e-6 * (double)s->size * (double)s->size * (double)problem->sweeps / result->time_s;
    if (app.verify)
        verify(s, problem->sweeps, result);
}

static const struct app_option options[] = {
    { "size", 's', "N", "Inner points along a side of the grid (default 1024)",
      APP_NUMBER(problem, size, 1, MAX_SIZE) },
    { "sweeps", 'k', "K", "Times that each point is relaxed (default 100)",
      APP_NUMBER(problem, sweeps, 1, MAX_SWEEPS) },
    { "omega", 'w', "W", "Factor of over-relaxation, 0.01 to 1.9999 (default: the best for N)",
      APP_REAL(problem, omega, 0.01, 1.9999) },
    { "method", 'm', "M", "sor (default) or jacobi, which has two arrays, filled by node 0",
      APP_WORDS(problem, jacobi, "sor", "jacobi") },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct sor s;
    struct problem problem = { DEFAULT_SIZE, DEFAULT_SWEEPS, 0, false };
    struct app_result result = { 0 };

    app_begin("sor", "Laplace's equation by red-black successive over-relaxation.", options,
              &problem, argc, argv);
    if (problem.jacobi && problem.omega != 0)
        app_usage_error("--omega %g: of no use to --method jacobi; leave it out", problem.omega);
    sor_init(&s, &problem);
    if (problem.jacobi)
        fill_jacobi(&s);
    else
        fill_sor(&s);
    result.time_s = timed_sweeps(&s, problem.sweeps);
    if (app.node == 0)
        report(&s, &problem, &result);
    return app_end(&result);
}
