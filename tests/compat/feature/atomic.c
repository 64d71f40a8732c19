/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* atomic, of every form, type and order: sums that do not depend on who is first. */
#include <complex.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

#define N 48

static struct {
    char a, b;
    short c;
    unsigned char neighbours[16];
    long long d;
} packed;
static float f;
static double d = 1;
static long double ld;
static _Complex double z;
static unsigned long drawn[N];
static _Bool any;

/* Those of before C11 may be given variables that they are said to protect. */
static void older(void)
{
    static int x, y;
    int was = __sync_fetch_and_add(&x, 3, &y), now = __sync_or_and_fetch(&x, 4, &x, &y);
    int swapped = __sync_bool_compare_and_swap(&x, 7, 9, &y);
    int seen = __sync_val_compare_and_swap(&x, 9, 1), taken = __sync_lock_test_and_set(&y, 5, &x);
    __sync_lock_release(&y, &x);
    printf("%d %d %d %d %d %d %d\n", was, now, swapped, seen, taken, x, y);
}

static void updates(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        packed.a++;
#pragma omp atomic update
        packed.b = packed.b - 1;
#pragma omp atomic
        packed.c += (short)i;
#pragma omp atomic seq_cst
        packed.neighbours[i % 16] += (unsigned char)i;
#pragma omp atomic relaxed
        packed.d = 3 + packed.d;
#pragma omp atomic
        f += 0.5f * (float)i;
#pragma omp atomic acq_rel
        d *= i % 2 ? 2 : 0.5;
#pragma omp atomic
        ld += i;
#pragma omp atomic
        any |= i == 40;
#pragma omp critical
        z += i * I;
    }
    printf("%d %d %d %lld %g %g %Lg %d %g\n", packed.a, packed.b, packed.c, packed.d, f, d, ld, any,
           cimag(z));
    for (int i = 0; i < 16; i++)
        printf("%d ", packed.neighbours[i]);
    printf("\n");
}

/* Every number is drawn once, whichever way. */
static void captures(void)
{
    unsigned long next = 0, wrong = 0, old, now;

#pragma omp parallel for private(old, now)
    for (int i = 0; i < N; i++) {
        switch (i % 4) {
        case 0:
#pragma omp atomic capture
            old = next++;
            break;
        case 1:
#pragma omp atomic capture
            old = ++next;
            old--;
            break;
        case 2:
#pragma omp atomic capture
        {
            old = next;
            next = next + 1;
        } break;
        default:
#pragma omp atomic capture seq_cst
        {
            next += 1;
            now = next;
        }
            old = now - 1;
        }
        drawn[old]++;
    }
    for (int i = 0; i < N; i++)
        wrong += drawn[i] != 1;
    printf("%lu wrong, %lu\n", wrong, next);
}

/* A value that goes round: what each puts in another one takes out. */
static void swaps(void)
{
    int word = 1000, sum = 0;
    double real = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        int before;
#pragma omp atomic capture
        {
            before = word;
            word = i;
        }
        sum += before;
#pragma omp atomic write
        real = 5;
    }
    printf("%d %g\n", sum + word, real);
}

/* C11's compound assignment, which may raise floating-point exceptions. */
static void reals(void)
{
    static _Atomic double sum;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        sum += 0.5;
    printf("%g\n", (double)sum);
}

int main(void)
{
    older(), updates(), captures(), swaps(), reals();
    return 0;
}
