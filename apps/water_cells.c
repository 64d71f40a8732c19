/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_cells.c - see water_cells.h for the invariants. */
#include "apps/water_cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE 512 /* additional slots of each node, beyond twice its initial number */

/* LEFT: left in the previous step; still to be read by its new node. */
enum slot_state { SLOT_FREE, SLOT_LEFT, SLOT_ROW };

/* Header of a published row; `cell` has n + 1 elements, and positions follow on the next cache
 * line, then numbers, then leavers. */
struct layout_row {
    uint32_t molecules, leaving;
    uint32_t cell[];
};

static size_t layout_lines(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static size_t layout_row_header(const struct cells *c)
{
    return layout_lines(sizeof(struct layout_row) + (c->n + 1) * sizeof(uint32_t));
}

/* Published bytes per molecule. */
static size_t layout_molecule_bytes(const struct cells *c)
{
    return WATER_DOF * sizeof(double) + (c->numbered ? sizeof(uint32_t) : 0);
}

/* Bytes of a published row, to the next cache line. */
static size_t layout_row_bytes(const struct cells *c, size_t molecules, size_t leaving)
{
    return layout_row_header(c) + layout_lines(molecules * layout_molecule_bytes(c) +
                                               leaving * sizeof(struct cells_leaver));
}

/* Bytes of the index before a node's published rows: the offset of each, then the end. */
static size_t layout_index_bytes(const struct cells *c, int node)
{
    const struct app_range *rows = &c->share[node].rows;

    return layout_lines((app_length(*rows) + 1) * sizeof(uint32_t));
}

/* The cell of a coordinate, with periodic boundaries. */
static size_t cell_at(const struct cells *c, double x)
{
    double cell = floor(x / c->width);

    if (cell < 0)
        return c->n - 1;
    return cell < (double)c->n ? (size_t)cell : 0;
}

size_t cells_row_at(const struct cells *c, const double o[3])
{
    return cell_at(c, o[2]) * c->n + cell_at(c, o[1]);
}

size_t cells_beside(const struct cells *c, size_t row, int dy, int dz, double shift[3])
{
    size_t y = row % c->n, z = row / c->n;
    size_t to_y = (y + c->n + (size_t)dy) % c->n, to_z = (z + c->n + (size_t)dz) % c->n;

    shift[0] = 0;
    shift[1] = dy < 0 && to_y > y ? -c->box : dy > 0 && to_y < y ? c->box : 0;
    shift[2] = dz < 0 && to_z > z ? -c->box : dz > 0 && to_z < z ? c->box : 0;
    return to_z * c->n + to_y;
}

/* ---- set-up ---- */

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
        size_t rows = app_length(s->rows), want = 2 * sum(count, s->rows) + SPARE;
        size_t bytes = app_pages((want < 2 * total ? want : 2 * total) * sizeof *c->state);

        s->slots = rows != 0 ? bytes / sizeof *c->state : 0;
        s[1].state = s->state + s->slots;
        bytes = layout_index_bytes(c, node) + rows * (layout_row_bytes(c, 0, 0) + 64);
        bytes += s->slots * (layout_molecule_bytes(c) + sizeof(struct cells_leaver));
        s[1].published = s->published + app_pages(bytes);
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
    c->beside = app_zeros("the rows", c->rows * sizeof *c->beside);
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
    c->row = app_zeros("the rows", c->rows * sizeof *c->row);
    c->slot = app_zeros("slots", slots * sizeof *c->slot);
    c->left = app_private("slots", slots * sizeof *c->left);
    c->cell = app_private("a row", slots * sizeof *c->cell);
    c->order = app_private("a row", slots * sizeof *c->order);
}

/* ---- molecules ---- */

static _Noreturn void die(const char *what, const char *remedy)
{
    fprintf(stderr, "%s: node %d: %s; %s\n", app.name, app.node, what, remedy);
    exit(1);
}

static uint32_t first_slot(const struct cells *c)
{
    return (uint32_t)c->share[app.node].state;
}

