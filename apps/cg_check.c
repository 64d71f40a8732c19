/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cg_check.c - see cg_check.h. The published values: NAS Parallel Benchmarks, CG.
 */
#include "apps/cg_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cg_matrix.h"
#include "apps/common.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

#define MAX_TERMS 20000 /* of the series */
#define NEGLIGIBLE \
    1e-14 /* a term relative to the sum; with a ratio of terms of 0.999 the rest is 1e-11 */

static const struct cg_class classes[] = {
    { 'S', 1400, 7, 15, 10, 8.5971775078648 },
    { 'W', 7000, 8, 15, 12, 10.362595087124 },
    { 'A', 14000, 11, 15, 20, 17.130235054029 },
    { 'B', 75000, 13, 75, 60, 22.712745482631 },
};

const struct cg_class *cg_class_find(char name)
{
    for (size_t i = 0; i < LENGTH(classes); i++)
        if (classes[i].name == name)
            return &classes[i];
    return NULL;
}

struct reference {
    struct cg_vectors v;
    double *weight;
    double *x, *z, *term, *next;
};

static double *zeros(size_t n)
{
    double *p = app_private("a vector", n * sizeof *p);

    memset(p, 0, n * sizeof *p);
    return p;
}

static void reference_begin(struct reference *ref, size_t rows, size_t nonzer, uint64_t seed)
{
    cg_vectors_make(&ref->v, rows, nonzer, seed);
    ref->weight = zeros(rows);
    for (size_t i = 0; i < rows; i++)
        ref->weight[i] = pow(CG_RCOND, (double)i / (double)rows);
    ref->x = zeros(rows);
    ref->z = zeros(rows);
    ref->term = zeros(rows);
    ref->next = zeros(rows);
}

static void reference_end(struct reference *ref)
{
    cg_vectors_free(&ref->v);
    free(ref->weight);
    free(ref->x);
    free(ref->z);
    free(ref->term);
    free(ref->next);
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
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
static bool solve(struct reference *ref, double shift)
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

double cg_reference(size_t rows, size_t nonzer, uint64_t seed, double shift, int iterations)
{
    struct reference ref;
    double zeta = 0;

    reference_begin(&ref, rows, nonzer, seed);
    for (size_t i = 0; i < rows; i++)
        ref.x[i] = 1;
    for (int it = 0; it < iterations && !isnan(zeta); it++) {
        bool solved = solve(&ref, shift);
        double norm = sqrt(product(ref.z, ref.z, rows));

        zeta = solved ? shift + 1 / product(ref.x, ref.z, rows) : NAN;
        for (size_t i = 0; i < rows; i++)
            ref.x[i] = ref.z[i] / norm;
    }
    reference_end(&ref);
    return zeta;
}
