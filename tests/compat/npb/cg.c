/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cg.c - NPB CG: the eigenvalue of a sparse random matrix that is nearest to a shift, by inverse
 * iteration; each system is solved by 25 steps of conjugate gradients.
 *
 * A = sum over i of w^i v_i v_i' + (rcond - shift) I, where w^n = rcond, and each v_i has `nonzer`
 * random numbers at random places and 0.5 at its own.
 */
#include "npb.h"

#define STEPS 25
#define RCOND 0.1

static const struct class
{
    int rows, nonzer, iterations;
    double shift, zeta;
} classes[] = {
    { 1400, 7, 15, 10, 8.5971775078648 },
    { 7000, 8, 15, 12, 10.362595087124 },
    { 14000, 11, 15, 20, 17.130235054029 },
    { 75000, 13, 75, 60, 22.712745482631 },
};

static int n, nonzer, row_max; /* row_max: what a vector has at most */
static double shift;

/* the vectors: row_max places for each */
static int *length, *place;
static double *part;

/* the matrix, by rows */
static int *row_begin, *column;
static double *a;

static double *x, *z, *p, *q, *r;

static int find(const int *places, int count, int at)
{
    int k = 0;

    while (k < count && places[k] != at)
        k++;
    return k;
}

static void draw_vector(int places[], double numbers[], uint64_t *state)
{
    int span = 1;

    while (span < n)
        span *= 2;
    for (int count = 0; count < nonzer;) {
        double number = npb_random(state);
        int at = (int)(span * npb_random(state));

        if (at >= n || find(places, count, at) < count)
            continue;
        places[count] = at;
        numbers[count++] = number;
    }
}

/* There is one sequence of numbers, of which nobody knows where a vector begins: each thread goes
 * through all of them, and keeps those of its share. */
static void make_vectors(void)
{
#pragma omp parallel
    {
        int threads = omp_get_num_threads(), thread = omp_get_thread_num();
        int begin = (int)((long)n * thread / threads);
        int end = (int)((long)n * (thread + 1) / threads);
        uint64_t state = npb_skip(NPB_SEED, 1);
        int places[32];
        double numbers[32];

        for (int i = 0; i < end; i++) {
            draw_vector(places, numbers, &state);
            if (i < begin)
                continue;
            int own = find(places, nonzer, i);

            places[own] = i;
            numbers[own] = 0.5;
            length[i] = own < nonzer ? nonzer : nonzer + 1;
            for (int k = 0; k < length[i]; k++) {
                place[i * row_max + k] = places[k];
                part[i * row_max + k] = numbers[k];
            }
        }
    }
}

/* For each row the vectors that have something in it: users[first[row]] and those that follow. */
static int *first, *users;

static void find_users(void)
{
    first = npb_alloc((size_t)(n + 1) * sizeof *first);
    users = npb_alloc((size_t)n * (size_t)row_max * sizeof *users);
    memset(first, 0, (size_t)(n + 1) * sizeof *first);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < length[i]; k++)
            first[place[i * row_max + k] + 1]++;
    for (int row = 0; row < n; row++)
        first[row + 1] += first[row];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < length[i]; k++)
            users[first[place[i * row_max + k]]++] = i;
    for (int row = n; row > 0; row--)
        first[row] = first[row - 1];
    first[0] = 0;
}

static int by_number(const void *left, const void *right)
{
    int l = *(const int *)left, m = *(const int *)right;

    return (l > m) - (l < m);
}

/* Lists the columns of a row; `seen` is 0 before and after. */
static int list_columns(int row, int columns[], char seen[])
{
    int count = 0;

    for (int u = first[row]; u < first[row + 1]; u++)
        for (int k = 0; k < length[users[u]]; k++) {
            int at = place[users[u] * row_max + k];

            if (!seen[at])
                columns[count++] = at;
            seen[at] = 1;
        }
    for (int k = 0; k < count; k++)
        seen[columns[k]] = 0;
    return count;
}

/* `sum` has n zeros, before and after. */
static void make_row(int row, double sum[])
{
    int begin = row_begin[row], end = row_begin[row + 1];

    for (int u = first[row]; u < first[row + 1]; u++) {
        int i = users[u], own = find(&place[i * row_max], length[i], row);
        double weight = pow(RCOND, (double)i / n) * part[i * row_max + own];

        for (int k = 0; k < length[i]; k++)
            sum[place[i * row_max + k]] += weight * part[i * row_max + k];
    }
    sum[row] += RCOND - shift;
    qsort(&column[begin], (size_t)(end - begin), sizeof *column, by_number);
    for (int k = begin; k < end; k++) {
        a[k] = sum[column[k]];
        sum[column[k]] = 0;
    }
}

