/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* private, firstprivate, lastprivate and linear, of values, arrays and structures. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct point {
    double x, y;
    char label[20];
};

static void arrays(int n)
{
    int wrong = 0, several[n], fixed[500];
    struct point p = { 1, 2, "first" }, last = { 0, 0, "" };

    for (int i = 0; i < n; i++)
        several[i] = i;
    memset(fixed, 1, sizeof fixed);
#pragma omp parallel for firstprivate(several, fixed, p) lastprivate(last) reduction(+ : wrong)
    for (int i = 0; i < 40; i++) {
        wrong += several[n - 1] != n - 1 || fixed[499] != 0x01010101 || p.y != 2;
        wrong += strcmp(p.label, "first") != 0;
        several[i % (n - 1)] = i % (n - 1);
        last = p;
        last.x = i;
    }
#pragma omp parallel private(several) reduction(+ : wrong)
    {
        memset(several, 0, sizeof several);
        wrong += several[n / 2] != 0;
    }
    printf("%d wrong, %g %s, %d\n", wrong, last.x, last.label, several[n - 1]);
}

static void both(void)
{
    int x = 100, array[3] = { 1, 2, 3 }, at = 5, wrong = 0;
    long where = 0;

#pragma omp parallel for firstprivate(x, array) lastprivate(x, array) schedule(dynamic, 2)
    for (int i = 0; i < 25; i++) {
        x = i + 1;
        array[2] = x * 2;
    }
#pragma omp parallel for linear(at : 3) reduction(+ : wrong)
    for (int i = 0; i < 30; i++) {
        wrong += at != 5 + 3 * i;
        at += 3;
    }
#pragma omp parallel sections lastprivate(where) firstprivate(x)
    {
#pragma omp section
        where = x;
#pragma omp section
        where = 10 * x;
    }
    printf("%d %d, %d wrong, %d, %ld\n", x, array[2], wrong, at, where);
}

int main(void)
{
    int outer = 3;

    arrays(300), both();
#pragma omp parallel default(none) shared(outer)
    {
        int inner = outer;
#pragma omp barrier
#pragma omp single
        outer += inner;
    }
    printf("%d\n", outer);
    return 0;
}
