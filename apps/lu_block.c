/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lu_block.c - see lu_block.h. */
#include "apps/lu_block.h"

#include <string.h>

/* row[from ..] -= factor * other[from ..] */
static void subtract(double *restrict row, const double *restrict other, double factor, size_t from,
                     size_t to)
{
    for (size_t j = from; j < to; j++)
        row[j] -= factor * other[j];
}

void lu_factor(struct lu_block a)
{
    for (size_t k = 0; k < a.rows; k++)
        for (size_t i = k + 1; i < a.rows; i++) {
            double *row = &a.at[i * a.pitch];

            row[k] /= a.at[k * a.pitch + k];
            subtract(row, &a.at[k * a.pitch], row[k], k + 1, a.columns);
        }
}

void lu_below(struct lu_block a, struct lu_block diagonal)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t k = 0; k < a.columns; k++) {
            double *row = &a.at[i * a.pitch];

            row[k] /= diagonal.at[k * diagonal.pitch + k];
            subtract(row, &diagonal.at[k * diagonal.pitch], row[k], k + 1, a.columns);
        }
}

void lu_right(struct lu_block a, struct lu_block diagonal)
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

static void rest(struct lu_block a, struct lu_block l, struct lu_block u, size_t i, size_t from)
{
    for (size_t k = 0; k < l.columns; k++)
        subtract(&a.at[i * a.pitch], &u.at[k * u.pitch], l.at[i * l.pitch + k], from, a.columns);
}

void lu_inner(struct lu_block a, struct lu_block l, struct lu_block u)
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
