/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loops whose iterations wait for others: wavefronts of two and three loops, of every schedule. */
#include <omp.h>
#include <stdio.h>

#define N 24

static long plane[N][N], space[N][N][4], line[4][100];

static void expect(const char *what, long holds)
{
    printf("%s: %ld\n", what, holds);
}

#define WAVE(schedule_clause)                                                                \
    _Pragma("omp parallel") for (int k = 0; k < 3; k++)                                      \
    {                                                                                        \
        _Pragma("omp single") for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)        \
            plane[i][j] = (i == 0) + j;                                                      \
        _Pragma(schedule_clause) for (int i = 1; i < N; i++) for (int j = 1; j < N - 1; j++) \
        {                                                                                    \
            _Pragma("omp ordered depend(sink : i - 1, j + 1) depend(sink : i, j - 1)")       \
                plane[i][j] = (plane[i - 1][j + 1] * 3 + plane[i][j - 1] + k) % 10007;       \
            _Pragma("omp ordered depend(source)")                                            \
        }                                                                                    \
    }

static long sum(void)
{
    long s = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s = (s * 31 + plane[i][j]) % 1000003;
    return s;
}

/* More loops than a program has; the outermost has iterations that wait. */
#define DEEP(x)   for (int x = 0; x < 1; x++)
#define DEEPER(a) DEEP(a##0) DEEP(a##1) DEEP(a##2) DEEP(a##3) DEEP(a##4) DEEP(a##5)
static void deep(void)
{
    static int counts[40];
#pragma omp parallel for ordered(25)
    for (int i = 1; i < 40; i++)
        DEEPER(a)
    DEEPER(b) DEEPER(c) DEEPER(d)
    {
#pragma omp ordered depend(sink                                                                 \
                           : i - 1, a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5, c0, c1, c2, \
                             c3, c4, c5, d0, d1, d2, d3, d4, d5)
        counts[i] = counts[i - 1] + i;
#pragma omp ordered depend(source)
    }
    expect("deep", counts[39]);
}

/* Several without a barrier between them; one in which numbers go down, one of unsigned ones. */
static void chains(void)
{
#pragma omp parallel
    {
        for (int k = 0; k < 4; k++) {
#pragma omp for ordered(1) schedule(dynamic, 2) nowait
            for (int i = 1; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
                line[k][i] = line[k][i - 1] + k;
#pragma omp ordered depend(source)
            }
        }
#pragma omp barrier
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 98; i >= 50; i--) {
#pragma omp ordered depend(sink : i + 1)
            line[0][i] = line[0][i + 1] * 7 % 1009 + (long)i;
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(1) schedule(static, 3)
        for (unsigned long long i = 1; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
            line[3][i] += line[3][i - 1] % 100;
#pragma omp ordered depend(source)
        }
    }
}

static void cube(void)
{
#pragma omp parallel for collapse(2) ordered(3) schedule(guided)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 1; k < 4; k++) {
                long left;
#pragma omp ordered depend(sink : i, j - 1, k) depend(sink : i - 1, j, k - 1)
                left = j > 0 ? space[i][j - 1][k] : 1;
                space[i][j][k] = (left * 5 + (i > 0 ? space[i - 1][j][k - 1] : 2)) % 9973;
#pragma omp ordered depend(source)
            }
}

/* In a region of one thread within one of several. */
static void inner(void)
{
    long made[8] = { 0 };
#pragma omp parallel for schedule(static, 1) ordered(1)
    for (int k = 0; k < 8; k++) {
        long own[10] = { k };
#pragma omp parallel for ordered(1) num_threads(1)
        for (int i = 1; i < 10; i++) {
#pragma omp ordered depend(sink : i - 1)
            own[i] = own[i - 1] * 2 + 1;
#pragma omp ordered depend(source)
        }
#pragma omp ordered depend(sink : k - 1)
        made[k] = own[9] + (k > 0 ? made[k - 1] : 0);
#pragma omp ordered depend(source)
    }
    expect("inner", made[7]);
}

int main(void)
{
    WAVE("omp for ordered(2)");
    expect("static", sum());
    WAVE("omp for ordered(2) schedule(static, 2)");
    expect("static, 2", sum());
    WAVE("omp for ordered(2) schedule(dynamic)");
    expect("dynamic", sum());
    WAVE("omp for ordered(2) schedule(guided, 3)");
    expect("guided", sum());
    WAVE("omp for ordered(2) schedule(runtime)");
    expect("runtime", sum());
    deep();
    chains();
    expect("chains", line[3][49] * 10000 + line[0][50]);
    cube();
    expect("cube", space[N - 1][N - 1][3]);
    inner();
    return 0;
}
