/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_layout.c - distribution of rows and memory; see water_cells.h. */
#include "apps/water_layout.h"

#include <stdlib.h>
#include <string.h>

#define SPARE 512 /* additional slots of each node, beyond twice its initial number */

size_t cells_along(double box, double cutoff)
{
    return (size_t)(box / (cutoff + CELLS_SLACK));
}

void cells_shape(struct cells *c, double box, size_t n)
{
    memset(c, 0, sizeof *c);
    c->box = box;
    c->n = n;
    c->rows = n * n;
    c->width = box / (double)n;
}

static uint64_t sum(const uint32_t *count, struct app_range range)
{
    uint64_t total = 0;

    for (size_t i = range.begin; i < range.end; i++)
        total += count[i];
    return total;
}

/*
 * Estimated work of a row. For each molecule, on average a quarter is the search of the molecules
 * in the rows around. The rest is for the molecules within the cut-off, whose number is about the
 * same for all.
 */
static double work(const struct cells *c, const uint32_t *count, uint64_t total, size_t row)
{
    uint64_t around = 0;
    double shift[3];

    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            around += count[cells_beside(c, row, dy, dz, shift)];
    return count[row] * ((double)around + 3 * 9 * (double)total / (double)c->rows);
}

/* Each node begins with the row whose middle is nearest to the start of its share of the work. */
static void deal_rows(struct cells *c, const uint32_t *count)
{
    uint64_t molecules = sum(count, (struct app_range){ 0, c->rows });
    double total = 0, before = 0, part = 1.0 / app.nodes;
    int node = 1;

    for (size_t row = 0; row < c->rows; row++)
        total += work(c, count, molecules, row);
    c->share = app_private("the nodes", ((size_t)app.nodes + 1) * sizeof *c->share);
    c->share[0].rows.begin = 0;
    for (size_t row = 0; row < c->rows; row++) {
        double here = work(c, count, molecules, row);

        for (; node < app.nodes && before + here / 2 > total * part * node; node++)
            c->share[node].rows.begin = row;
        before += here;
    }
    while (node <= app.nodes)
        c->share[node++].rows.begin = c->rows;
    for (node = 0; node < app.nodes; node++)
        c->share[node].rows.end = c->share[node + 1].rows.begin;
    c->mine = c->share[app.node].rows;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + APP_PAGE - 1) / APP_PAGE * APP_PAGE;
}

/*
 * A node's part has room for all molecules and as many that have just left, or for twice its
 * initial number plus SPARE if that is less. Unused pages cost nothing.
 */
static void lay_out(struct cells *c, const uint32_t *count)
{
    size_t total = sum(count, (struct app_range){ 0, c->rows });

    c->share[0].state = c->share[0].published = 0;
    for (int node = 0; node < app.nodes; node++) {
        struct cells_share *s = &c->share[node];
        size_t rows = s->rows.end - s->rows.begin, want = 2 * sum(count, s->rows) + SPARE;
        size_t bytes = whole_pages((want < 2 * total ? want : 2 * total) * sizeof *c->state);

        s->slots = rows != 0 ? bytes / sizeof *c->state : 0;
        s[1].state = s->state + s->slots;
        bytes = layout_index_bytes(c, node) + rows * (layout_row_bytes(c, 0, 0) + 64);
        bytes += s->slots * (layout_molecule_bytes(c) + sizeof(struct cells_leaver));
        s[1].published = s->published + whole_pages(bytes);
    }
}

/* Sets the owner of each row, and marks the rows beside this node's. */
static void survey(struct cells *c)
{
    double shift[3];

    c->owner = app_private("the rows", c->rows * sizeof *c->owner);
    for (int node = 0; node < app.nodes; node++)
        for (size_t row = c->share[node].rows.begin; row < c->share[node].rows.end; row++)
            c->owner[row] = (uint16_t)node;
    c->beside = app_private("the rows", c->rows * sizeof *c->beside);
    memset(c->beside, 0, c->rows * sizeof *c->beside);
    for (size_t row = c->mine.begin; row < c->mine.end; row++)
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++) {
                size_t beside = cells_beside(c, row, dy, dz, shift);

                c->beside[beside] = c->owner[beside] != app.node;
            }
}

void cells_init(struct cells *c, const uint32_t *count)
{
    size_t slots;

    deal_rows(c, count);
    lay_out(c, count);
    survey(c);
    slots = c->share[app.node].slots;
    c->state = app_shared("the molecules", c->share[app.nodes].state * sizeof *c->state);
    for (int i = 0; i < 2; i++)
        c->published[i] = app_shared("the positions", c->share[app.nodes].published);
    c->row = app_private("the rows", c->rows * sizeof *c->row);
    memset(c->row, 0, c->rows * sizeof *c->row);
    c->held = app_private("slots", slots);
    memset(c->held, SLOT_FREE, slots);
    c->left = app_private("slots", slots * sizeof *c->left);
    c->cell = app_private("a row", slots * sizeof *c->cell);
    c->order = app_private("a row", slots * sizeof *c->order);
}

void cells_free(struct cells *c)
{
    for (size_t row = c->mine.begin; row < c->mine.end; row++)
        free(c->row[row].slot);
    free(c->row);
    free(c->share);
    free(c->owner);
    free(c->beside);
    free(c->held);
    free(c->left);
    free(c->cell);
    free(c->order);
}