size_t cells_count(const struct cells *c, size_t row)
{
    return c->row[row].molecules;
}

struct molecule *cells_molecule(const struct cells *c, size_t row, size_t i)
{
    return &c->state[c->row[row].slot[i]];
}

static uint32_t take_slot(struct cells *c)
{
    while (c->lowest < c->share[app.node].slots && c->slot[c->lowest] != SLOT_FREE)
        c->lowest++;
    if (c->lowest == c->share[app.node].slots)
        die("too many molecules moved into its rows of cells", "run with fewer nodes");
    c->used = c->lowest >= c->used ? c->lowest + 1 : c->used;
    return first_slot(c) + c->lowest;
}

static void make_room(struct cells_row *r)
{
    if (r->molecules < r->room)
        return;
    r->room = 2 * r->room + 64;
    r->slot = realloc(r->slot, r->room * sizeof *r->slot);
    if (r->slot == NULL)
        app_no_memory("a row", r->room * sizeof *r->slot);
}

/* The molecule in a slot belongs to the row. */
static void enter_row(struct cells *c, size_t row, uint32_t slot)
{
    struct cells_row *r = &c->row[row];
    uint32_t at = r->molecules;

    make_room(r);
    for (; at > 0 && cells_molecule(c, row, at - 1)->number > c->state[slot].number; at--)
        r->slot[at] = r->slot[at - 1];
    r->slot[at] = slot;
    r->molecules++;
    c->slot[slot - first_slot(c)] = SLOT_ROW + (uint32_t)row;
}

struct molecule *cells_add(struct cells *c, size_t row, uint64_t number)
{
    uint32_t slot = take_slot(c);

    c->state[slot].number = number;
    enter_row(c, row, slot);
    return &c->state[slot];
}

void cells_protect(struct cells *c)
{
    app_protect(c->slot, c->share[app.node].slots * sizeof *c->slot);
    app_protect(&c->used, sizeof c->used);
    app_protect(&c->adopted, sizeof c->adopted);
}

void cells_restore(struct cells *c)
{
    c->lowest = c->lefts = 0;
    for (size_t row = c->mine.begin; row < c->mine.end; row++)
        c->row[row].molecules = 0;
    for (uint32_t i = 0; i < c->used; i++) {
        if (c->slot[i] == SLOT_LEFT)
            c->left[c->lefts++] = i;
        else if (c->slot[i] >= SLOT_ROW)
            enter_row(c, c->slot[i] - SLOT_ROW, first_slot(c) + i);
    }
}

static void shift_molecule(struct molecule *m, int axis, double by)
{
    for (int site = 0; site < WATER_SITES; site++)
        m->d[0][3 * site + axis] += by;
}

/* Distance of a coordinate outside a cell. */
static double outside(const struct cells *c, double x, size_t cell)
{
    double below = (double)cell * c->width - x, above = x - (double)(cell + 1) * c->width;

    return below > above ? below : above;
}

/* Keeps x within the box; returns the row that contains the molecule. Ends the program if it moved
 * too far. */
static size_t settle(const struct cells *c, size_t row, struct molecule *m)
{
    double *o = m->d[0];

    if (o[0] < 0)
        shift_molecule(m, 0, c->box);
    if (o[0] >= c->box)
        shift_molecule(m, 0, -c->box);
    if (!(o[0] >= 0 && o[0] < c->box && outside(c, o[1], row % c->n) <= CELLS_SLACK &&
          outside(c, o[2], row / c->n) <= CELLS_SLACK))
        die("a molecule moved too far in one step", "choose a smaller --dt");
    return cells_row_at(c, o);
}

/* Lists the molecules that have left the row; returns their number. */
static uint32_t name_leavers(const struct cells *c, size_t row, struct cells_leaver *leaver)
{
    const struct cells_row *r = &c->row[row];
    uint32_t leaving = 0;

    for (size_t i = 0; i < r->molecules; i++) {
        size_t now = settle(c, row, &c->state[r->slot[i]]);

        if (now != row)
            leaver[leaving++] = (struct cells_leaver){ r->slot[i], (uint32_t)now };
    }
    return leaving;
}

