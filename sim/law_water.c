/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_water.c - apps/water.c, forces by rows, side^3 molecules on a lattice, not verified, in
 * their first steps: in a hundred steps hardly any molecule leaves its row of cells. Molecules are
 * at most 0.2 angstrom off their lattice points, along each axis. A plane of them that is closer
 * than that to a border of cells is in two layers of cells, with the expected number in each.
 * Lengths in 1/10000 angstrom.
 */
#include "sim/law.h"

enum { SIDE, STEPS, SPACING, CUTOFF };

#define SLACK    400 /* CELLS_SLACK of the program */
#define MOLECULE 512 /* bytes of its state */

#define LAYERS_MOST (INT64_C(1) << 22)

struct law_water_node {
    int64_t rows, held; /* rows of cells; molecules in them */
    int64_t from;       /* the first of its rows */
    int64_t state, at;  /* where its states and what it publishes begin */
};

struct law_water {
    int64_t side, spacing, cells, layers, all; /* all: the load of all rows */
    int64_t *owner;                            /* of each row */
    struct law_water_node *node;               /* and the end of all nodes */
    int64_t published, records, own_bytes;
    struct law_array molecules, positions, energies, note;
};

/* ---- cells ---- */

static int64_t law_water_edge(const struct law_water *w, int64_t c)
{
    return w->side * w->spacing * c / w->cells - 29 * w->spacing / 100 + 2000;
}

/* Planes of molecules before the border C of cells, in 1/1000. */
static int64_t law_water_planes(const struct law_water *w, int64_t c)
{
    int64_t edge = law_water_edge(w, c);

    return law_divide(edge, w->spacing) * 1000 + law_min(1000, law_rest(edge, w->spacing) / 4);
}

static int64_t law_water_thick(const struct law_water *w, int64_t c)
{
    c = law_rest(c, w->cells);
    return law_water_planes(w, c + 1) - law_water_planes(w, c);
}

static int64_t law_water_around(const struct law_water *w, int64_t c)
{
    return law_water_thick(w, c - 1) + law_water_thick(w, c) + law_water_thick(w, c + 1);
}

/* Molecules of a row of cells. */
static int64_t law_water_count(const struct law_water *w, int64_t row)
{
    return (w->side * law_water_thick(w, row % w->cells) * law_water_thick(w, row / w->cells) +
            500000) /
           1000000;
}

static int64_t law_water_load(const struct law_water *w, int64_t row)
{
    int64_t y = row % w->cells, z = row / w->cells;

    return law_water_thick(w, y) * law_water_thick(w, z) / 1000 *
           (law_water_around(w, y) * law_water_around(w, z) / 1000 +
            27000 * w->side * w->side / w->layers);
}

/* ---- published: an index, of as many lines as if all nodes had as many rows where another node
 * reads after it; then rows ---- */

static int64_t law_water_index(int64_t rows)
{
    return law_whole(4 * (rows + 1), 64);
}

static int64_t law_water_head(const struct law_water *w)
{
    return law_whole(8 + 4 * (w->cells + 1), 64);
}

static int64_t law_water_row_bytes(const struct law_water *w, int64_t row)
{
    return law_water_head(w) + law_whole(72 * law_water_count(w, row), 64);
}

static int64_t law_water_slots(const struct law_run *r, const struct law_water *w, int64_t held)
{
    return law_whole(MOLECULE * law_min(2 * held + 512, 2 * w->side * w->side * w->side), r->page) /
           MOLECULE;
}

static int64_t law_water_room(const struct law_run *r, const struct law_water *w, int64_t rows,
                              int64_t held)
{
    int64_t slots = rows > 0 ? 80 * law_water_slots(r, w, held) : 0;

    return law_whole(law_water_index(rows) + rows * (law_water_head(w) + 64) + slots, r->page);
}

/* ---- the parts of nodes ---- */

/* Rows in order, by their load. */
static void law_water_deal(const struct law_run *r, struct law_water *w)
{
    int64_t before = 0;

    for (int64_t row = 0; row < w->layers; row++) {
        int64_t load = law_water_load(w, row);
        int64_t who = ((2 * before + load) * r->nodes - 1) / (2 * w->all);
        struct law_water_node *n = &w->node[w->owner[row] = law_min(r->nodes - 1, who)];
        if (n->rows++ == 0)
            n->from = row;
        n->held += law_water_count(w, row);
        before += load;
    }
}

static void law_water_place(const struct law_run *r, struct law_water *w)
{
    int64_t most = 0;

    for (int64_t i = 0; i < r->nodes; i++) {
        struct law_water_node *n = &w->node[i];
        n[1].at = n->at + law_water_room(r, w, n->rows, n->held);
        n[1].state = n->state + (n->rows > 0 ? law_water_slots(r, w, n->held) : 0);
        most = law_max(most, n->rows);
    }
    w->published = w->node[r->nodes].at;
    w->records = law_whole(24 * most * (r->param[STEPS] + 1), r->page);

    const struct law_water_node *n = &w->node[r->node];
    w->own_bytes = law_water_index(n->rows);
    for (int64_t row = n->from; row < n->from + n->rows; row++)
        w->own_bytes += law_water_row_bytes(w, row);
}

