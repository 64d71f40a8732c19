/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * field-armci.c - the self-consistent field of hydrogen molecules in a row, a program of ARMCI.
 *
 *     cc -O2 field-armci.c $(pkg-config --cflags --libs hlrc-armci) -lm -o field-armci
 *     hlrcrun -n 3 ./field-armci
 *
 * Restricted Hartree and Fock, with one normalized Gaussian at each atom, in atomic units. The
 * density and the Fock matrix are divided among the processes by rows of blocks. A task is the
 * share of one row of density blocks in one block of the Fock matrix: tasks are numbers from a
 * shared counter, the density comes by strided gets, and the share is accumulated. Each process
 * then gets the whole matrix and finds its orbitals. In each iteration process 0 computes the
 * matrix by one process, and compares.
 */
#include <armci.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATOMS = 16, BLOCK = 4, BLOCKS = ATOMS / BLOCK, TASKS = BLOCKS * BLOCKS * BLOCKS };

#define EXPONENT 0.4166
#define PI       3.14159265358979323846

typedef double matrix[ATOMS][ATOMS];

static int me, procs;
static double place[ATOMS];
static void **density, **fock, **counter;
static matrix overlap, core, root; /* root: overlap to the power of -1/2 */

/* ---- integrals of Gaussians ---- */

static double boys(double t)
{
    return t < 1e-8 ? 1 - t / 3 : 0.5 * sqrt(PI / t) * erf(sqrt(t));
}

static double product_of(int i, int j)
{
    double far = place[i] - place[j];
    return exp(-0.5 * EXPONENT * far * far);
}

/* Two electrons: (i j | k l). */
static double repulsion(int i, int j, int k, int l)
{
    double far = 0.5 * (place[i] + place[j] - place[k] - place[l]);
    return 2 * sqrt(EXPONENT / PI) * boys(EXPONENT * far * far) * product_of(i, j) *
           product_of(k, l);
}

/* Of one electron: overlap, and kinetic energy plus the attraction of all nuclei. */
static void integrals(void)
{
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++) {
            double far = place[i] - place[j], middle = 0.5 * (place[i] + place[j]);
            overlap[i][j] = product_of(i, j);
            core[i][j] = 0.5 * EXPONENT * (3 - EXPONENT * far * far) * overlap[i][j];
            for (int atom = 0; atom < ATOMS; atom++) {
                double away = middle - place[atom];
                core[i][j] -=
                    2 * sqrt(2 * EXPONENT / PI) * overlap[i][j] * boys(2 * EXPONENT * away * away);
            }
        }
}

/* ---- small matrices, by each process ---- */

static void multiply(matrix a, matrix b, matrix c)
{
    matrix sum = { { 0 } };
    for (int i = 0; i < ATOMS; i++)
        for (int k = 0; k < ATOMS; k++)
            for (int j = 0; j < ATOMS; j++)
                sum[i][j] += a[i][k] * b[k][j];
    memcpy(c, sum, sizeof sum);
}

/* Jacobi: `a` becomes diagonal, the columns of `v` are its vectors. */
static void diagonalize(matrix a, matrix v)
{
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < ATOMS; p++)
            for (int q = p + 1; q < ATOMS; q++) {
                if (fabs(a[p][q]) < 1e-15)
                    continue;
                double angle = 0.5 * atan(2 * a[p][q] / (a[q][q] - a[p][p])), c = cos(angle),
                       s = sin(angle);
                for (int k = 0; k < ATOMS; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < ATOMS; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
}

/* overlap to the power of -1/2 */
static void find_root(void)
{
    matrix a, v, w;
    memcpy(a, overlap, sizeof a);
    diagonalize(a, v);
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++)
            w[j][i] = v[i][j] / sqrt(a[j][j]);
    multiply(v, w, root);
}

/* Two electrons in each of the lower half of the orbitals. */
static void find_density(matrix f, matrix d)
{
    matrix a, v;
    int rank[ATOMS];
    multiply(root, f, a);
    multiply(a, root, a);
    diagonalize(a, v);
    multiply(root, v, v);
    for (int i = 0; i < ATOMS; i++) {
        rank[i] = 0;
        for (int j = 0; j < ATOMS; j++)
            rank[i] += a[j][j] < a[i][i] || (a[j][j] == a[i][i] && j < i);
    }
    memset(d, 0, sizeof(matrix));
    for (int k = 0; k < ATOMS; k++)
        for (int i = 0; rank[k] < ATOMS / 2 && i < ATOMS; i++)
            for (int j = 0; j < ATOMS; j++)
                d[i][j] += 2 * v[i][k] * v[j][k];
}

/* To begin with: two electrons in the bond of each molecule. */
static void bonds(matrix d)
{
    memset(d, 0, sizeof(matrix));
    for (int i = 0; i < ATOMS; i += 2)
        for (int j = 0; j < 4; j++)
            d[i + j / 2][i + j % 2] = 1 / (1 + overlap[i][i + 1]);
}

