/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_cell.c - see barnes_cell.h. */
#include "apps/barnes_cell.h"

void moments_add(double sum[MOMENTS], double m, double x, double y, double z)
{
    sum[XX] += m * x * x;
    sum[XY] += m * x * y;
    sum[XZ] += m * x * z;
    sum[YY] += m * y * y;
    sum[YZ] += m * y * z;
    sum[ZZ] += m * z * z;
}

/* The sums are in full precision until the cell is complete. */
static void moments_store(const double sum[MOMENTS], struct cell *c)
{
    for (int k = 0; k < MOMENTS; k++)
        c->second[k] = (float)sum[k];
}

/* Sums masses and mass-weighted positions; cell_centre() then turns the sums into a centre. */
static void cell_weigh(struct cell *c, double m, double x, double y, double z)
{
    c->mass += m;
    c->x += m * x;
    c->y += m * y;
    c->z += m * z;
}

static void cell_centre(struct cell *c)
{
    c->x /= c->mass;
    c->y /= c->mass;
    c->z /= c->mass;
}

void cell_sum_bodies(struct cell *c, const struct body *body)
{
    double s[MOMENTS] = { 0 };

    for (uint32_t i = 0; i < c->count; i++)
        cell_weigh(c, body[i].mass, body[i].x, body[i].y, body[i].z);
    cell_centre(c);
    for (uint32_t i = 0; i < c->count; i++)
        moments_add(s, body[i].mass, body[i].x - c->x, body[i].y - c->y, body[i].z - c->z);
    moments_store(s, c);
}

void cell_sum_cells(struct cell *c, const struct cell *const child[8], int n)
{
    double s[MOMENTS] = { 0 };

    for (int i = 0; i < n; i++)
        cell_weigh(c, child[i]->mass, child[i]->x, child[i]->y, child[i]->z);
    cell_centre(c);
    for (int i = 0; i < n; i++) {
        const struct cell *k = child[i];

        moments_add(s, k->mass, k->x - c->x, k->y - c->y, k->z - c->z);
        for (int moment = 0; moment < MOMENTS; moment++)
            s[moment] += (double)k->second[moment];
    }
    moments_store(s, c);
}

/* Gathers bits 0, 3, 6, ... */
static uint64_t compact(uint64_t bits)
{
    bits &= UINT64_C(0x1249249249249249);
    bits = (bits | bits >> 2) & UINT64_C(0x10c30c30c30c30c3);
    bits = (bits | bits >> 4) & UINT64_C(0x100f00f00f00f00f);
    bits = (bits | bits >> 8) & UINT64_C(0x001f0000ff0000ff);
    bits = (bits | bits >> 16) & UINT64_C(0x001f00000000ffff);
    return (bits | bits >> 32) & UINT64_C(0x00000000001fffff);
}

void cell_place(struct cell *c, const struct cube *space, uint64_t key, unsigned level)
{
    double side = space->side / (double)(1u << level);
    uint64_t number = key >> bits_below(level);
    double dx = c->x - (space->low[0] + ((double)compact(number) + 0.5) * side);
    double dy = c->y - (space->low[1] + ((double)compact(number >> 1) + 0.5) * side);
    double dz = c->z - (space->low[2] + ((double)compact(number >> 2) + 0.5) * side);

    c->side = (float)side;
    c->offset = (float)sqrt(dx * dx + dy * dy + dz * dz);
}
