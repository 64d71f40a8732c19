/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mg.c - NPB MG: Poisson's equation on a periodic cube by V-cycles of multigrid.
 *
 * Level k has 2^k points in each direction, and beside them a layer of copies of the points at the
 * other end, so that planes are 0 to 2^k + 1. All levels of a variable lie in one array, the finest
 * first. Point j of a level is point 2 j of the next finer one.
 */
#include "npb.h"

#define MAX_LEVEL 8
#define MAX_SIDE  ((1 << MAX_LEVEL) + 2)
#define FINEST    (MAX_SIDE * MAX_SIDE * MAX_SIDE)
#define ALL       (FINEST + FINEST / 6) /* of all levels: a bit less */
#define CHARGES   10                    /* of each sign */

static const struct class
{
    int level, iterations;
    double norm;
} classes[] = {
    { 5, 4, 0.5307707005734e-04 },
    { 7, 4, 0.6467329375339e-05 },
    { 8, 4, 0.2433365309069e-05 },
    { 8, 20, 0.1800564401355e-05 },
};

/* What a point, those beside it by face, edge and corner count: the operator, and the smoother of
 * the smaller and of the larger classes. */
static const double operator[4] = { -8.0 / 3, 0, 1.0 / 6, 1.0 / 12 };
static const double smoother_small[4] = { -3.0 / 8, 1.0 / 32, -1.0 / 64, 0 };
static const double smoother_large[4] = { -3.0 / 17, 1.0 / 33, -1.0 / 61, 0 };

static double u_all[ALL], r_all[ALL], v_all[FINEST];
static size_t offset[MAX_LEVEL + 1];
static int finest;
static const double *smoother;

typedef double line[MAX_SIDE];

/* `cube` is that of a level in one of the arrays, by its side. */
#define CUBE(name, side) double(*name)[side][side]
#define AT(array, level) ((void *)&(array)[offset[level]])

static int side_of(int level)
{
    return (1 << level) + 2;
}

static void lay_out(void)
{
    size_t at = 0;

    for (int level = finest; level > 0; level--) {
        size_t side = (size_t)side_of(level);

        offset[level] = at;
        at += side * side * side;
    }
}

/* The outer layer. */
static void wrap(int m, CUBE(cube, m))
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 1; i < m - 1; i++) {
            for (int j = 1; j < m - 1; j++) {
                cube[i][j][0] = cube[i][j][m - 2];
                cube[i][j][m - 1] = cube[i][j][1];
            }
            memcpy(cube[i][0], cube[i][m - 2], (size_t)m * sizeof(double));
            memcpy(cube[i][m - 1], cube[i][1], (size_t)m * sizeof(double));
        }
#pragma omp for
        for (int j = 0; j < m; j++) {
            memcpy(cube[0][j], cube[m - 2][j], (size_t)m * sizeof(double));
            memcpy(cube[m - 1][j], cube[1][j], (size_t)m * sizeof(double));
        }
    }
}

static void clear(int m, CUBE(cube, m))
{
#pragma omp parallel for
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                cube[i][j][k] = 0;
}

/* The sums of the four points beside each of line (i, j), and of the four over the edges. */
static void add_lines(int m, CUBE(cube, m), int i, int j, line beside, line across)
{
    for (int k = 0; k < m; k++) {
        beside[k] = cube[i][j - 1][k] + cube[i][j + 1][k] + cube[i - 1][j][k] + cube[i + 1][j][k];
        across[k] = cube[i - 1][j - 1][k] + cube[i - 1][j + 1][k] + cube[i + 1][j - 1][k] +
                    cube[i + 1][j + 1][k];
    }
}

/* r = v - A u; `r` may be `v`. */
static void find_residual(int m, CUBE(u, m), CUBE(v, m), CUBE(r, m))
{
    const double *c = operator;

#pragma omp parallel for
    for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            line beside, across;

            add_lines(m, u, i, j, beside, across);
            for (int k = 1; k < m - 1; k++)
                r[i][j][k] = v[i][j][k] - c[0] * u[i][j][k] -
                             c[2] * (across[k] + beside[k - 1] + beside[k + 1]) -
                             c[3] * (across[k - 1] + across[k + 1]);
        }
    wrap(m, r);
}

/* u += S r */
static void smooth(int m, CUBE(r, m), CUBE(u, m))
{
    const double *c = smoother;

#pragma omp parallel for
    for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            line beside, across;

            add_lines(m, r, i, j, beside, across);
            for (int k = 1; k < m - 1; k++)
                u[i][j][k] += c[0] * r[i][j][k] +
                              c[1] * (r[i][j][k - 1] + r[i][j][k + 1] + beside[k]) +
                              c[2] * (across[k] + beside[k - 1] + beside[k + 1]);
        }
    wrap(m, u);
}

/* `to`, of side n, has half as many points as `from`. */
static void coarsen(int m, CUBE(from, m), int n, CUBE(to, n))
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            line beside, across;

            add_lines(m, from, 2 * i, 2 * j, beside, across);
            for (int k = 1; k < n - 1; k++) {
                const double *centre = &from[2 * i][2 * j][2 * k];
                int at = 2 * k;

                to[i][j][k] = 0.5 * centre[0] + 0.25 * (centre[-1] + centre[1] + beside[at]) +
                              0.125 * (beside[at - 1] + beside[at + 1] + across[at]) +
                              0.0625 * (across[at - 1] + across[at + 1]);
            }
        }
    wrap(n, to);
}

