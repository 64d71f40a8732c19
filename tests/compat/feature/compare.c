/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* atomic compare: the largest, the smallest, and a lock made of compare and swap. */
#include <omp.h>
#include <stdio.h>

#define N 200

static int highest = -1, lowest = 1000, owner = -1, guarded;
static unsigned long long claims;
static double most;

int main(void)
{
    int took = 0;

#pragma omp parallel for schedule(dynamic, 3)
    for (int i = 0; i < N; i++) {
        int x = i * 37 % N;

#pragma omp atomic compare
        highest = highest < x ? x : highest;
#pragma omp atomic compare
        lowest = x < lowest ? x : lowest;
#pragma omp atomic compare seq_cst
        most = most < x * 0.5 ? x * 0.5 : most;
    }
#pragma omp parallel for reduction(+ : took)
    for (int i = 0; i < N; i++) {
        unsigned long long seen;
#pragma omp atomic compare capture
        {
            seen = claims;
            if (claims == 0) {
                claims = 7;
            }
        }
        took += seen == 0;
    }
#pragma omp parallel for
    for (int i = 0; i < 30; i++) {
        int was;
        do {
#pragma omp atomic compare capture acq_rel
            {
                was = owner;
                if (owner == -1) {
                    owner = i;
                }
            }
        } while (was != -1);
        guarded += 3;
#pragma omp atomic write release
        owner = -1;
    }
    printf("%d %d %g %d %llu %d\n", highest, lowest, most, took, claims, guarded);
    return 0;
}
