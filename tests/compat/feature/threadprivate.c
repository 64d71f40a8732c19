/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables of a thread: what they begin with, that they last from region to region, and copyin. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int number = 17;
static struct {
    int calls;
    double room[1000];
} state = { 3, { 1.5, 2.5 } };
static int *pointer;
#pragma omp threadprivate(number, state, pointer)

static int next(void)
{
    static int calls = 5;
#pragma omp threadprivate(calls)
    return ++calls;
}

int main(void)
{
    int wrong = 0, all = 0;

#pragma omp parallel reduction(+ : wrong)
    {
        wrong += number != 17 || state.calls != 3 || state.room[1] != 2.5 || pointer != NULL;
        number = omp_get_thread_num();
        pointer = &number;
        state.calls++;
        wrong += next() != 6;
    }
#pragma omp parallel reduction(+ : wrong)
    {
        wrong += number != omp_get_thread_num() || *pointer != number || state.calls != 4;
        wrong += next() != 7;
    }
    for (int k = 0; k < 6; k++) { /* also where threads change between nodes */
#pragma omp parallel reduction(+ : wrong)
        {
            wrong += state.calls != 4 + k || state.room[0] != 1.5;
            state.calls++;
            wrong += next() != 8 + k;
        }
    }
    number = 1000;
    state.room[999] = 5;
    pointer = malloc(sizeof *pointer);
    *pointer = 77;
    for (int k = 0; k < 4; k++) {
        state.calls = 50 + k;
#pragma omp parallel copyin(number, state, pointer) reduction(+ : wrong)
        {
            wrong += number != 1000 || state.room[999] != 5 || state.calls != 50 + k;
            wrong += *pointer != 77;
            if (omp_get_thread_num() > 0)
                number = -1, state.calls = -1;
        }
    }
#pragma omp parallel for reduction(+ : all) firstprivate(wrong)
    for (int i = 0; i < 30; i++) {
        number = i;
        all += number + wrong;
    }
    printf("%d wrong, %d\n", wrong, all);
    return 0;
}
