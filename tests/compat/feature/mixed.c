/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A word that some change by `omp atomic`, others by the older builtins, which are instructions. */
#include <stdio.h>

#define TIMES 300

static int word;

int main(void)
{
#pragma omp parallel for
    for (int i = 0; i < 2 * TIMES; i++) {
        if (i % 2 == 0) {
#pragma omp atomic
            word += 3;
        } else {
            __sync_fetch_and_add(&word, 5);
        }
    }
    printf("%d\n", word);
    return 0;
}
