/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* equations.c - see equations.h. */
#include "apps/equations.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HPL_BOUND 16

void equations_row(struct equations e, size_t i, size_t j, size_t count, double *row)
{
    uint64_t random = app_random_skip(app.seed, (uint64_t)i * e.size + j);

    for (size_t k = 0; k < count; k++) {
        row[k] = (double)(app_random(&random) >> 42) * 0x1p-4 - 0.5;
        if (e.dominant && j + k == i)
            row[k] += (double)e.size;
    }
}

static double known_solution(size_t j)
{
    return (double)(j % 9) - 3;
}

double equations_side(struct equations e, size_t i, double *row)
{
    double sum = 0;

    equations_row(e, i, 0, e.size, row);
    for (size_t j = 0; j < e.size; j++)
        sum += row[j] * known_solution(j);
    return sum;
}

void equations_verify(struct equations e, const double *x, struct app_result *result)
{
    double *row = app_private("a row", e.size * sizeof *row);
    double matrix = 0, largest = 0, b = 0, residual = 0, off = 0, measure;

    for (size_t i = 0; i < e.size; i++) {
        double right = equations_side(e, i, row), rest = right, sum = 0;

        for (size_t j = 0; j < e.size; j++) {
            sum += fabs(row[j]);
            rest -= row[j] * x[j];
        }
        matrix = fmax(matrix, sum);
        largest = fmax(largest, fabs(x[i]));
        b = fmax(b, fabs(right));
        /* not fmax(), which ignores NaN */
        residual = fabs(rest) <= residual ? residual : fabs(rest);
        off = fmax(off, fabs(x[i] - known_solution(i)));
    }
    free(row);
    measure = residual / (DBL_EPSILON * (double)e.size * (matrix * largest + b));
    result->verified = measure < HPL_BOUND;
    APP_PRINT(result->evidence, "residual %.2e of the bound of HPL%s; unknowns at most %.1e off",
              measure / HPL_BOUND, result->verified ? "" : ", wrong", off);
}
