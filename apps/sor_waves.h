/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sor_waves.h - a solution of Laplace's equation, and errors whose decay is known: the start
 * values of sor, and the expected values at each point after any number of sweeps.
 *
 * The solution is x^2 - y^2 on the unit square; on a grid the sum of its second differences is 0,
 * too. The errors are waves sin(pi p x) sin(pi q y), zero at the boundary. The mean of the four
 * neighbours of a point is (cos(pi p h) + cos(pi q h)) / 2 times the wave at the point itself,
 * where h is the distance of neighbours. So a sweep of either method preserves the shape. It
 * multiplies the red points of a wave by one number, the black ones by another (D. M. Young,
 * Trans. AMS 76, 1954).
 *
 * Points are numbered from 0 to size + 1 along either axis; the first and last are the boundary.
 * Points with an even sum of indices are red.
 */
#ifndef APPS_SOR_WAVES_H
#define APPS_SOR_WAVES_H

#include <stddef.h>
#include <stdint.h>

#define WAVES_MODES   2
#define WAVES_LONGEST 3 /* maximum half waves along an axis */

struct waves {
    size_t size;
    double omega;                     /* 0: Jacobi's method */
    double *sine[WAVES_LONGEST];      /* private, by half waves minus 1 and by index */
    double amplitude[WAVES_MODES][2]; /* by colour, red first */
};

/* The state at the start. `omega` is 0 for Jacobi's method. */
void waves_init(struct waves *w, size_t size, double omega);
void waves_free(struct waves *w);

/* Advances the waves by `sweeps`. */
void waves_relax(struct waves *w, uint64_t sweeps);

/* The value at a point without the waves, and the waves' contribution; together at most 2 at the
 * start. */
double waves_solution(const struct waves *w, size_t i, size_t j);
double waves_error(const struct waves *w, size_t i, size_t j);

/*
 * Maximum root mean square error of the points after `sweeps` from the start: the rounding errors
 * of each sweep, as later sweeps change them. A step of Jacobi's method lowers the root mean
 * square of an error. A relaxation of SOR lowers its energy, for 0 < omega < 2 (Ostrowski 1954),
 * which is at least 8 sin^2(pi h / 2) times the sum of its squares.
 */
double waves_bound(const struct waves *w, uint64_t sweeps);

#endif
