/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cg_matrix.c - see cg_matrix.h. */
#include "apps/cg_matrix.h"

#include <math.h>
#include <stdlib.h>

#define RANDOM_BITS 46

static uint32_t find(const uint32_t *place, uint32_t length, uint32_t what)
{
    uint32_t k = 0;

    while (k < length && place[k] != what)
        k++;
    return k;
}

/* Draws the `nonzer` values of one vector, at random places. */
static void draw_vector(const struct cg_vectors *v, uint32_t *place, double *value, uint64_t *state)
{
    unsigned shift = RANDOM_BITS - (app_log2(v->count - 1) + 1); /* 2^bits is not below count */

    for (uint32_t length = 0; length < v->stride - 1;) {
        uint64_t number = app_random(state);
        uint64_t at = app_random(state) >> shift;

        if (at >= v->count || find(place, length, (uint32_t)at) < length)
            continue;
        place[length] = (uint32_t)at;
        value[length++] = 0x1p-46 * (double)number;
    }
}

void cg_vectors_make(struct cg_vectors *v, size_t count, size_t nonzer, uint64_t seed)
{
    size_t all = count * (nonzer + 1);
    uint64_t state = app_random_skip(seed, 1);

    v->count = count;
    v->stride = nonzer + 1;
    v->length = app_private("the vectors", count * sizeof *v->length);
    v->place = app_private("the vectors", all * sizeof *v->place);
    v->value = app_private("the vectors", all * sizeof *v->value);
    for (size_t i = 0; i < count; i++) {
        uint32_t *place = &v->place[i * v->stride];
        double *value = &v->value[i * v->stride];
        uint32_t own;

        draw_vector(v, place, value, &state);
        own = find(place, (uint32_t)nonzer, (uint32_t)i);
        place[own] = (uint32_t)i;
        value[own] = 0.5;
        v->length[i] = own < nonzer ? (uint32_t)nonzer : (uint32_t)nonzer + 1;
    }
}

void cg_vectors_free(struct cg_vectors *v)
{
    free(v->length);
    free(v->place);
    free(v->value);
}

/* Rows are summed one at a time in `sum`; `column` lists its nonzero columns. */
struct assembly {
    const struct cg_vectors *v;
    struct app_range rows;
    size_t *first;  /* by row, from rows.begin, and the end: its first index in `entry` */
    size_t *entry;  /* of the values in these rows, sorted by row, then by vector: their k */
    double *weight; /* by vector */
    double *sum;    /* by column */
    uint32_t *column;
    size_t columns;
};

static bool is_in(struct app_range range, size_t i)
{
    return i >= range.begin && i < range.end;
}

/* Counts the values of each row and stores them from the row's end, the last vector first. */
static void sort_entries(struct assembly *as)
{
    const struct cg_vectors *v = as->v;
    size_t rows = app_length(as->rows);

    as->first = app_zeros("the rows", (rows + 1) * sizeof *as->first);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = i * v->stride; k < i * v->stride + v->length[i]; k++)
            if (is_in(as->rows, v->place[k]))
                as->first[v->place[k] - as->rows.begin]++;
    for (size_t row = 0; row < rows; row++)
        as->first[row + 1] += as->first[row];
    as->entry = app_private("the rows", as->first[rows] * sizeof *as->entry);
    for (size_t i = v->count; i-- > 0;)
        for (size_t k = i * v->stride; k < i * v->stride + v->length[i]; k++)
            if (is_in(as->rows, v->place[k]))
                as->entry[--as->first[v->place[k] - as->rows.begin]] = k;
}

static void make_weights(struct assembly *as)
{
    double ratio = pow(CG_RCOND, 1.0 / (double)as->v->count), weight = 1;

    as->weight = app_private("the weights", as->v->count * sizeof *as->weight);
    for (size_t i = 0; i < as->v->count; i++) {
        as->weight[i] = weight;
        weight *= ratio;
    }
}

static void assembly_begin(struct assembly *as, const struct cg_vectors *v, struct app_range rows)
{
    as->v = v;
    as->rows = rows;
    sort_entries(as);
    make_weights(as);
    as->sum = app_zeros("a row", v->count * sizeof *as->sum);
    as->column = app_private("a row", v->count * sizeof *as->column);
    as->columns = 0;
}

static void assembly_end(struct assembly *as)
{
    free(as->first);
    free(as->entry);
    free(as->weight);
    free(as->sum);
    free(as->column);
}

/* Adds value k of a vector times the whole vector. All values are above 0, so a sum of 0 means a
 * new column. */
static void add_product(struct assembly *as, size_t k)
{
    const struct cg_vectors *v = as->v;
    size_t i = k / v->stride;
    double factor = as->weight[i] * v->value[k];

    for (size_t m = i * v->stride; m < i * v->stride + v->length[i]; m++) {
        uint32_t column = v->place[m];

        if (as->sum[column] == 0)
            as->column[as->columns++] = column;
        as->sum[column] += factor * v->value[m];
    }
}

static void add_row(struct assembly *as, size_t row)
{
    size_t at = row - as->rows.begin;

    for (size_t e = as->first[at]; e < as->first[at + 1]; e++)
        add_product(as, as->entry[e]);
}

static void clear_row(struct assembly *as)
{
    for (size_t c = 0; c < as->columns; c++)
        as->sum[as->column[c]] = 0;
    as->columns = 0;
}

static int compare_columns(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void write_row(struct assembly *as, struct cg_matrix *a, size_t row, double shift)
{
    uint64_t to = a->begin[row];

    qsort(as->column, as->columns, sizeof *as->column, compare_columns);
    for (size_t c = 0; c < as->columns; c++, to++) {
        uint32_t column = as->column[c];

        a->column[to] = column;
        a->value[to] = as->sum[column] + (column == row ? CG_RCOND - shift : 0);
    }
}

/* Node 0 turns row lengths, each stored one place after the row's own, into row begins. */
static void share_begins(struct cg_matrix *a)
{
    hlrc_barrier();
    if (app.node == 0)
        for (size_t row = 0; row < a->rows; row++)
            a->begin[row + 1] += a->begin[row];
    hlrc_barrier();
}

/* Rows are summed twice: for their lengths, by which the matrix is allocated, and for their
 * values. */
void cg_matrix_make(struct cg_matrix *a, const struct cg_vectors *v, double shift,
                    struct app_range mine)
{
    struct assembly as;

    a->rows = v->count;
    a->begin = app_shared("the rows", (a->rows + 1) * sizeof *a->begin);
    assembly_begin(&as, v, mine);
    for (size_t row = mine.begin; row < mine.end; row++) {
        add_row(&as, row);
        a->begin[row + 1] = as.columns;
        clear_row(&as);
    }
    share_begins(a);
    a->column = app_shared("the columns", a->begin[a->rows] * sizeof *a->column);
    a->value = app_shared("the matrix", a->begin[a->rows] * sizeof *a->value);
    for (size_t row = mine.begin; row < mine.end; row++) {
        add_row(&as, row);
        write_row(&as, a, row, shift);
        clear_row(&as);
    }
    assembly_end(&as);
    hlrc_barrier();
}
