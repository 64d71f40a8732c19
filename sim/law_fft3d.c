/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_fft3d.c - apps/fft3d.c with hints, by loads: slabs of y and of z. Each transpose reads from
 * all nodes the rows of the node's own range.
 */
#include "sim/law.h"

enum { NX, NY, NZ, ITERATIONS };

struct law_fft3d {
    int64_t nx, ny, nz, line, points; /* of a node; a line of x in bytes */
    int64_t y, y1, z, z1;             /* this node's ranges */
    struct law_array spectrum, work;
};

/* Prefetches lines FROM to TO of each of the other nodes' planes, of which there are ALL with SIDE
 * lines each. */
static void law_fft3d_prefetch(struct law_run *r, const struct law_fft3d *f, int64_t all,
                               int64_t side, int64_t from, int64_t to)
{
    for (int64_t d = 1; d < r->nodes; d++) {
        int64_t other = (r->node + d) % r->nodes;
        for (int64_t i = law_share(r, all, other); i < law_share(r, all, other + 1); i++)
            law_prefetch(r, f->work, (i * side + from) * f->line, (i * side + to) * f->line);
    }
}

/* Planes of z, along x and y; then rows of this node's y of all planes. */
static void law_fft3d_forward(struct law_run *r, const struct law_fft3d *f)
{
    law_touch(r, f->work, f->z * f->ny * f->line, f->z1 * f->ny * f->line);
    law_read(r, f->work, f->z * f->ny * f->line, f->z1 * f->ny * f->line);
    law_barrier_after(r, f->points * law_log2(f->nx * f->ny));
    law_fft3d_prefetch(r, f, f->nz, f->ny, f->y, f->y1);
    law_touch(r, f->spectrum, f->y * f->nz * f->line, f->y1 * f->nz * f->line);
    for (int64_t i = 0; i < f->nz; i++)
        law_read(r, f->work, (i * f->ny + f->y) * f->line, (i * f->ny + f->y1) * f->line);
    law_barrier_after(r, f->points * law_log2(f->nz));
}

static void law_fft3d_inverse(struct law_run *r, const struct law_fft3d *f)
{
    law_touch(r, f->work, f->y * f->nz * f->line, f->y1 * f->nz * f->line);
    law_read(r, f->spectrum, f->y * f->nz * f->line, f->y1 * f->nz * f->line);
    law_barrier_after(r, f->points * law_log2(f->nz));
    law_fft3d_prefetch(r, f, f->ny, f->nz, f->z, f->z1);
    for (int64_t i = 0; i < f->ny; i++)
        law_read(r, f->work, (i * f->nz + f->z) * f->line, (i * f->nz + f->z1) * f->line);
}

static void law_fft3d_run(struct law_run *r)
{
    struct law_fft3d f = { .nx = r->param[NX],
                           .ny = r->param[NY],
                           .nz = law_grown(r, r->param[NZ]) };
    int64_t sums, turns = r->param[ITERATIONS];

    f.line = 16 * f.nx;
    f.points = f.nx * f.ny * f.nz / r->nodes;
    f.y = law_share(r, f.ny, r->node);
    f.y1 = law_share(r, f.ny, r->node + 1);
    f.z = law_share(r, f.nz, r->node);
    f.z1 = law_share(r, f.nz, r->node + 1);
    f.spectrum = law_array_all(r, f.line * f.ny * f.nz);
    f.work = law_array_all(r, f.line * f.ny * f.nz);
    sums = law_whole((f.nz + r->nodes - 1) / r->nodes * turns * 16, r->page);
    struct law_array sum = law_array_all(r, r->nodes * sums);

    law_write(r, f.spectrum, f.y * f.nz * f.line, f.y1 * f.nz * f.line);
    law_write(r, f.work, f.y * f.nz * f.line, f.y1 * f.nz * f.line);
    law_barrier_after(r, f.points);
    law_fft3d_forward(r, &f);
    law_fft3d_forward(r, &f);
    for (int64_t k = 0; k < turns; k++) {
        law_fft3d_inverse(r, &f);
        law_write(r, sum, r->node * sums, r->node * sums + (f.z1 - f.z) * turns * 16);
        law_barrier_after(r, f.points * law_log2(f.nx * f.ny));
    }
    for (int64_t i = 0; r->node == 0 && i < r->nodes; i++)
        law_read(r, sum, i * sums,
                 i * sums + (law_share(r, f.nz, i + 1) - law_share(r, f.nz, i)) * turns * 16);
    law_barrier_after(r, r->node == 0);
}

const struct law law_fft3d = {
    "fft3d",
    law_fft3d_run,
    { { "nx", 64, 1, 1 << 15 },
      { "ny", 64, 1, 1 << 15 },
      { "nz", 64, 1, 1 << 15 },
      { "iterations", 6, 1, 1 << 16 } },
};
