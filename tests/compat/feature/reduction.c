/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reductions of pointers, of arrays whose length is known late, of small types and of own kinds. */
#include <complex.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 400

struct list {
    int count;
    int seen[N];
};

static void list_add(struct list *to, const struct list *from)
{
    for (int i = 0; i < from->count; i++)
        to->seen[to->count++] = from->seen[i];
}

static char *longer(char *a, char *b)
{
    return strlen(b) > strlen(a) ? b : a;
}

#pragma omp declare reduction(join                           \
                              : struct list                  \
                              : list_add(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct list){ 0, { 0 } })
#pragma omp declare reduction(longest : char * : omp_out = longer(omp_out, omp_in)) \
    initializer(omp_priv = (char *)"")
#pragma omp declare reduction(product           \
                              : _Complex double \
                              : omp_out *= omp_in) initializer(omp_priv = 1)

static void sections_of_arrays(int n)
{
    double *histogram = calloc((size_t)n, sizeof *histogram), sum = 0;
    long rows[4][8] = { { 0 } };
    int local[n];

    memset(local, 0, sizeof local);
#pragma omp parallel for reduction(+ : histogram[:n]) reduction(+ : rows[1:2][:]) \
    reduction(max : local)
    for (int i = 0; i < 10 * n; i++) {
        histogram[i % n] += i;
        rows[1 + i % 2][i % 8] += 1;
        local[i % n] = i > local[i % n] ? i : local[i % n];
    }
    for (int i = 0; i < n; i++)
        sum += histogram[i] * i + local[i];
    printf("%.0f %ld %ld %ld\n", sum, rows[0][0], rows[1][2], rows[2][3]);
    free(histogram);
}

static void small_types(void)
{
    bool all = true, any = false;
    unsigned char byte = 0;
    signed char low = 100;
    short high = -100;
    unsigned long long bits = 0;
    long double sum = 0;
    float _Complex z = 0;

#pragma omp parallel for reduction(&& : all) reduction(|| : any) reduction(+ : byte, sum, z) \
    reduction(min : low) reduction(max : high) reduction(^ : bits)
    for (int i = 0; i < 70; i++) {
        all = all && i < 69;
        any = any || i == 69;
        byte = (unsigned char)(byte + i);
        low = (signed char)(50 - i) < low ? (signed char)(50 - i) : low;
        high = (short)(i * 3) > high ? (short)(i * 3) : high;
        bits ^= 1ull << (i % 64);
        sum += i;
        z += i - 2 * i * I;
    }
    printf("%d %d %d %d %d %llx %Lg %g %g\n", all, any, byte, low, high, bits, sum, crealf(z),
           cimagf(z));
}

static void own_kinds(void)
{
    struct list all = { 0, { 0 } };
    char *words[] = { "of", "several", "words", "the longest", "wins" }, *word = "";
    _Complex double turned = 1;
    int hits[N] = { 0 }, wrong = 0;

#pragma omp parallel for reduction(join : all) schedule(dynamic, 7)
    for (int i = 0; i < N; i++)
        all.seen[all.count++] = i;
    for (int i = 0; i < N; i++)
        hits[all.seen[i]]++;
    for (int i = 0; i < N; i++)
        wrong += hits[i] != 1;
#pragma omp parallel for reduction(longest : word) reduction(product : turned)
    for (int i = 0; i < 5; i++) {
        word = strlen(words[i]) > strlen(word) ? words[i] : word;
        turned *= I;
    }
    printf("%d %d %s %g %g\n", all.count, wrong, word, creal(turned), cimag(turned));
}

/* In a region, twice, and by an orphaned loop. */
static int total;

static void add(int n)
{
#pragma omp for reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += i;
}

int main(void)
{
    sections_of_arrays(700), small_types(), own_kinds();
#pragma omp parallel
    {
        add(10);
        add(100);
    }
    printf("%d\n", total);
    return 0;
}
