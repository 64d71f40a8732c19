/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cg.c - the largest eigenvalue of a sparse matrix: the CG benchmark of the NAS Parallel Benchmarks
 * (Bailey et al., RNR-94-007, kernel CG).
 *
 * Inverse power iteration: z = A^-1 x, zeta = shift + 1 / (x z), x = z / |z|, where A = B - shift
 * I is symmetric, random, and sparse without structure (cg_matrix.h). The system is solved by 25
 * steps of conjugate gradients (Hestenes and Stiefel 1952), without a preconditioner. Most of the
 * work of a step is q = A p: each row reads elements from all over p.
 *
 * It is written as for any machine with shared memory, with no regard to pages. Rows are
 * distributed in contiguous parts; a node makes and multiplies its own rows, and writes these
 * elements of the vectors:
 *
 *   begin, column, value  the matrix, by row; read-only once it is made
 *   x, z, p, q, r         [row]            vectors
 *   partial               [2][block]       partial sums of scalar products, one per block of rows
 *
 * The blocks, at most BLOCKS, are the same for any number of nodes, and a part consists of whole
 * blocks. The owner of its rows sums a block; after a barrier every node adds up all blocks, in
 * order. So each sum has the same bits for any number of nodes. Two rows of blocks alternate:
 * before one is written again, all nodes have reached the barrier of the other, and so have read
 * it.
 *
 * How pages move. In each step a node reads the others' parts of p: 8 rows (N-1) bytes in all, for
 * class A and two nodes 112 KB or 28 pages. It reads z in the same way once per system. False
 * sharing occurs in the page where two parts of a vector meet, and in the page of the blocks,
 * which all nodes write and read twice in each step. Of the matrix only such boundary pages move,
 * once. A step has three barriers: one for each of its two scalar products, and one for p.
 *
 * Zeta is compared with the published value (NAS Parallel Benchmarks, CG), or for other sizes with
 * the value of a reference without the matrix and without conjugate gradients. Poorly solved
 * systems change zeta little, so the residuals are checked as well.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "apps/cg_matrix.h"
#include "apps/common.h"

#define STEPS     25 /* of conjugate gradients, per system */
#define BLOCKS    128
#define TOLERANCE 1e-10
#define SOLVED    1e-200 /* a squared residual below this counts as zero */
#define MAX_TERMS 20000  /* of the series */
/* a term relative to the sum; with a ratio of terms of 0.999 the rest is 1e-11 */
#define NEGLIGIBLE 1e-14

#define DEFAULT_ITERATIONS 15
#define MAX_ROWS           (UINT64_C(1) << 24)
#define MAX_NONZER         64
#define MAX_ITERATIONS     1000
#define MAX_SHIFT          1e4 /* zeta is the difference of two numbers of this size */

static const struct class
{
    char name;
    size_t rows, nonzer;
    int iterations;
    double shift, zeta;
} classes[] = {
    { 'S', 1400, 7, 15, 10, 8.5971775078648 },
    { 'W', 7000, 8, 15, 12, 10.362595087124 },
    { 'A', 14000, 11, 15, 20, 17.130235054029 },
    { 'B', 75000, 13, 75, 60, 22.712745482631 },
    { 0 },
};

struct problem {
    const struct class *class; /* NULL for a user-defined size */
    size_t rows, nonzer;
    int iterations; /* 0: as the class says */
    double shift;   /* 0: above the eigenvalues, by a rule of thumb */
};

struct solver {
    size_t rows, block; /* rows of a block */
    double shift;
    struct cg_matrix a;
    double *x, *z, *p, *q, *r; /* shared, as described above */
    double *partial;
    unsigned turn;         /* next row of `partial` */
    struct app_range mine; /* rows */
    bool definite;         /* no step has shown an eigenvalue of B above the shift */
};

struct outcome {
    double zeta;
    double residual; /* |x - A z| */
    double worst;    /* largest residual so far, relative to |x| */
};

static void solver_init(struct solver *s, const struct problem *problem)
{
    double **const vectors[] = { &s->x, &s->z, &s->p, &s->q, &s->r };
    struct cg_vectors v;

    s->rows = problem->rows;
    s->block = (s->rows + BLOCKS - 1) / BLOCKS;
    s->shift = problem->shift;
    s->mine = app_part(s->rows, s->block, app.node);
    s->definite = true;
    for (size_t i = 0; i < 5; i++)
        *vectors[i] = app_shared("the vectors", s->rows * sizeof **vectors[i]);
    s->partial = app_shared("sums", 2 * BLOCKS * sizeof *s->partial);
    cg_vectors_make(&v, s->rows, problem->nonzer, app.seed);
    cg_matrix_make(&s->a, &v, s->shift, s->mine);
    cg_vectors_free(&v);
}

