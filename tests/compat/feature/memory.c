/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that threads of all nodes allocate, pass on, resize and give back, and the C library's
 * functions on it. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

struct flags {
    unsigned a : 3, b : 5;
    volatile int v;
    union {
        float f;
        unsigned u;
    } both;
};

static char *lines[N];
static struct flags flags[N];
static int (*operations[2])(int, int);

static int plus(int a, int b)
{
    return a + b;
}

static int times(int a, int b)
{
    return a * b;
}

static int down(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

static int calls(void)
{
    static int n;
    int mine;
#pragma omp atomic capture
    mine = ++n;
    return mine;
}

static long sorted(int seed)
{
    int *numbers = malloc(N * sizeof *numbers), key = (seed * 7) % N, *found;
    long sum = 0;

    for (int i = 0; i < N; i++)
        numbers[i] = (seed * 7 + i * 13) % N;
    qsort(numbers, N, sizeof *numbers, down);
    found = bsearch(&key, numbers, N, sizeof *numbers, down);
    memmove(numbers + 1, numbers, (N - 1) * sizeof *numbers);
    for (int i = 0; i < N; i++)
        sum += (i + 1) * numbers[i];
    sum += found != NULL;
    free(numbers);
    return sum;
}

int main(void)
{
    long total = 0, length = 0;
    int most = 0;

    operations[0] = plus;
    operations[1] = times;
#pragma omp parallel for schedule(static, 1) reduction(+ : total)
    for (int i = 0; i < N; i++) {
        char *line = malloc(8), word[40];
        int n = snprintf(word, sizeof word, "line %d of %s", i, i % 2 ? "odd" : "even");

        strcpy(line, "short");
        line = realloc(line, (size_t)n + 1);
        lines[i] = strcpy(line, word);
        flags[i].a = (unsigned)i;
        flags[i].b = (unsigned)i;
        flags[i].v = operations[i % 2](i, 3);
        flags[i].both.f = (float)i;
        total += sorted(i) + strtol(strchr(word, ' '), NULL, 10);
        calls();
    }
#pragma omp parallel for schedule(static, 3) reduction(+ : length, total)
    for (int i = 0; i < N; i++) {
        char *twice = malloc(2 * strlen(lines[i]) + 1);

        strcat(strcpy(twice, lines[i]), lines[i]);
        length += (long)strlen(twice);
        total += flags[i].a + flags[i].b + flags[i].v + (flags[i].both.u >> 20);
        free(lines[i]);
        lines[i] = twice;
    }
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        free(lines[i]);
    most = calls();
    printf("%ld %ld %d\n", total, length, most);
    return 0;
}