static void law_water_make(struct law_run *r, struct law_water *w)
{
    w->molecules = law_array_all(r, MOLECULE * w->node[r->nodes].state);
    w->positions = law_array_all(r, 2 * w->published);
    law_barrier(r);
    w->energies = law_array_all(r, r->nodes * w->records);
    w->note = law_array_all(r, r->nodes * r->page);
}

/* ---- a step ---- */

static bool law_water_mine(const struct law_run *r, const struct law_water *w, int64_t y, int64_t z)
{
    return w->owner[law_rest(z, w->cells) * w->cells + law_rest(y, w->cells)] == r->node;
}

/* Whether a row of another node is next to one of this node. */
static bool law_water_near(const struct law_run *r, const struct law_water *w, int64_t row)
{
    int64_t y = row % w->cells, z = row / w->cells;
    bool near = false;

    for (int64_t i = 0; i < 9; i++)
        near = near || law_water_mine(r, w, y + i % 3 - 1, z + i / 3 - 1);
    return near && w->owner[row] != r->node;
}

/* Rows next to its own: first their nodes' indexes, then the rows. */
static void law_water_neighbours(struct law_run *r, const struct law_water *w, int64_t begin,
                                 int pass)
{
    int64_t inside = 0, looked = -1;

    for (int64_t row = 0; row < w->layers; row++) {
        int64_t who = w->owner[row], at = begin + w->node[who].at;
        int64_t bytes = law_water_row_bytes(w, row);
        if (row == w->node[who].from)
            inside = law_water_index(w->layers / r->nodes);
        if (law_water_near(r, w, row)) {
            if (who != looked && pass == 0)
                law_prefetch(r, w->positions, at, at + 64);
            if (who != looked && pass == 2)
                law_read(r, w->positions, at, at + 64);
            if (pass == 1)
                law_prefetch(r, w->positions, at + inside, at + inside + bytes);
            if (pass == 2)
                law_read(r, w->positions, at + inside, at + inside + bytes);
            looked = who;
        }
        inside += bytes;
    }
}

static void law_water_step(struct law_run *r, const struct law_water *w, int64_t step)
{
    const struct law_water_node *n = &w->node[r->node];
    int64_t first = MOLECULE * n->state, below = first + MOLECULE * n->held;
    int64_t begin = law_rest(step, 2) * w->published, own = begin + n->at;

    if (step == 1)
        law_barrier(r);
    if (step > 0)
        law_update(r, w->molecules, first, below);
    law_touch(r, w->positions, own, own + w->own_bytes);
    law_read(r, w->molecules, first, below);
    law_write(r, w->positions, own, own + w->own_bytes);
    law_barrier_after(r, n->held);
    for (int pass = 0; pass < (step < 0 ? 2 : 3); pass++)
        law_water_neighbours(r, w, begin, pass);
    if (step >= 0) {
        int64_t energies = r->node * w->records + 24 * step * n->rows;
        law_touch(r, w->molecules, first, below);
        law_update(r, w->molecules, first, below);
        law_write(r, w->energies, energies, energies + 24 * n->rows);
        law_work(r, n->held);
    }
    if (step == 0)
        law_write(r, w->note, r->node * r->page, r->node * r->page + 112);
}

static void law_water_steps(struct law_run *r, const struct law_water *w)
{
    const struct law_water_node *n = &w->node[r->node];
    int64_t first = MOLECULE * n->state, below = first + MOLECULE * n->held;

    law_write(r, w->molecules, first, below);
    for (int64_t step = -1; step <= r->param[STEPS]; step++)
        law_water_step(r, w, step);
    law_barrier(r);
    law_write(r, w->note, r->node * r->page, r->node * r->page + 112);
    law_read(r, w->molecules, first, below);
    law_barrier_after(r, n->held);
    if (r->node == 0) {
        law_read(r, w->note, 0, r->nodes * r->page);
        law_read(r, w->energies, 0, r->nodes * w->records);
    }
    law_barrier(r);
}

/* With as many molecules per node, at most, as SIDE has with the traced nodes. */
static int64_t law_water_weak(const struct law_run *r, int64_t side)
{
    int64_t grown = side;

    while (grown < 11 * side &&
           (grown + 1) * (grown + 1) * (grown + 1) * r->traced <= side * side * side * r->nodes)
        grown++;
    return grown;
}

static void law_water_run(struct law_run *r)
{
    struct law_water w = { .side = r->param[SIDE], .spacing = r->param[SPACING] };

    if (r->weak)
        w.side = law_water_weak(r, w.side);
    w.cells = w.side * w.spacing / (r->param[CUTOFF] + SLACK);
    w.layers = w.cells * w.cells;
    law_require(r, w.layers <= LAYERS_MOST, "too many rows of cells; lower the side or spacing");
    for (int64_t row = 0; row < w.layers; row++)
        w.all += law_water_load(&w, row);
    law_require(r, w.all > 0, "the molecules fill no row of cells; raise the side");
    w.owner = law_alloc(r, (size_t)w.layers, sizeof *w.owner);
    w.node = law_alloc(r, (size_t)r->nodes + 1, sizeof *w.node);
    law_water_deal(r, &w);
    law_water_place(r, &w);
    law_water_make(r, &w);
    law_water_steps(r, &w);
}

const struct law law_water = {
    "water",
    law_water_run,
    { { "side", 22, 1, 1 << 10 },
      { "steps", 3, 0, 1 << 16 },
      { "spacing", 31064, 1000, 1000000 },
      { "cutoff", 62128, 1000, 1000000 } },
};
