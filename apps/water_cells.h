/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water_cells.h - storage of molecules, publication to other nodes, and transfer of molecules
 * between nodes.
 *
 * The box is divided into n x n x n cells, none thinner than the cut-off. The cells with the same
 * y and z make a row along x. Each row belongs to one node, which moves its molecules. A node's
 * rows are consecutive, in layers of z, and nodes have equal work at the start, as far as whole
 * rows allow.
 *
 * Shared, by node, each node's part on its own pages, all written by that node:
 *
 *   state      Slots of one molecule each: positions and their derivatives. 512 bytes, eight to a
 *              page. The lowest free slot is taken first, so that the slots in use are one run of
 *              pages.
 *   published  Two alternating copies of: an index of the node's rows; then for each row a header,
 *              the positions of the row's molecules, by cell and in it by number, coordinate by
 *              coordinate, their numbers if requested, and the list of molecules that leave the
 *              row. Packed, so that 57 molecules fill a page, and adjacent rows are one run of
 *              pages.
 *
 * Phases of a step, with one barrier:
 *
 *   predict            state of the own rows is written
 *   cells_publish      own rows are published; molecules that have left a row are listed, with slot
 *                      and new row
 *   hlrc_barrier
 *   cells_adopt        the node of the new row copies the molecule's state into a slot of its part;
 *                      the old node removes it
 *   forces, correct    positions in the rows around are read; state of the own rows is written
 *
 * Invariants
 *   - A molecule is in one row; between two barriers its state is written only by that row's node.
 *   - Data published before a barrier is read until the next one; hence two copies.
 *   - The slot of a molecule that left stays unchanged until after the next barrier, since its new
 *     node reads it.
 *   - A molecule is published in the row that it leaves, at most CELLS_SLACK outside. Cells are
 *     that much wider than the cut-off: all molecules within the cut-off of a molecule in row r are
 *     found in r and the rows around.
 *   - The order of molecules depends on their positions and numbers, not on nodes or slots.
 *
 * State has false sharing when a molecule leaves for a row of another node: its page is then read
 * while its neighbours on it are written. Published data has one writer; where rows meet within a
 * page, both have the same.
 */
#ifndef APPS_WATER_CELLS_H
#define APPS_WATER_CELLS_H

#include <assert.h>
#include <stdint.h>

#include "apps/common.h"
#include "apps/water_model.h"

#define CELLS_SLACK 0.04 /* angstrom; maximum movement of a molecule in one step */
#define CELLS_LEAST 3    /* along an axis, so that a row is not its own neighbour on both sides */
#define CELLS_MOST  512

#define GEAR_VALUES 7 /* value n is dt^n / n! times the n-th derivative in time */

struct molecule {
    double d[GEAR_VALUES][WATER_DOF];
    uint64_t number;
};

static_assert(sizeof(struct molecule) == 512, "eight make a page");

/* The share of a node; the same on all nodes. */
struct cells_share {
    struct app_range rows;
    size_t slots;     /* of its part of the state */
    size_t state;     /* its first slot */
    size_t published; /* offset of its published data, in bytes */
};

/* The molecules of a row of this node, by their numbers; private. */
struct cells_row {
    uint32_t molecules, room;
    uint32_t *slot;
};

struct cells {
    double box, width;
    size_t n, rows;
    bool numbered;             /* rows are published with the numbers of their molecules */
    struct molecule *state;    /* shared */
    char *published[2];        /* shared, alternating */
    struct cells_share *share; /* private, by node, then the end */
    struct app_range mine;     /* this node's rows */
    uint16_t *owner;           /* private, by row: its node */
    bool *beside;              /* private, by row: belongs to another node, and is beside one of
                                * this node's */
    struct cells_row *row;     /* private, by row; only this node's are in use */
    uint32_t *slot; /* private, by slot of this node: SLOT_ROW plus the molecule's row, or enum
                     * slot_state */
    /* end of the slots ever used; lower bound of the free slots */
    uint32_t used, lowest;
    uint32_t *left, lefts;  /* slots of molecules that left in the previous step */
    uint32_t *cell, *order; /* private: of one row */
    uint64_t adopted;       /* molecules that moved into rows of this node */
};

struct cells_leaver {
    uint32_t slot; /* slot that it leaves, among all nodes' slots */
    uint32_t row;  /* its new row */
};

/* A published row. */
struct cells_view {
    uint32_t molecules, leaving;
    const uint32_t *cell;      /* n + 1: first molecule of each cell along x, then the end */
    const double *o[3], *h[6]; /* by molecule: oxygen, and vectors from it to the hydrogens */
    const uint32_t *number;    /* by molecule; with cells->numbered */
    const struct cells_leaver *leaver;
};

/* Number of cells along an axis. */
size_t cells_along(double box, double cutoff);

/* cells_shape() sets the geometry, after which `numbered` may be set. cells_init() then allocates
 * memory, given the number of molecules that start in each row. Collective. */
void cells_shape(struct cells *c, double box, size_t n);
void cells_init(struct cells *c, const uint32_t *count);

/* The row of a position in the box. */
size_t cells_row_at(const struct cells *c, const double o[3]);

/* Takes a free slot for a molecule in a row of this node and sets its number. */
struct molecule *cells_add(struct cells *c, size_t row, uint64_t number);

/* Checkpoints save the private data of this node from which cells_restore makes the rest. */
void cells_protect(struct cells *c);
void cells_restore(struct cells *c);

size_t cells_count(const struct cells *c, size_t row);
struct molecule *cells_molecule(const struct cells *c, size_t row, size_t i);

void cells_publish(struct cells *c, unsigned step);
void cells_adopt(struct cells *c, unsigned step);

/* Hints: state of this node's rows will be written; published rows of others will be read. */
void cells_will_move(const struct cells *c);
void cells_will_look(const struct cells *c, unsigned step);

struct cells_view cells_look(const struct cells *c, unsigned step, size_t row);

/* The row dy and dz (-1 to 1) away, across the edges of the box; the shift moves its molecules
 * there. */
size_t cells_beside(const struct cells *c, size_t row, int dy, int dz, double shift[3]);

#endif
