/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* law_sor.c - apps/sor.c, red-black over-relaxation: rows in blocks, and the rows next to them. */
#include "sim/law.h"

enum { SIZE, SWEEPS, VERIFY };

/* Every second point of row I: from the first inner one or the one after it. */
static int64_t law_sor_begin(int64_t size, int64_t i, int64_t colour)
{
    return 8 * (i * (size + 2) + 1 + (i + 1 + colour) % 2);
}

static int64_t law_sor_end(int64_t size, int64_t i, int64_t colour)
{
    return 8 * (i * (size + 2) + size - (i + colour + size) % 2 + 1);
}

static void law_sor_sweep(struct law_run *r, struct law_array grid, int64_t size)
{
    int64_t row = 8 * (size + 2);
    int64_t from = 1 + law_share(r, size, r->node), to = 1 + law_share(r, size, r->node + 1);

    for (int64_t colour = 0; colour < 2; colour++) {
        if (from < to) {
            law_read(r, grid, law_sor_begin(size, from - 1, 1 - colour), from * row);
            law_update(r, grid, law_sor_begin(size, from, colour),
                       law_sor_end(size, to - 1, colour));
            law_read(r, grid, to * row, law_sor_end(size, to, 1 - colour));
            law_work(r, (to - from) * size);
        }
        law_barrier(r);
    }
}

static void law_sor_run(struct law_run *r)
{
    int64_t size = r->param[SIZE];

    if (r->weak)
        size = law_root(size * size * r->nodes / r->traced);
    int64_t row = 8 * (size + 2);
    struct law_array grid = law_array_all(r, row * (size + 2));

    /* Each node fills its rows, the first and the last one the boundary as well. */
    int64_t from = r->node == 0 ? 0 : 1 + law_share(r, size, r->node);
    int64_t to = r->node == r->nodes - 1 ? size + 2 : 1 + law_share(r, size, r->node + 1);
    law_write(r, grid, from * row, to * row);
    law_barrier_after(r, (to - from) * (size + 2));

    for (int64_t sweep = 0; sweep < r->param[SWEEPS]; sweep++)
        law_sor_sweep(r, grid, size);
    if (r->node == 0 && r->param[VERIFY] == 1) {
        law_read(r, grid, 0, row * (size + 2));
        law_work(r, (size + 2) * (size + 2));
    }
    law_barrier(r);
}

/* verify 0: node 0 does not read the grid at the end */
const struct law law_sor = {
    "sor",
    law_sor_run,
    { { "size", 1024, 1, 1 << 20 }, { "sweeps", 100, 0, 1 << 20 }, { "verify", 1, 0, 1 } },
};
