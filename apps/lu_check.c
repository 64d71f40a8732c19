/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lu_check.c - see lu_check.h. */
#include "apps/lu_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HPL_BOUND 16

void lu_make_row(size_t size, size_t i, size_t j, size_t count, double *row)
{
    uint64_t random = app_random_skip(app.seed, (uint64_t)i * size + j);

    for (size_t k = 0; k < count; k++) {
        row[k] = (double)(app_random(&random) >> 42) * 0x1p-4 - 0.5;
        if (j + k == i)
            row[k] += (double)size;
    }
}

static double known_solution(size_t j)
{
    return (double)(j % 9) - 3;
}

static double make_right_hand_side(size_t size, const double *row)
{
    double sum = 0;

    for (size_t j = 0; j < size; j++)
        sum += row[j] * known_solution(j);
    return sum;
}

/* x is the right-hand side on entry, the solution on return. */
static void solve(size_t size, const double *factors, double *x)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++)
            x[i] -= factors[i * size + j] * x[j];
    for (size_t i = size; i-- > 0;) {
        for (size_t j = i + 1; j < size; j++)
            x[i] -= factors[i * size + j] * x[j];
        x[i] /= factors[i * size + i];
    }
}

void lu_verify(size_t size, const double *factors, struct app_result *result)
{
    double *row = app_private("a row", size * sizeof *row);
    double *x = app_private("the solution", size * sizeof *x);
    double matrix = 0, largest = 0, b = 0, residual = 0, off = 0, measure;

    for (size_t i = 0; i < size; i++) {
        lu_make_row(size, i, 0, size, row);
        x[i] = make_right_hand_side(size, row);
    }
    solve(size, factors, x);
    for (size_t i = 0; i < size; i++) {
        double rest, sum = 0;

        lu_make_row(size, i, 0, size, row);
        rest = make_right_hand_side(size, row);
        b = fmax(b, fabs(rest));
        for (size_t j = 0; j < size; j++) {
            sum += fabs(row[j]);
            rest -= row[j] * x[j];
        }
        matrix = fmax(matrix, sum);
        largest = fmax(largest, fabs(x[i]));
        /* not fmax(), which ignores NaN */
        residual = fabs(rest) <= residual ? residual : fabs(rest);
        off = fmax(off, fabs(x[i] - known_solution(i)));
    }
    free(row);
    free(x);
    measure = residual / (DBL_EPSILON * (double)size * (matrix * largest + b));
    result->verified = measure < HPL_BOUND;
    snprintf(result->evidence, sizeof result->evidence,
             "residual %.2e of the bound of HPL%s; unknowns at most %.1e off", measure / HPL_BOUND,
             result->verified ? "" : ", wrong", off);
}
