/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A word that some change by `omp atomic`, others by an instruction. */
#include <stdio.h>

#define TIMES 3000

static int word;

int main(void)
{
#pragma omp parallel for
    for (int i = 0; i < 2 * TIMES; i++) {
        if (i % 2 == 0) {
#pragma omp atomic
            word += 3;
        } else {
            __asm__ volatile("lock addl %1, %0" : "+m"(word) : "r"(5));
        }
    }
    printf("%d\n", word);
    return 0;
}
