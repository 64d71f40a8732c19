/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_sums.c - see water_sums.h. */
#include "apps/water_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define UNITS 0x1p40 /* per 1 kJ/mol/angstrom */
#define LIMIT 0x1p17 /* of a force, far above the values found in water; 64 of them fit */

void sums_init(struct sums *s, size_t molecules)
{
    s->molecules = molecules;
    s->shared = app_shared("the forces", molecules * sizeof *s->shared);
    s->own = app_zeros("the forces", molecules * sizeof *s->own);
    s->touched = app_zeros("the forces", molecules * sizeof *s->touched);
}

static uint64_t units_of(double x)
{
    if (!(fabs(x) < LIMIT)) {
        fprintf(stderr, "%s: node %d: a force of %g kJ/mol/A is too large; choose a smaller --dt\n",
                app.name, app.node, x);
        exit(1);
    }
    return (uint64_t)llrint(UNITS * x);
}

static double from_units(uint64_t units)
{
    return (double)(int64_t)units / UNITS;
}

void sums_add(struct sums *s, size_t number, const struct water_force *force, unsigned pairs)
{
    struct sum *own = &s->own[number];

    for (int k = 0; k < WATER_DOF; k++)
        own->f[k] += units_of(force->f[k]);
    own->energy += units_of(force->energy);
    own->pairs += pairs;
    s->touched[number] = true;
}

static void share(struct sums *s, size_t number)
{
    hlrc_lock_t lock = (hlrc_lock_t)(number % HLRC_STATIC_LOCKS);
    struct sum *to = &s->shared[number], *own = &s->own[number];

    hlrc_lock(lock);
    for (int k = 0; k < WATER_DOF; k++)
        to->f[k] += own->f[k];
    to->energy += own->energy;
    to->pairs += own->pairs;
    hlrc_unlock(lock);
    *own = (struct sum){ 0 };
    s->touched[number] = false;
}

/* Each node begins at a different place, so that they do not contend for the same locks. */
void sums_share(struct sums *s)
{
    size_t begin = s->molecules * (size_t)app.node / (size_t)app.nodes;

    for (size_t i = 0; i < s->molecules; i++) {
        size_t number = (begin + i) % s->molecules;

        if (s->touched[number])
            share(s, number);
    }
}

unsigned sums_take(const struct sums *s, size_t number, struct water_force *force)
{
    struct sum *from = &s->shared[number];
    unsigned pairs = (unsigned)from->pairs;

    for (int k = 0; k < WATER_DOF; k++)
        force->f[k] = from_units(from->f[k]);
    force->energy = from_units(from->energy);
    *from = (struct sum){ 0 };
    return pairs;
}
