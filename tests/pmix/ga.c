/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program of Global Arrays and MPI, against the same computed within each process: patches,
 * accumulation, elements, a shared counter, locks, ghost cells, products, groups and their
 * communicators. Prints "N processes: right". Linked with libhlrc_armci, or with another ARMCI.
 */
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 60

static int me, procs;

#define RIGHT(condition) right(condition, #condition, __LINE__)

static void right(int condition, const char *what, int line)
{
    if (condition)
        return;
    fprintf(stderr, "process %d, line %d: %s\n", me, line, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double value(int i, int j)
{
    return i * 1000 + j;
}

/* Each process writes some rows and reads a patch that crosses owners. */
static void patches(int a)
{
    double row[N], patch[20][15];
    int lo[2], hi[2], one = N, ld = 15;
    GA_Zero(a);
    for (int i = me; i < N; i += procs) {
        for (int j = 0; j < N; j++)
            row[j] = value(i, j);
        lo[0] = hi[0] = i;
        lo[1] = 0;
        hi[1] = N - 1;
        NGA_Put(a, lo, hi, row, &one);
    }
    GA_Sync();
    lo[0] = 20, hi[0] = 39, lo[1] = 23, hi[1] = 37;
    ga_nbhdl_t handle;
    NGA_NbGet(a, lo, hi, patch, &ld, &handle);
    NGA_NbWait(&handle);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 15; j++)
            RIGHT(patch[i][j] == value(20 + i, 23 + j));
    GA_Sync();
    double half = 0.5;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 15; j++)
            patch[i][j] = 1;
    NGA_Acc(a, lo, hi, patch, &ld, &half);
    NGA_NbAcc(a, lo, hi, patch, &ld, &half, &handle);
    NGA_NbWait(&handle);
    GA_Sync();
    NGA_Get(a, lo, hi, patch, &ld);
    RIGHT(patch[3][4] == value(23, 27) + procs);
    NGA_Distribution(a, me, lo, hi);
    if (lo[0] >= 0 && lo[0] <= hi[0]) { /* by loads */
        double *mine;
        NGA_Access(a, lo, hi, &mine, &ld);
        int in = lo[0] >= 20 && lo[0] < 40 && lo[1] >= 23 && lo[1] < 38;
        RIGHT(mine[0] == value(lo[0], lo[1]) + (in ? procs : 0));
        NGA_Release(a, lo, hi);
    }
    GA_Sync();
}

/* Scattered and gathered; and the largest. */
static void elements(int a)
{
    enum { COUNT = 40 };
    int subscripts[COUNT][2], *at[COUNT], index[2];
    double v[COUNT], got[COUNT], most = 0;
    GA_Zero(a);
    for (int i = 0; i < COUNT; i++) {
        subscripts[i][0] = (i * 7 + me) % N;
        subscripts[i][1] = (i * procs + me) % N;
        at[i] = subscripts[i];
        v[i] = value(me + 1, i);
        for (int k = 0; k < i; k++) /* once each */
            if (subscripts[k][0] == subscripts[i][0] && subscripts[k][1] == subscripts[i][1])
                subscripts[i][0] = (subscripts[i][0] + 1) % N, k = -1;
    }
    for (int turn = 0; turn < procs; turn++) {
        if (turn == me) {
            NGA_Scatter(a, v, at, COUNT);
            NGA_Gather(a, got, at, COUNT);
            RIGHT(memcmp(v, got, sizeof v) == 0);
        }
        GA_Sync();
    }
    NGA_Select_elem(a, "max", &most, index);
    RIGHT(most == value(procs, COUNT - 1));
}

/* Numbers from a counter are given once, and a sum under a mutex loses nothing. */
static void counters(void)
{
    int dims[] = { 2 }, zero = 0, one = 1, ld = 1;
    int c = NGA_Create(C_LONG, 1, dims, "counter", NULL), sum = 0;
    long held;
    GA_Zero(c);
    for (int i = 0; i < 100; i++)
        sum += (int)NGA_Read_inc(c, &zero, 1);
    GA_Igop(&sum, 1, "+");
    RIGHT(sum == 100 * procs * (100 * procs - 1) / 2);
    RIGHT(GA_Create_mutexes(1));
    for (int i = 0; i < 20; i++) {
        GA_Lock(0);
        NGA_Get(c, &one, &one, &held, &ld);
        held += me + 1;
        NGA_Put(c, &one, &one, &held, &ld);
        GA_Init_fence();
        GA_Fence();
        GA_Unlock(0);
    }
    GA_Sync();
    NGA_Get(c, &one, &one, &held, &ld);
    RIGHT(held == 20 * procs * (procs + 1) / 2);
    GA_Destroy_mutexes();
    GA_Destroy(c);
}