/* Adds to a line of the finer level the mean of `count` lines of the coarser. */
static void refine_line(int n, const double *const from[], int count, double *to)
{
    line sum;

    for (int k = 0; k < n; k++) {
        sum[k] = 0;
        for (int l = 0; l < count; l++)
            sum[k] += from[l][k];
    }
    for (int k = 0; k < n - 1; k++) {
        to[2 * k] += sum[k] / count;
        to[2 * k + 1] += (sum[k] + sum[k + 1]) / (2 * count);
    }
}

/* to += from, between the points of `from` by means of those about. */
static void refine(int n, CUBE(from, n), int m, CUBE(to, m))
{
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1; j++) {
            const double *along[4] = { from[i][j], from[i][j + 1], from[i + 1][j],
                                       from[i + 1][j + 1] };
            const double *below[2] = { along[0], along[2] };

            refine_line(n, along, 1, to[2 * i][2 * j]);
            refine_line(n, along, 2, to[2 * i][2 * j + 1]);
            refine_line(n, below, 2, to[2 * i + 1][2 * j]);
            refine_line(n, along, 4, to[2 * i + 1][2 * j + 1]);
        }
}

static void cycle(void)
{
    for (int level = finest; level > 1; level--)
        coarsen(side_of(level), AT(r_all, level), side_of(level - 1), AT(r_all, level - 1));
    clear(side_of(1), AT(u_all, 1));
    smooth(side_of(1), AT(r_all, 1), AT(u_all, 1));
    for (int level = 2; level <= finest; level++) {
        int m = side_of(level);
        void *u = AT(u_all, level), *r = AT(r_all, level);

        if (level < finest)
            clear(m, u);
        refine(side_of(level - 1), AT(u_all, level - 1), m, u);
        find_residual(m, u, level < finest ? r : v_all, r);
        smooth(m, r, u);
    }
}

static double norm(int m, CUBE(cube, m))
{
    double sum = 0, points = (double)(m - 2) * (m - 2) * (m - 2);

#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < m - 1; j++)
            for (int k = 1; k < m - 1; k++)
                sum += cube[i][j][k] * cube[i][j][k];
    return sqrt(sum / points);
}

/* The largest numbers, the least of them last; with `sign` -1 the smallest. */
struct extremes {
    double sign;
    double value[CHARGES];
    int at[CHARGES][3];
};

static void keep(struct extremes *list, double value, int i, int j, int k)
{
    int to = CHARGES - 1;

    if (list->sign * value <= list->sign * list->value[to])
        return;
    for (; to > 0 && list->sign * value > list->sign * list->value[to - 1]; to--) {
        list->value[to] = list->value[to - 1];
        memcpy(list->at[to], list->at[to - 1], sizeof list->at[to]);
    }
    list->value[to] = value;
    memcpy(list->at[to], (int[]){ i, j, k }, sizeof list->at[to]);
}

static void find_extremes(int m, CUBE(cube, m), struct extremes *all)
{
#pragma omp parallel
    {
        struct extremes mine = *all;

#pragma omp barrier
#pragma omp for
        for (int i = 1; i < m - 1; i++)
            for (int j = 1; j < m - 1; j++)
                for (int k = 1; k < m - 1; k++)
                    keep(&mine, cube[i][j][k], i, j, k);
#pragma omp critical
        for (int c = 0; c < CHARGES; c++)
            keep(all, mine.value[c], mine.at[c][0], mine.at[c][1], mine.at[c][2]);
    }
}

/* The right side: +1 where a sequence of random numbers is largest, -1 where it is smallest. */
static void set_charges(int m, CUBE(v, m))
{
    struct extremes high = { .sign = 1 }, low = { .sign = -1 };
    uint64_t points = (uint64_t)m - 2;

    for (int c = 0; c < CHARGES; c++) {
        high.value[c] = 0;
        low.value[c] = 1;
    }
#pragma omp parallel for
    for (int i = 1; i < m - 1; i++) {
        uint64_t x = npb_skip(NPB_SEED, (uint64_t)(i - 1) * points * points);

        for (int j = 1; j < m - 1; j++)
            for (int k = 1; k < m - 1; k++)
                v[i][j][k] = npb_random(&x);
    }
    find_extremes(m, v, &high);
    find_extremes(m, v, &low);
    clear(m, v);
    for (int c = 0; c < CHARGES; c++) {
        v[low.at[c][0]][low.at[c][1]][low.at[c][2]] = -1;
        v[high.at[c][0]][high.at[c][1]][high.at[c][2]] = 1;
    }
    wrap(m, v);
}

int main(int argc, char **argv)
{
    int index = npb_class(argc, argv, "SWAB"), m;
    const struct class *class = &classes[index];
    double result, seconds;

    finest = class->level;
    smoother = index < 3 ? smoother_small : smoother_large;
    m = side_of(finest);
    lay_out();

    /* once beforehand, so that all pages are there */
    set_charges(m, (void *)v_all);
    find_residual(m, (void *)u_all, (void *)v_all, (void *)r_all);
    cycle();
    clear(m, (void *)u_all);
    set_charges(m, (void *)v_all);

    seconds = omp_get_wtime();
    find_residual(m, (void *)u_all, (void *)v_all, (void *)r_all);
    for (int i = 0; i < class->iterations; i++) {
        cycle();
        find_residual(m, (void *)u_all, (void *)v_all, (void *)r_all);
    }
    result = norm(m, (void *)r_all);
    seconds = omp_get_wtime() - seconds;
    printf("MG class %s: %d points in each direction, %d iterations\nnorm %.9e\n", argv[1], m - 2,
           class->iterations, result);
    return npb_end(npb_near(result, class->norm, 1e-8), seconds);
}