static void count_rows(void)
{
    row_begin = npb_alloc((size_t)(n + 1) * sizeof *row_begin);
    row_begin[0] = 0;
#pragma omp parallel
    {
        int *columns = npb_alloc((size_t)n * sizeof *columns);
        char *seen = npb_zeros((size_t)n);

#pragma omp for
        for (int row = 0; row < n; row++)
            row_begin[row + 1] = list_columns(row, columns, seen);
        free(columns);
        free(seen);
    }
    for (int row = 0; row < n; row++)
        row_begin[row + 1] += row_begin[row];
    column = npb_alloc((size_t)row_begin[n] * sizeof *column);
    a = npb_alloc((size_t)row_begin[n] * sizeof *a);
}

static void make_matrix(void)
{
    row_max = nonzer + 1;
    length = npb_alloc((size_t)n * sizeof *length);
    place = npb_alloc((size_t)n * (size_t)row_max * sizeof *place);
    part = npb_alloc((size_t)n * (size_t)row_max * sizeof *part);
    make_vectors();
    find_users();
    count_rows();
#pragma omp parallel
    {
        char *seen = npb_zeros((size_t)n);
        double *sum = npb_zeros((size_t)n * sizeof *sum);

#pragma omp for
        for (int row = 0; row < n; row++) {
            list_columns(row, &column[row_begin[row]], seen);
            make_row(row, sum);
        }
        free(seen);
        free(sum);
    }
    free(length);
    free(place);
    free(part);
    free(first);
    free(users);
}

static double dot, rho;

/* Within a parallel region: to = A from. */
static void multiply(const double *from, double *to)
{
#pragma omp for
    for (int row = 0; row < n; row++) {
        double sum = 0;

        for (int k = row_begin[row]; k < row_begin[row + 1]; k++)
            sum += a[k] * from[column[k]];
        to[row] = sum;
    }
}

/* Within a parallel region. */
static void step(void)
{
    double alpha, beta, before = rho;

#pragma omp barrier
#pragma omp single
    dot = rho = 0;
    multiply(p, q);
#pragma omp for reduction(+ : dot)
    for (int i = 0; i < n; i++)
        dot += p[i] * q[i];
    alpha = before / dot;
#pragma omp for reduction(+ : rho)
    for (int i = 0; i < n; i++) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rho += r[i] * r[i];
    }
    beta = rho / before;
#pragma omp for
    for (int i = 0; i < n; i++)
        p[i] = r[i] + beta * p[i];
}

/* Solves A z = x. Returns |x - A z|. */
static double solve(void)
{
    double residual = 0;

    rho = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : rho)
        for (int i = 0; i < n; i++) {
            q[i] = z[i] = 0;
            p[i] = r[i] = x[i];
            rho += r[i] * r[i];
        }
        for (int i = 0; i < STEPS; i++)
            step();
        multiply(z, r);
    }
#pragma omp parallel for reduction(+ : residual)
    for (int i = 0; i < n; i++)
        residual += (x[i] - r[i]) * (x[i] - r[i]);
    return sqrt(residual);
}

/* Returns zeta. */
static double iterate(double *worst)
{
    double xz = 0, zz = 0, scale, residual = solve();

    if (!(residual <= *worst))
        *worst = residual;
#pragma omp parallel for reduction(+ : xz, zz)
    for (int i = 0; i < n; i++) {
        xz += x[i] * z[i];
        zz += z[i] * z[i];
    }
    scale = 1 / sqrt(zz);
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = scale * z[i];
    return shift + 1 / xz;
}

static void set_start(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = 1;
}

static double *vector(void)
{
    return npb_alloc((size_t)n * sizeof(double));
}

int main(int argc, char **argv)
{
    const struct class *class = &classes[npb_class(argc, argv, "SWAB")];
    double zeta = 0, worst = 0, seconds;

    n = class->rows;
    nonzer = class->nonzer;
    shift = class->shift;
    make_matrix();
    x = vector();
    z = vector();
    p = vector();
    q = vector();
    r = vector();
    set_start();
    iterate(&worst);
    worst = 0;
    set_start();
    seconds = omp_get_wtime();
    for (int i = 0; i < class->iterations; i++)
        zeta = iterate(&worst);
    seconds = omp_get_wtime() - seconds;
    printf("CG class %s: %d rows, %d elements, %d iterations\nzeta %.10f\n", argv[1], n,
           row_begin[n], class->iterations, zeta);
    return npb_end(npb_near(zeta, class->zeta, 1e-10) && worst <= 1e-10, seconds);
}
