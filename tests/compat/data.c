/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What threads of OpenMP have in common, and what each has of its own. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 200

struct node {
    struct node *next;
    int value;
};
struct pair {
    double low, high;
};

static int global_array[N] = { 1, 2, 3 }, zeros[N];
static int *pointer_to_data = &global_array[2];
static int (*function)(int);
static char text[] = "text";
static int own;
#pragma omp threadprivate(own)

#pragma omp declare reduction(widen                                                                \
                              : struct pair                                                        \
                              : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low, \
                                omp_out.high =                                                     \
                                    omp_in.high > omp_out.high ? omp_in.high : omp_out.high)       \
    initializer(omp_priv = { 1e30, -1e30 })

static int twice(int x)
{
    return 2 * x;
}

static void globals(void)
{
    function = twice;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        zeros[i] = function(i) + (i < 3 ? global_array[i] : 0);
        if (i == 5)
            *pointer_to_data = 333;
        if (i == 6)
            text[1] = 'o';
    }
    long sum = 0;
    for (int i = 0; i < N; i++)
        sum += zeros[i] * (i + 1L);
    printf("globals: %ld %d %s\n", sum, global_array[2], text);
}

static void heap(void)
{
    struct node *list = NULL;
    int *array = malloc(N * sizeof *array);
    for (int i = 0; i < 20; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->value = n->value + i;
        n->next = list;
        list = n;
    }
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        array[i] = 3 * i;
    int sum = 0, chained = 0;
#pragma omp parallel
    {
        int mine = 0;
        for (struct node *n = list; n; n = n->next)
            mine += n->value;
#pragma omp single
        chained = mine;
    }
    struct node *others[8] = { NULL };
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; i++) {
        others[i] = malloc(sizeof *others[i]);
        others[i]->value = 10 * i;
    }
    array = realloc(array, 4 * N * sizeof *array);
    for (int i = 0; i < N; i++)
        sum += array[i];
    for (int i = 0; i < 8; i++) {
        sum += others[i]->value;
        free(others[i]);
    }
    char *copy = strdup("a copy");
    printf("heap: %d %d %s\n", sum, chained, copy);
    free(copy);
    free(array);
    while (list) {
        struct node *n = list;
        list = n->next;
        free(n);
    }
}

static void stack(void)
{
    int local[N], sum = 0, first = 5, threads = 0;
    double large[20000];
    for (int i = 0; i < 20000; i++)
        large[i] = i;
    memset(local, 0, sizeof local);
#pragma omp parallel firstprivate(first) shared(local, large)
    {
#pragma omp single
        threads = omp_get_num_threads();
        first += omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < N; i++)
            local[i] += i + (int)large[100 * i];
#pragma omp atomic
        sum += first - omp_get_thread_num();
    }
    long total = 0;
    for (int i = 0; i < N; i++)
        total += local[i];
    printf("stack: %ld %d %d\n", total, sum / threads, first);
}

static void reductions(void)
{
    int sum = 0, product = 1, both = ~0, some = 0, differ = 0, all = 1, any = 0, least = 1 << 30,
        most = -1;
    double d = 0;
    float f = 1;
    long array[4] = { 0 };
    struct pair range = { 1e30, -1e30 };
#pragma omp parallel for reduction(+ : sum, d) reduction(* : product) reduction(& : both) \
    reduction(| : some) reduction(^ : differ) reduction(&& : all) reduction(|| : any)     \
    reduction(min : least) reduction(max : most)
    for (int i = 1; i <= 12; i++) {
        sum += i;
        d += 0.5 * i;
        product *= i % 3 + 1;
        both &= 0xff00 | i;
        some |= 1 << i;
        differ ^= i * 37;
        all = all && i < 100;
        any = any || i == 7;
        least = i * i - 20 * i < least ? i * i - 20 * i : least;
        most = i > most ? i : most;
    }
#pragma omp parallel for reduction(+ : array) reduction(* : f) schedule(dynamic)
    for (int i = 0; i < 16; i++) {
        array[i % 4] += i;
        f *= i % 2 ? 2.0f : 0.5f;
    }
#pragma omp parallel for reduction(widen : range)
    for (int i = 0; i < 50; i++) {
        double x = (i * 37 % 50) - 20;
        range.low = x < range.low ? x : range.low;
        range.high = x > range.high ? x : range.high;
    }
    printf("reductions: %d %g %d %#x %#x %d %d %d %d %d %g %ld %ld %ld %ld %g %g\n", sum, d,
           product, both, some, differ, all, any, least, most, f, array[0], array[1], array[2],
           array[3], range.low, range.high);
}

static void thread_private(void)
{
    int wrong = 0, threads = 0;
    own = -1;
#pragma omp parallel
    own = 100 + omp_get_thread_num();
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        if (own != 100 + omp_get_thread_num()) {
#pragma omp atomic
            wrong++;
        }
    }
    printf("threadprivate: %d wrong, %d\n", wrong, threads > 0 && own == 100);
}

static int depth(int n)
{
    char room[3000];
    memset(room, n, sizeof room);
    return n == 0 ? room[5] : depth(n - 1) + room[n % 100] - n;
}

static void recursion(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 8; i++)
        sum += depth(100) + i;
    printf("recursion: %d\n", sum);
}

static void numbers(void)
{
    int level = 0, active = 0, inner = 0, in = omp_in_parallel();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
            level = omp_get_level();
            active = omp_get_active_level() == (omp_get_num_threads() > 1);
        }
#pragma omp parallel num_threads(1)
        {
#pragma omp master
            if (omp_get_ancestor_thread_num(1) == 0)
                inner = 10 * omp_get_level() + omp_get_team_size(2);
        }
    }
    printf("numbers: %d %d %d %d %d %d\n", level, active, inner, in, omp_get_thread_num(),
           omp_get_num_threads());
    printf("time: %d\n", omp_get_wtime() > 0 && omp_get_wtick() < 1);
}

int main(void)
{
    globals(), heap(), stack(), reductions(), thread_private(), recursion(), numbers();
    return 0;
}
