/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs of tasks that several threads run: LU decomposition by blocks, with what it fills in; a
 * wavefront over rows; tasks that are waited for one by one, while locks are held, too. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 7
#define SIZE   24

typedef double block[SIZE][SIZE];

static block *blocks[BLOCKS][BLOCKS];

static block *make_block(void)
{
    return calloc(1, sizeof(block));
}

static void fill(void)
{
    unsigned x = 1325;
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < BLOCKS; j++) {
            if (i != j && i != j - 1 && i - 1 != j && (i + 2 * j) % 3)
                continue;
            block *b = blocks[i][j] = make_block();
            for (int k = 0; k < SIZE * SIZE; k++) {
                x = x * 3125 % 65536;
                (*b)[k / SIZE][k % SIZE] =
                    (x - 32768.0) / 16384 + (i == j && k % (SIZE + 1) == 0) * 99;
            }
        }
}

static void diagonal(block *d)
{
    for (int k = 0; k < SIZE; k++)
        for (int i = k + 1; i < SIZE; i++) {
            (*d)[i][k] /= (*d)[k][k];
            for (int j = k + 1; j < SIZE; j++)
                (*d)[i][j] -= (*d)[i][k] * (*d)[k][j];
        }
}

static void right(block *d, block *b)
{
    for (int k = 0; k < SIZE; k++)
        for (int i = k + 1; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                (*b)[i][j] -= (*d)[i][k] * (*b)[k][j];
}

static void below(block *d, block *b)
{
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++) {
            (*b)[i][k] /= (*d)[k][k];
            for (int j = k + 1; j < SIZE; j++)
                (*b)[i][j] -= (*b)[i][k] * (*d)[k][j];
        }
}

static void inner(block *r, block *c, block *b)
{
    for (int i = 0; i < SIZE; i++)
        for (int k = 0; k < SIZE; k++)
            for (int j = 0; j < SIZE; j++)
                (*b)[i][j] -= (*r)[i][k] * (*c)[k][j];
}

static void step(int k)
{
    block *d = blocks[k][k];
#pragma omp task depend(inout : *d) firstprivate(d)
    diagonal(d);
    for (int j = k + 1; j < BLOCKS; j++) {
        block *b = blocks[k][j], *c = blocks[j][k];
        if (b) {
#pragma omp task depend(in : *d) depend(inout : *b) firstprivate(d, b)
            right(d, b);
        }
        if (c) {
#pragma omp task depend(in : *d) depend(inout : *c) firstprivate(d, c)
            below(d, c);
        }
    }
    for (int i = k + 1; i < BLOCKS; i++)
        for (int j = k + 1; j < BLOCKS; j++) {
            block *r = blocks[i][k], *c = blocks[k][j];
            if (!r || !c)
                continue;
            if (!blocks[i][j])
                blocks[i][j] = make_block();
            block *b = blocks[i][j];
#pragma omp task depend(in : *r, *c) depend(inout : *b) firstprivate(r, c, b)
            inner(r, c, b);
        }
}

static void decompose(void)
{
    double sum = 0;
    fill();
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < BLOCKS; k++)
        step(k);
    for (int k = 0; k < BLOCKS * BLOCKS; k++)
        if (blocks[k / BLOCKS][k % BLOCKS])
            for (int i = 0; i < SIZE * SIZE; i++)
                sum += (*blocks[k / BLOCKS][k % BLOCKS])[i / SIZE][i % SIZE] * (i % 7 + k);
    printf("lu: %.8g\n", sum);
}

#define ROWS    40
#define COLUMNS 600

static long cells[ROWS][COLUMNS];

/* By strips, each of which needs the one before it and the one above. */
static void wavefront(void)
{
    enum { STRIP = 100 };
    for (int j = 0; j < COLUMNS; j++)
        cells[0][j] = j;
#pragma omp parallel
#pragma omp master
    for (int i = 1; i < ROWS; i++)
        for (int s = 0; s < COLUMNS; s += STRIP) {
            long *at = &cells[i][s], *above = &cells[i - 1][s], *before = at - (s ? STRIP : 0);
#pragma omp task depend(in : *above, *before) depend(out : *at) firstprivate(at, above, s)
            for (int j = 0; j < STRIP; j++)
                at[j] = (3 * above[j] + (s + j ? at[j - 1] : 1)) % 1000003;
        }
    printf("wavefront: %ld %ld\n", cells[ROWS - 1][0], cells[ROWS - 1][COLUMNS - 1]);
}

static void spin(void)
{
    volatile unsigned x = 0;
    for (unsigned i = 0; i < 5000; i++)
        x += i;
}

/* Who writes waits for all who read before: they see no value of the next round. */
static void readers(void)
{
    static int value, seen[20][6], wrong;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 20; round++) {
#pragma omp task depend(out : value) firstprivate(round)
        value = round;
        for (int k = 0; k < 6; k++) {
#pragma omp task depend(in : value) firstprivate(round, k)
            {
                spin();
                seen[round][k] = value;
            }
        }
    }
    for (int round = 0; round < 20; round++)
        for (int k = 0; k < 6; k++)
            wrong += seen[round][k] != round;
    printf("readers: %d\n", wrong);
}

/* Who holds the lock waits for one task, behind which others want the lock. libgomp may run those
 * in between, and stand still: there nobody holds it. */
static void one_by_one(void)
{
    enum { TASKS = 20 };
    static omp_lock_t lock;
    static int a[TASKS], sum, last;
    int held = getenv("HLRC_PROTOCOL") != NULL;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : a[i]) firstprivate(i)
            {
                if (i % 3 == 1) {
                    spin();
                    omp_set_lock(&lock);
                    sum += i;
                    omp_unset_lock(&lock);
                }
                a[i] += i;
            }
        }
        if (held)
            omp_set_lock(&lock);
#pragma omp taskwait depend(in : a[TASKS - 12], a[TASKS - 3])
        last = a[TASKS - 3];
        if (held)
            omp_unset_lock(&lock);
#pragma omp task if (0) depend(inout : a[TASKS - 1])
        last += a[TASKS - 1];
#pragma omp taskwait
    }
    omp_destroy_lock(&lock);
    printf("one by one: %d %d %d\n", last, sum, a[TASKS - 2]);
}

int main(void)
{
    decompose(), wavefront(), readers(), one_by_one();
    return 0;
}
