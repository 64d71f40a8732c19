/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_layout.h - for water_cells.c: layout and ownership of the shared memory. See
 * water_cells.h. */
#ifndef APPS_WATER_LAYOUT_H
#define APPS_WATER_LAYOUT_H

#include "apps/water_cells.h"

/* LEFT: left in the previous step; still to be read by its new node. */
enum slot_state { SLOT_FREE, SLOT_HELD, SLOT_LEFT };

/* Header of a published row; `cell` has n + 1 elements, and positions follow on the next cache
 * line, then numbers, then leavers. */
struct layout_row {
    uint32_t molecules, leaving;
    uint32_t cell[];
};

static inline size_t layout_lines(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static inline size_t layout_row_header(const struct cells *c)
{
    return layout_lines(sizeof(struct layout_row) + (c->n + 1) * sizeof(uint32_t));
}

/* Published bytes per molecule. */
static inline size_t layout_molecule_bytes(const struct cells *c)
{
    return WATER_DOF * sizeof(double) + (c->numbered ? sizeof(uint32_t) : 0);
}

/* Bytes of a published row, to the next cache line. */
static inline size_t layout_row_bytes(const struct cells *c, size_t molecules, size_t leaving)
{
    return layout_row_header(c) + layout_lines(molecules * layout_molecule_bytes(c) +
                                               leaving * sizeof(struct cells_leaver));
}

/* Bytes of the index before a node's published rows: the offset of each, then the end. */
static inline size_t layout_index_bytes(const struct cells *c, int node)
{
    const struct app_range *rows = &c->share[node].rows;

    return layout_lines((rows->end - rows->begin + 1) * sizeof(uint32_t));
}

#endif
