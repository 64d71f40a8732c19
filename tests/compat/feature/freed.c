/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of malloc and calloc that one thread frees and another allocated, in all sizes: blocks
 * do not overlap, calloc's are zero. Prints how many were wrong.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 2048
#define STEPS 1500

static unsigned char *slot[SLOTS];
static size_t length[SLOTS];

static unsigned char content(unsigned s)
{
    return (unsigned char)(s * 31 + length[s] + 1);
}

static int check(unsigned s)
{
    for (size_t i = 0; i < length[s]; i++)
        if (slot[s][i] != content(s))
            return 1;
    return 0;
}

/* Most are small, a few are runs of pages. */
static size_t length_of(unsigned random)
{
    unsigned most = random & 3 ? 300 : random & 0x1f0 ? 5000 : 150000;
    return 1 + random / 512 % most;
}

static int fill(unsigned s, unsigned random)
{
    int wrong = 0;
    length[s] = length_of(random);
    if (random & 4) {
        slot[s] = calloc(1, length[s]);
        for (size_t i = 0; i < length[s]; i++)
            wrong |= slot[s][i] != 0;
    } else {
        slot[s] = malloc(length[s]);
    }
    memset(slot[s], content(s), length[s]);
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (int round = 0; round < 12; round++) {
#pragma omp parallel reduction(+ : wrong)
        {
            unsigned me = (unsigned)omp_get_thread_num(), all = (unsigned)omp_get_num_threads();
            unsigned random = me * 7919 + (unsigned)round;
            for (int k = 0; k < STEPS; k++) {
                random = random * 1103515245 + 12345;
                unsigned s = (random >> 8) % (SLOTS / all) * all + (me + (unsigned)round) % all;
                if (slot[s]) {
                    wrong += check(s);
                    free(slot[s]);
                    slot[s] = NULL;
                } else {
                    wrong += fill(s, random >> 4);
                }
            }
        }
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
