/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one thread has read is everybody's: of every kind of variable. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    int number;
    char name[40];
    double values[300];
};

static struct record own;
static char *text;
#pragma omp threadprivate(own, text)

static long check(const struct record *r, int number)
{
    long wrong = r->number != number || strcmp(r->name, "a name") != 0;

    for (int i = 0; i < 300; i++)
        wrong += r->values[i] != number + i;
    return wrong;
}

static void fill(struct record *r, int number)
{
    r->number = number;
    strcpy(r->name, "a name");
    for (int i = 0; i < 300; i++)
        r->values[i] = number + i;
}

static long rounds(int n)
{
    long wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    for (int k = 0; k < 12; k++) {
        struct record local;
        int several[n], *heap;
        float a;
        char c;

#pragma omp single copyprivate(local, several, heap, a, c)
        {
            fill(&local, k);
            for (int i = 0; i < n; i++)
                several[i] = i * k;
            heap = malloc(sizeof *heap);
            *heap = 5 * k;
            a = (float)k / 2;
            c = (char)k;
        }
        wrong += check(&local, k);
        for (int i = 0; i < n; i++)
            wrong += several[i] != i * k;
        wrong += *heap != 5 * k || a * 2 != (float)k || c != k;
#pragma omp single copyprivate(own, text)
        {
            fill(&own, 100 + k);
            text = strdup("text of the heap");
        }
        wrong += check(&own, 100 + k) + (strcmp(text, "text of the heap") != 0);
#pragma omp barrier
#pragma omp single
        {
            free(heap);
            free(text);
        }
    }
    return wrong;
}

int main(void)
{
    printf("%ld wrong\n", rounds(500));
    return 0;
}