static double sum_over(struct app_range rows, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = rows.begin; i < rows.end; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Collective; all nodes get the same bits. */
static double scalar_product(struct solver *s, const double *a, const double *b)
{
    double *partial = &s->partial[s->turn * BLOCKS];
    double sum = 0;

    for (size_t begin = s->mine.begin; begin < s->mine.end; begin += s->block) {
        size_t end = begin + s->block < s->mine.end ? begin + s->block : s->mine.end;

        partial[begin / s->block] = sum_over((struct app_range){ begin, end }, a, b);
    }
    hlrc_barrier();
    for (size_t block = 0; block * s->block < s->rows; block++)
        sum += partial[block];
    s->turn ^= 1;
    return sum;
}

/* This node's rows of to = A v. */
static void multiply(const struct solver *s, const double *restrict v, double *restrict to)
{
    const struct cg_matrix *a = &s->a;

    for (size_t row = s->mine.begin; row < s->mine.end; row++) {
        double sum = 0;

        for (uint64_t k = a->begin[row]; k < a->begin[row + 1]; k++)
            sum += a->value[k] * v[a->column[k]];
        to[row] = sum;
    }
}

/* One step of conjugate gradients; `rho` is r r, before and after. On return p is visible to all
 * nodes. */
static void step(struct solver *s, double *rho)
{
    double along, alpha, beta, before = *rho;

    multiply(s, s->p, s->q);
    along = scalar_product(s, s->p, s->q);
    s->definite = s->definite && along < 0;
    alpha = before / along;
    for (size_t i = s->mine.begin; i < s->mine.end; i++) {
        s->z[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->q[i];
    }
    *rho = scalar_product(s, s->r, s->r);
    beta = *rho / before;
    for (size_t i = s->mine.begin; i < s->mine.end; i++)
        s->p[i] = s->r[i] + beta * s->p[i];
    hlrc_barrier();
}

/* Solves A z = x. A small system is solved exactly before the last step, which avoids 0 / 0.
 * Returns |x - A z|. */
static double solve(struct solver *s)
{
    double rho;

    for (size_t i = s->mine.begin; i < s->mine.end; i++) {
        s->z[i] = 0;
        s->p[i] = s->r[i] = s->x[i];
    }
    rho = scalar_product(s, s->r, s->r);
    for (int i = 0; i < STEPS && !(rho <= SOLVED); i++)
        step(s, &rho);
    multiply(s, s->z, s->r);
    for (size_t i = s->mine.begin; i < s->mine.end; i++)
        s->r[i] = s->x[i] - s->r[i];
    return sqrt(scalar_product(s, s->r, s->r));
}

static void set_start(struct solver *s)
{
    for (size_t i = s->mine.begin; i < s->mine.end; i++)
        s->x[i] = 1;
}

/* `size` is |x|. */
static void iterate(struct solver *s, double size, struct outcome *outcome)
{
    double norm;

    outcome->residual = solve(s);
    if (outcome->residual / size > outcome->worst)
        outcome->worst = outcome->residual / size;
    outcome->zeta = s->shift + 1 / scalar_product(s, s->x, s->z);
    norm = sqrt(scalar_product(s, s->z, s->z));
    for (size_t i = s->mine.begin; i < s->mine.end; i++)
        s->x[i] = s->z[i] / norm;
}

/* One untimed iteration precedes, as the benchmark requires: it touches every page. */
static double timed_run(struct solver *s, const struct problem *problem, struct outcome *outcome)
{
    double start, size = sqrt((double)s->rows);

    set_start(s);
    iterate(s, size, outcome);
    set_start(s);
    hlrc_barrier();
    start = app_now();
    for (int i = 1; i <= problem->iterations; i++) {
        iterate(s, i == 1 ? size : 1, outcome);
        app_progress((uint64_t)i, (uint64_t)problem->iterations);
    }
    return app_now() - start;
}

/*
 * ---- the reference ----
 *
 * It never sums up the matrix: it applies B as a sum of outer products, as it is defined, and
 * computes each weight by its own power. Instead of conjugate gradients it uses a series,
 *
 *   (B - shift I)^-1 x = - (x + (B/shift) x + (B/shift)^2 x + ...) / shift
 *
 * which converges for a shift above all eigenvalues, as the classes have it. It shares only the
 * random vectors with the parallel program.
 */

struct reference {
    struct cg_vectors v;
    double *weight;
    double *x, *z, *term, *next;
};

static void reference_begin(struct reference *ref, size_t rows, size_t nonzer, uint64_t seed)
{
    cg_vectors_make(&ref->v, rows, nonzer, seed);
    ref->weight = app_zeros("a vector", rows * sizeof(double));
    for (size_t i = 0; i < rows; i++)
        ref->weight[i] = pow(CG_RCOND, (double)i / (double)rows);
    ref->x = app_zeros("a vector", rows * sizeof(double));
    ref->z = app_zeros("a vector", rows * sizeof(double));
    ref->term = app_zeros("a vector", rows * sizeof(double));
    ref->next = app_zeros("a vector", rows * sizeof(double));
}

static double product(const double *a, const double *b, size_t n)
{
    return sum_over((struct app_range){ 0, n }, a, b);
}

/* to = B from */
static void apply(const struct reference *ref, const double *from, double *to)
{
    const struct cg_vectors *v = &ref->v;

    for (size_t i = 0; i < v->count; i++)
        to[i] = CG_RCOND * from[i];
    for (size_t i = 0; i < v->count; i++) {
        const uint32_t *place = &v->place[i * v->stride];
        const double *value = &v->value[i * v->stride];
        double along = 0;

        for (uint32_t k = 0; k < v->length[i]; k++)
            along += value[k] * from[place[k]];
        for (uint32_t k = 0; k < v->length[i]; k++)
            to[place[k]] += ref->weight[i] * along * value[k];
    }
}

/* z = (B - shift I)^-1 x. Returns whether the series converged. */
static bool sum_series(struct reference *ref, double shift)
{
    size_t n = ref->v.count;

    for (size_t i = 0; i < n; i++)
        ref->z[i] = ref->term[i] = -ref->x[i] / shift;
    for (int terms = 1; terms < MAX_TERMS; terms++) {
        double *next = ref->next;

        apply(ref, ref->term, next);
        for (size_t i = 0; i < n; i++) {
            next[i] /= shift;
            ref->z[i] += next[i];
        }
        ref->next = ref->term;
        ref->term = next;
        if (sqrt(product(next, next, n)) <= NEGLIGIBLE * sqrt(product(ref->z, ref->z, n)))
            return true;
    }
    return false;
}

/* Zeta after the given iterations, in one thread and private memory; NAN if the series does not
 * converge. */
static double reference_zeta(size_t rows, size_t nonzer, uint64_t seed, double shift,
                             int iterations)
{
    static struct reference ref;
    double zeta = 0;

    reference_begin(&ref, rows, nonzer, seed);
    for (size_t i = 0; i < rows; i++)
        ref.x[i] = 1;
    for (int it = 0; it < iterations && !isnan(zeta); it++) {
        bool solved = sum_series(&ref, shift);
        double norm = sqrt(product(ref.z, ref.z, rows));

        zeta = solved ? shift + 1 / product(ref.x, ref.z, rows) : NAN;
        for (size_t i = 0; i < rows; i++)
            ref.x[i] = ref.z[i] / norm;
    }
    return zeta;
}

/* ---- the report ---- */

/* The published zeta if there is one, else the reference's; NAN if there is neither. */
static double expectation(const struct solver *s, const struct problem *problem,
                          const char **source)
{
    const struct class *class = problem->class;

    *source = "published";
    if (class != NULL && app.seed == APP_SEED && problem->iterations == class->iterations)
        return class->zeta;
    *source = "by outer products and a series";
    if (!s->definite)
        return NAN;
    return reference_zeta(s->rows, problem->nonzer, app.seed, s->shift, problem->iterations);
}

static void verify(const struct solver *s, const struct problem *problem,
                   const struct outcome *outcome, struct app_result *result)
{
    const char *source;
    double expected = expectation(s, problem, &source);

    result->verified =
        fabs(outcome->zeta - expected) <= TOLERANCE * fabs(expected) && outcome->worst <= TOLERANCE;
    if (isnan(expected))
        APP_PRINT(result->evidence,
                  "--shift %g is below an eigenvalue, or too near to it; choose a larger one",
                  s->shift);
    else
        APP_PRINT(result->evidence,
                  "zeta %.14g, %s: %.14g, systems solved within %.0e; bound of both %g",
                  outcome->zeta, source, expected, outcome->worst, TOLERANCE);
}

/* As the benchmark counts: nonzer (nonzer + 1) elements per row, which is about the actual
 * number. */
static double operations(const struct problem *problem)
{
    double elements = (double)(problem->nonzer * (problem->nonzer + 1));

    return 2.0 * (double)problem->rows * problem->iterations *
           (3 + elements + STEPS * (5 + elements) + 3);
}

/* Only on node 0. */
static void report(const struct solver *s, const struct problem *problem,
                   const struct outcome *outcome, struct app_result *result)
{
    bool class = problem->class != NULL;

    if (class)
        APP_PRINT(result->size, "%c", problem->class->name);
    else
        APP_PRINT(result->size, "%zu", s->rows);
    APP_PRINT(result->problem,
              "NAS CG, %s%s%s%zu rows, %" PRIu64
              " elements, shift %g, %d iterations, seed %" PRIu64,
              class ? "class " : "", class ? result->size : "", class ? ", " : "", s->rows,
              s->a.begin[s->rows], s->shift, problem->iterations, app.seed);
    APP_PRINT(result->checksum, "%.17g %.17g", outcome->zeta, outcome->residual);
    result->mops = 1e-6 * operations(problem) / result->time_s;
    if (app.verify)
        verify(s, problem, outcome, result);
}

static void set_class(void *input, const char *name)
{
    struct problem *problem = input;

    problem->class = app_class(name, classes, sizeof *classes, "S, W, A or B, or a size by --rows");
    problem->rows = problem->class->rows;
    problem->nonzer = problem->class->nonzer;
    problem->shift = problem->class->shift;
}

/* Size options make it a user-defined size; the shift of the class is too small for many of
 * these. */
static void leave_class(void *input, const char *text)
{
    struct problem *problem = input;

    (void)text;
    if (problem->class != NULL)
        problem->shift = 0;
    problem->class = NULL;
}

/* The sum of outer products has a largest eigenvalue of about nonzer^2 / 10 + nonzer / 2. */
static void complete(struct problem *problem)
{
    double nonzer = (double)problem->nonzer;

    if (problem->nonzer > problem->rows)
        app_usage_error(
            "--nonzer %zu: a vector has %zu places; choose at most that, or more --rows",
            problem->nonzer, problem->rows);
    if (app.seed % 2 == 0)
        app_usage_error("--seed %" PRIu64 ": even, so that numbers repeat early; choose an odd one",
                        app.seed);
    if (problem->iterations == 0)
        problem->iterations =
            problem->class != NULL ? problem->class->iterations : DEFAULT_ITERATIONS;
    if (problem->shift == 0)
        problem->shift = ceil(nonzer * nonzer / 8 + nonzer + 1);
}

static const struct app_option options[] = {
    { "class", 'c', "CLASS",
      "Size: S (1400 rows, default), W (7000), A (14000), B (75000), with numbers and shift of "
      "their own",
      .call = set_class },
    { "rows", 'r', "N", "Size: rows of the matrix (default 1400)", .call = leave_class,
      APP_NUMBER(problem, rows, 2, MAX_ROWS) },
    { "nonzer", 'n', "N",
      "Size: random numbers in each of the vectors that the matrix is made of (default 7); a row "
      "has some N(N+1) elements",
      .call = leave_class, APP_NUMBER(problem, nonzer, 1, MAX_NONZER) },
    { "shift", 's', "X",
      "Eigenvalues nearest to X are looked for; it is above all of them (default: by --nonzer)",
      .call = leave_class, APP_REAL(problem, shift, 1e-3, MAX_SHIFT) },
    { "iterations", 'i', "N", "Systems solved (default: 15, class B 75)",
      APP_NUMBER(problem, iterations, 1, MAX_ITERATIONS) },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct solver s;
    struct problem problem = { 0 };
    struct outcome outcome = { 0 };
    struct app_result result = { 0 };

    set_class(&problem, "S");
    app_begin("cg",
              "An eigenvalue by conjugate gradients: the CG benchmark of the NAS Parallel "
              "Benchmarks.",
              options, &problem, argc, argv);
    complete(&problem);
    solver_init(&s, &problem);
    result.time_s = timed_run(&s, &problem, &outcome);
    if (app.node == 0)
        report(&s, &problem, &outcome, &result);
    return app_end(&result);
}
