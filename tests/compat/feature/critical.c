/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Critical regions of many names and of none, with hints, one within another, and in functions that
 * call themselves. */
#include <omp.h>
#include <stdio.h>

static int counts[40], depths;

#define PRAGMA(text) _Pragma(#text)
#define GUARDED(n)   PRAGMA(omp critical(name_##n)) counts[n]++;
#define EIGHT(a, b, c, d, e, f, g, h) \
    GUARDED(a) GUARDED(b) GUARDED(c) GUARDED(d) GUARDED(e) GUARDED(f) GUARDED(g) GUARDED(h)

static void all(void)
{
    EIGHT(0, 1, 2, 3, 4, 5, 6, 7)
    EIGHT(8, 9, 10, 11, 12, 13, 14, 15)
    EIGHT(16, 17, 18, 19, 20, 21, 22, 23)
    EIGHT(24, 25, 26, 27, 28, 29, 30, 31)
    EIGHT(32, 33, 34, 35, 36, 37, 38, 39)
}

static void deeper(int levels)
{
#pragma omp critical(name_0)
    depths++;
    if (levels > 0)
        deeper(levels - 1);
}

int main(void)
{
    int threads = 0, wrong = 0, sum = 0, ordered = 0, unnamed = 0;

    for (int k = 0; k < 4; k++) /* each where the threads are then */
#pragma omp parallel
        for (int i = 0; i < 50; i++)
#pragma omp critical
            unnamed++;

#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int k = 0; k < 5; k++)
            all();
        deeper(10);
#pragma omp critical(outer) hint(omp_sync_hint_contended)
        {
            sum++;
#pragma omp critical(inner) hint(omp_sync_hint_uncontended)
            {
                sum++;
#pragma omp critical
                ordered = ordered + sum % 2;
            }
        }
    }
    for (int i = 0; i < 40; i++)
        wrong += counts[i] != 5 * threads;
    printf("%d of each thread\n", unnamed / threads);
    printf("%d wrong, %d %d %d\n", wrong, depths / threads, sum / threads, ordered);
    return 0;
}