/* Sorts the row's molecules by cell; sets the first one of each cell, and the end. */
static void order_by_cell(struct cells *c, size_t row, uint32_t *first)
{
    size_t count = cells_count(c, row);
    uint32_t begin = 0;

    memset(first, 0, (c->n + 1) * sizeof *first);
    for (size_t i = 0; i < count; i++) {
        c->cell[i] = (uint32_t)cell_at(c, cells_molecule(c, row, i)->d[0][0]);
        first[c->cell[i] + 1]++;
    }
    for (size_t k = 0; k <= c->n; k++)
        first[k] = begin += first[k];
    for (size_t i = 0; i < count; i++)
        c->order[first[c->cell[i]]++] = (uint32_t)i;
    memmove(first + 1, first, c->n * sizeof *first);
    first[0] = 0;
}

static void write_positions(const struct cells *c, size_t row, double *to)
{
    size_t count = cells_count(c, row);

    for (size_t i = 0; i < count; i++) {
        const double *x = cells_molecule(c, row, c->order[i])->d[0];

        for (size_t k = 0; k < WATER_DOF; k++)
            to[k * count + i] = k < 3 ? x[k] : x[k] - x[k % 3];
    }
}

static void write_numbers(const struct cells *c, size_t row, uint32_t *to)
{
    for (size_t i = 0; c->numbered && i < cells_count(c, row); i++)
        to[i] = (uint32_t)cells_molecule(c, row, c->order[i])->number;
}

/* Returns the number of bytes used. */
static size_t publish_row(struct cells *c, size_t row, char *at)
{
    size_t count = cells_count(c, row);
    struct layout_row *head = (struct layout_row *)(void *)at;
    char *positions = at + layout_row_header(c);
    char *leavers = positions + count * layout_molecule_bytes(c);

    head->molecules = (uint32_t)count;
    head->leaving = name_leavers(c, row, (struct cells_leaver *)(void *)leavers);
    order_by_cell(c, row, head->cell);
    write_positions(c, row, (double *)(void *)positions);
    write_numbers(c, row, (uint32_t *)(void *)(positions + count * WATER_DOF * sizeof(double)));
    return layout_row_bytes(c, count, head->leaving);
}

static char *part_of(const struct cells *c, unsigned step, int node)
{
    return c->published[step & 1] + c->share[node].published;
}

void cells_publish(struct cells *c, unsigned step)
{
    char *part = part_of(c, step, app.node);
    uint32_t *index = (uint32_t *)(void *)part;
    size_t end = layout_index_bytes(c, app.node), all = end;

    for (size_t row = c->mine.begin; row < c->mine.end; row++)
        all += layout_row_bytes(c, cells_count(c, row), 0);
    app_will_write(part, all);
    for (size_t row = c->mine.begin; row < c->mine.end; row++) {
        index[row - c->mine.begin] = (uint32_t)end;
        end += publish_row(c, row, part + end);
    }
    index[c->mine.end - c->mine.begin] = (uint32_t)end;
}

/* Offset of a published row of the node; for the index after its last row, their end. */
static size_t published_at(const struct cells *c, unsigned step, int node, size_t row)
{
    return (
        (const uint32_t *)(const void *)part_of(c, step, node))[row - c->share[node].rows.begin];
}

struct cells_view cells_look(const struct cells *c, unsigned step, size_t row)
{
    int node = c->owner[row];
    const char *at = part_of(c, step, node) + published_at(c, step, node, row);
    const struct layout_row *head = (const struct layout_row *)(const void *)at;
    const double *positions = (const double *)(const void *)(at + layout_row_header(c));
    struct cells_view view = { .molecules = head->molecules,
                               .leaving = head->leaving,
                               .cell = head->cell };

