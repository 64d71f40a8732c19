/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heat.c - see heat.h. */
#include "hlrc/probe/heat.h"

#include <stdlib.h>
#include <string.h>

static void heat_halve_columns(struct heat *h)
{
    for (uint32_t r = 0; r < h->rows; r++)
        for (int k = 0; k < HEAT_KINDS; k++) {
            uint32_t *c = h->row[r].count[k];
            for (uint32_t i = 0; i < HEAT_COLUMNS / 2; i++)
                c[i] = c[2 * i] + c[2 * i + 1];
            memset(c + HEAT_COLUMNS / 2, 0, HEAT_COLUMNS / 2 * sizeof *c);
        }
    h->time_shift++;
}

static struct heat_row *heat_find(struct heat *h, uint64_t group)
{
    uint32_t guess = h->place[group % 256];
    if (guess < h->rows && h->row[guess].group == group)
        return &h->row[guess];
    for (uint32_t r = 0; r < h->rows; r++)
        if (h->row[r].group == group) {
            h->place[group % 256] = (uint8_t)r;
            return &h->row[r];
        }
    return NULL;
}

static void heat_halve_rows(struct heat *h)
{
    uint32_t rows = h->rows;
    h->rows = 0;
    h->page_shift++;
    for (uint32_t r = 0; r < rows; r++) {
        struct heat_row *from = &h->row[r], *to = heat_find(h, from->group / 2);
        if (to) {
            for (int k = 0; k < HEAT_KINDS; k++)
                for (uint32_t i = 0; i < HEAT_COLUMNS; i++)
                    to->count[k][i] += from->count[k][i];
        } else {
            from->group /= 2;
            h->row[h->rows++] = *from;
        }
    }
}

static struct heat_row *heat_row_of(struct heat *h, uint32_t page)
{
    for (;; heat_halve_rows(h)) {
        struct heat_row *row = heat_find(h, page >> h->page_shift);
        if (row)
            return row;
        if (h->rows < HEAT_ROWS) {
            row = &h->row[h->rows++];
            *row = (struct heat_row){ .group = page >> h->page_shift };
            return row;
        }
    }
}

void heat_reach(struct heat *h, uint64_t time)
{
    while (time >> h->time_shift >= HEAT_COLUMNS)
        heat_halve_columns(h);
}

void heat_add(struct heat *h, enum heat_kind kind, uint32_t page, uint64_t time, uint32_t by)
{
    heat_reach(h, time);
    heat_row_of(h, page)->count[kind][time >> h->time_shift] += by;
}

void heat_widen(struct heat *h, uint32_t page_shift)
{
    while (h->page_shift < page_shift)
        heat_halve_rows(h);
}

static int heat_by_group(const void *a, const void *b)
{
    const struct heat_row *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

void heat_sort(struct heat *h)
{
    qsort(h->row, h->rows, sizeof h->row[0], heat_by_group);
    memset(h->place, 0, sizeof h->place);
}