/* Each element's neighbours, of a periodic array. */
static void ghosts(void)
{
    int dims[] = { 24, 18 }, width[] = { 1, 1 }, lo[2], hi[2], size[2], ld;
    int g = NGA_Create_ghosts(C_INT, 2, dims, width, "ghosts", NULL), *cell;
    NGA_Distribution(g, me, lo, hi);
    NGA_Access_ghosts(g, size, &cell, &ld);
    int rows = hi[0] - lo[0] + 1, columns = hi[1] - lo[1] + 1;
    for (int i = 0; lo[0] >= 0 && i < rows; i++)
        for (int j = 0; j < columns; j++)
            cell[(i + 1) * ld + j + 1] = (lo[0] + i) * 100 + lo[1] + j;
    NGA_Release_update_ghosts(g);
    GA_Update_ghosts(g);
    NGA_Access_ghosts(g, size, &cell, &ld);
    for (int i = -1; lo[0] >= 0 && i <= rows; i++)
        for (int j = -1; j <= columns; j++)
            RIGHT(cell[(i + 1) * ld + j + 1] ==
                  (lo[0] + i + dims[0]) % dims[0] * 100 + (lo[1] + j + dims[1]) % dims[1]);
    NGA_Release_ghosts(g);
    GA_Destroy(g);
}

/* C = A B, of small whole numbers. */
static void product(int a)
{
    int b = GA_Duplicate(a, "b"), c = GA_Duplicate(a, "c"), lo[2], hi[2], ld = N;
    double row[N];
    for (int i = me; i < N; i += procs) {
        lo[0] = hi[0] = i;
        lo[1] = 0;
        hi[1] = N - 1;
        for (int j = 0; j < N; j++)
            row[j] = (i * 3 + j) % 11;
        NGA_Put(a, lo, hi, row, &ld);
        for (int j = 0; j < N; j++)
            row[j] = (i + j * 5) % 7;
        NGA_Put(b, lo, hi, row, &ld);
    }
    GA_Sync();
    GA_Dgemm('n', 'n', N, N, N, 1, a, b, 0, c);
    double dot = 0;
    for (int i = 0; i < N; i++) {
        lo[0] = hi[0] = i;
        lo[1] = 0;
        hi[1] = N - 1;
        NGA_Get(c, lo, hi, row, &ld);
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (i * 3 + k) % 11 * ((k + j * 5) % 7);
            RIGHT(row[j] == sum);
            dot += sum * sum;
        }
    }
    RIGHT(GA_Ddot(c, c) == dot);
    GA_Destroy(b);
    GA_Destroy(c);
}

/* An array of each half of the processes. */
static void halves(void)
{
    int *list = malloc((size_t)procs * sizeof *list), count = 0, dims[] = { 30 };
    for (int p = 0; p < procs; p++)
        if (p % 2 == me % 2)
            list[count++] = p;
    int group = GA_Pgroup_create(list, count);
    GA_Pgroup_set_default(group);
    RIGHT(GA_Nnodes() == count && GA_Nodeid() == me / 2);
    int h = NGA_Create(C_INT, 1, dims, "half", NULL), zero = 0, end = 29, ld = 1, got[30];
    for (int i = 0; i < 30; i++)
        got[i] = 100 * (me % 2) + i;
    if (GA_Nodeid() == count - 1)
        NGA_Put(h, &zero, &end, got, &ld);
    GA_Sync();
    memset(got, 0, sizeof got);
    NGA_Get(h, &zero, &end, got, &ld);
    RIGHT(got[0] == 100 * (me % 2) && got[29] == got[0] + 29);
    double x = me;
    GA_Dgop(&x, 1, "max");
    RIGHT(x == list[count - 1]);
    int word = GA_Nodeid() == 0 ? me + 5 : 0, size = 0;
    GA_Brdcst(&word, sizeof word, 0);
    RIGHT(word == list[0] + 5);
    MPI_Comm_size(GA_MPI_Comm_pgroup(group), &size);
    RIGHT(size == count);
    MPI_Bcast(&word, 1, MPI_INT, count - 1, GA_MPI_Comm_pgroup(group));
    GA_Destroy(h);
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    GA_Pgroup_destroy(group);
    MPI_Comm_size(GA_MPI_Comm(), &size);
    RIGHT(size == procs);
    free(list);
}

int main(int argc, char *argv[])
{
    int dims[] = { N, N };
    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_DBL, 100000, 100000);
    me = GA_Nodeid();
    procs = GA_Nnodes();
    int a = NGA_Create(C_DBL, 2, dims, "a", NULL);
    patches(a);
    elements(a);
    counters();
    ghosts();
    product(a);
    halves();
    GA_Destroy(a);
    GA_Sync();
    if (me == 0)
        printf("%d processes: right\n", procs);
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
