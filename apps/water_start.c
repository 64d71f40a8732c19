/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* water_start.c - see water_start.h. */
#include "apps/water_start.h"

#include <math.h>

#include "apps/common.h"

#define KELVIN 298.15
#define ORIGIN 0.29 /* of the lattice, in spacings: its planes then avoid cell boundaries */
#define JITTER 0.2  /* angstrom; maximum displacement from the lattice place, along each axis */
#define STRAIN \
    0.02 /* angstrom, standard deviation of a hydrogen's coordinates from its position at rest */
#define NUMBERS 32 /* random numbers reserved for each molecule */
#define PI      3.14159265358979323846

struct start start_make(uint64_t molecules)
{
    double volume = (WATER_MASS_O + 2 * WATER_MASS_H) * WATER_DALTON / WATER_DENSITY;
    struct start s = { molecules, 1, cbrt(volume * (double)molecules) };

    while (s.side * s.side * s.side < molecules)
        s.side++;
    return s;
}

/* Uses the first of the molecule's random numbers. */
static void place(const struct start *s, uint64_t number, uint64_t *state, double o[3])
{
    uint64_t lattice = number * (s->side * s->side * s->side) / s->molecules;
    double spacing = s->box / (double)s->side;

    for (int k = 0; k < 3; k++) {
        double jitter = JITTER * (0x1p-45 * (double)app_random(state) - 1);

        o[k] = ((double)(lattice % s->side) + ORIGIN) * spacing + jitter;
        lattice /= s->side;
    }
}

void start_place(const struct start *s, uint64_t number, double o[3])
{
    uint64_t state = app_random_skip(app.seed, number * NUMBERS);

    place(s, number, &state, o);
}

/* Two independent numbers of the normal distribution. */
static void normal_pair(uint64_t *state, double out[2])
{
    double radius = sqrt(-2 * log(0x1p-46 * (double)app_random(state)));
    double angle = 2 * PI * 0x1p-46 * (double)app_random(state);

    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

/* Rotates a vector by a unit quaternion: v + 2 q x (q x v + w v). */
static void turn(const double q[4], double v[3])
{
    const double *u = q + 1;
    double a[3] = { u[1] * v[2] - u[2] * v[1] + q[0] * v[0],
                    u[2] * v[0] - u[0] * v[2] + q[0] * v[1],
                    u[0] * v[1] - u[1] * v[0] + q[0] * v[2] };

    v[0] += 2 * (u[1] * a[2] - u[2] * a[1]);
    v[1] += 2 * (u[2] * a[0] - u[0] * a[2]);
    v[2] += 2 * (u[0] * a[1] - u[1] * a[0]);
}

static void random_quaternion(uint64_t *state, double q[4])
{
    double length = 0;

    normal_pair(state, q);
    normal_pair(state, q + 2);
    for (int i = 0; i < 4; i++)
        length += q[i] * q[i];
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
}

static void random_velocities(uint64_t *state, double v[WATER_DOF])
{
    double normal[WATER_DOF + 1];

    for (int i = 0; i < WATER_DOF; i += 2)
        normal_pair(state, normal + i);
    for (int i = 0; i < WATER_DOF; i++)
        v[i] = normal[i] *
               sqrt(WATER_FORCE * WATER_GAS * KELVIN / (i < 3 ? WATER_MASS_O : WATER_MASS_H));
}

/* Bends and stretches a molecule slightly, about as much as thermal motion does. */
static void strain(uint64_t *state, double h[2][3])
{
    double normal[6];

    for (int i = 0; i < 6; i += 2)
        normal_pair(state, normal + i);
    for (int i = 0; i < 6; i++)
        h[i / 3][i % 3] += STRAIN * normal[i];
}

void start_molecule(const struct start *s, uint64_t number, double x[WATER_DOF],
                    double v[WATER_DOF])
{
    uint64_t state = app_random_skip(app.seed, number * NUMBERS);
    double across = WATER_BOND * sin(WATER_ANGLE / 2), along = WATER_BOND * cos(WATER_ANGLE / 2);
    double h[2][3] = { { across, along, 0 }, { -across, along, 0 } }, q[4];

    place(s, number, &state, x);
    strain(&state, h);
    random_quaternion(&state, q);
    for (int i = 0; i < 2; i++) {
        turn(q, h[i]);
        for (int k = 0; k < 3; k++)
            x[3 * (i + 1) + k] = x[k] + h[i][k];
    }
    random_velocities(&state, v);
}