    for (size_t k = 0; k < 3; k++)
        view.o[k] = positions + k * view.molecules;
    for (size_t k = 0; k < 6; k++)
        view.h[k] = positions + (k + 3) * view.molecules;
    view.number = (const uint32_t *)(const void *)(positions + (size_t)view.molecules * WATER_DOF);
    view.leaver =
        (const struct cells_leaver *)(const void *)((const char *)positions +
                                                    view.molecules * layout_molecule_bytes(c));
    return view;
}

/* Frees the slots of the molecules that left in the previous step. */
static void free_left(struct cells *c)
{
    for (uint32_t i = 0; i < c->lefts; i++) {
        c->slot[c->left[i]] = SLOT_FREE;
        c->lowest = c->left[i] < c->lowest ? c->left[i] : c->lowest;
    }
    c->lefts = 0;
}

/* Removes the molecules that a row of this node published as leaving. */
static void let_go(struct cells *c, unsigned step, size_t row)
{
    struct cells_view view = cells_look(c, step, row);
    struct cells_row *r = &c->row[row];
    uint32_t kept = 0;

    if (view.leaving == 0)
        return;
    for (uint32_t i = 0; i < view.leaving; i++) {
        uint32_t slot = view.leaver[i].slot - first_slot(c);

        c->slot[slot] = SLOT_LEFT;
        c->left[c->lefts++] = slot;
    }
    for (uint32_t i = 0; i < r->molecules; i++)
        if (c->slot[r->slot[i] - first_slot(c)] != SLOT_LEFT)
            r->slot[kept++] = r->slot[i];
    r->molecules = kept;
}

/* Adopts the molecules that left a row beside for this one, shifted if they crossed the edge of
 * the box. */
static void take_in(struct cells *c, unsigned step, size_t row, size_t beside,
                    const double shift[3])
{
    struct cells_view view = cells_look(c, step, beside);

    for (uint32_t i = 0; i < view.leaving; i++) {
        const struct molecule *from = &c->state[view.leaver[i].slot];

        if (view.leaver[i].row != row)
            continue;
        struct molecule *m = cells_add(c, row, from->number);
        *m = *from;
        for (int axis = 1; axis < 3; axis++)
            if (shift[axis] != 0)
                shift_molecule(m, axis, shift[axis]);
        c->adopted++;
    }
}

void cells_adopt(struct cells *c, unsigned step)
{
    double shift[3];

    free_left(c);
    for (size_t row = c->mine.begin; row < c->mine.end; row++)
        let_go(c, step, row);
    for (size_t row = c->mine.begin; row < c->mine.end; row++)
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                if (dy != 0 || dz != 0) {
                    size_t beside = cells_beside(c, row, dy, dz, shift);

                    take_in(c, step, row, beside, shift);
                }
}

void cells_will_move(const struct cells *c)
{
    app_will_write(&c->state[first_slot(c)], c->used * sizeof *c->state);
}

/* Prefetches the rows of one node that are beside this node's, in runs. */
static void look_at_node(const struct cells *c, unsigned step, int node)
{
    struct app_range theirs = c->share[node].rows;

    for (size_t row = theirs.begin, end; row < theirs.end; row = end + 1) {
        for (end = row; end < theirs.end && c->beside[end]; end++)
            ;
        if (end > row)
            app_will_read(part_of(c, step, node) + published_at(c, step, node, row),
                          published_at(c, step, node, end) - published_at(c, step, node, row));
    }
}

/* The indexes first, since they give the offsets of the rows. */
void cells_will_look(const struct cells *c, unsigned step)
{
    int node = -1;

    for (size_t row = 0; row < c->rows; row++)
        if (c->beside[row] && c->owner[row] != node) {
            node = c->owner[row];
            app_will_read(part_of(c, step, node), layout_index_bytes(c, node));
        }
    node = -1;
    for (size_t row = 0; app.hints && row < c->rows; row++)
        if (c->beside[row] && c->owner[row] != node) {
            node = c->owner[row];
            look_at_node(c, step, node);
        }
}