static double energy_of(matrix f, matrix d)
{
    double sum = 0;
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++) {
            sum += 0.5 * d[i][j] * (core[i][j] + f[i][j]);
            if (i < j)
                sum += 1 / fabs(place[i] - place[j]);
        }
    return sum;
}

/* ---- matrices of all processes ---- */

static int owner(int row)
{
    return row % procs;
}

/* First element of a row of blocks, at its owner. */
static double *row_at(void **of, int row)
{
    return (double *)of[owner(row)] + row / procs * BLOCK * ATOMS;
}

static void *shared(size_t bytes)
{
    void **at = malloc((size_t)procs * sizeof *at);
    if (!at || ARMCI_Malloc(at, (armci_size_t)bytes) != 0)
        ARMCI_Error("no memory", 1);
    return at;
}

static void get_all(void **of, matrix to)
{
    for (int row = 0; row < BLOCKS; row++)
        ARMCI_Get(row_at(of, row), to[row * BLOCK], BLOCK * (int)sizeof to[0], owner(row));
}

/* Into this process's own rows. */
static void store_own(void **of, matrix from)
{
    for (int row = me; row < BLOCKS; row += procs)
        memcpy(row_at(of, row), from[row * BLOCK], BLOCK * sizeof from[0]);
}

/* Of block (i, j) of the Fock matrix what row k of the density's blocks adds. */
static void task(int i, int j, int k)
{
    double d[BLOCK][BLOCK], share[BLOCK][BLOCK] = { { 0 } }, one = 1;
    int far = ATOMS * sizeof(double), near = sizeof d[0], count[] = { sizeof d[0], BLOCK };
    for (int l = 0; l < BLOCKS; l++) {
        ARMCI_GetS(row_at(density, k) + l * BLOCK, &far, d, &near, count, 1, owner(k));
        for (int a = 0; a < BLOCK; a++)
            for (int b = 0; b < BLOCK; b++)
                for (int c = 0; c < BLOCK; c++)
                    for (int e = 0; e < BLOCK; e++) {
                        int p = i * BLOCK + a, q = j * BLOCK + b, r = k * BLOCK + c,
                            s = l * BLOCK + e;
                        share[a][b] +=
                            d[c][e] * (repulsion(p, q, r, s) - 0.5 * repulsion(p, r, q, s));
                    }
    }
    ARMCI_AccS(ARMCI_ACC_DBL, &one, share, &near, row_at(fock, i) + j * BLOCK, &far, count, 1,
               owner(i));
}

/* Returns how many tasks this process had. */
static int build(void)
{
    int number, had = 0;
    store_own(fock, core);
    if (me == 0)
        *(int *)counter[0] = 0;
    ARMCI_Barrier();
    for (;; had++) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &number, counter[0], 1, 0);
        if (number >= TASKS)
            break;
        task(number / BLOCKS / BLOCKS, number / BLOCKS % BLOCKS, number % BLOCKS);
    }
    ARMCI_Barrier();
    return had;
}

/* The largest difference of an element from the one computed by this process. */
static double difference(matrix f, matrix d)
{
    double most = 0;
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++) {
            double sum = core[i][j];
            for (int k = 0; k < ATOMS; k++)
                for (int l = 0; l < ATOMS; l++)
                    sum += d[k][l] * (repulsion(i, j, k, l) - 0.5 * repulsion(i, k, j, l));
            most = fmax(most, fabs(sum - f[i][j]));
        }
    return most;
}

int main(int argc, char *argv[])
{
    matrix f, d;
    double energy = 0, before = 1, most = 0;
    int rounds = 0, tasks = 0;
    ARMCI_Init_args(&argc, &argv);
    me = armci_msg_me();
    procs = armci_msg_nproc();
    for (int i = 0; i < ATOMS; i++)
        place[i] = i / 2 * 4.4 + i % 2 * 1.4;
    integrals();
    find_root();
    size_t own = (size_t)(BLOCKS - me + procs - 1) / (size_t)procs * BLOCK * sizeof f[0];
    density = shared(own);
    fock = shared(own);
    counter = shared(me == 0 ? sizeof(int) : 0);
    bonds(d);
    while (fabs(energy - before) > 1e-10 && rounds < 60) {
        store_own(density, d);
        ARMCI_Barrier();
        tasks += build();
        get_all(fock, f);
        before = energy;
        energy = energy_of(f, d);
        if (me == 0)
            most = fmax(most, difference(f, d));
        find_density(f, d);
        rounds++;
        ARMCI_Barrier();
    }
    armci_msg_igop(&tasks, 1, "+");
    if (me == 0)
        printf("%d atoms, %d iterations, %d tasks: energy %.6f, %s\n", ATOMS, rounds, tasks, energy,
               most < 1e-11 ? "as by one process" : "NOT as by one process");
    ARMCI_Free(counter[me]);
    ARMCI_Free(fock[me]);
    ARMCI_Free(density[me]);
    ARMCI_Finalize();
    return 0;
}
