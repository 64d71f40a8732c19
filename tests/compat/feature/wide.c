/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Atomic operations on objects of 16 bytes: none is seen half done, and none is lost. */
#include <stdatomic.h>
#include <stdio.h>

struct pair {
    _Alignas(16) long once;
    long twice;
};
static _Atomic struct pair pair;
static __int128 sum;

static const struct pair none;
/* Half of the additions in the lower word go over into the upper one. */
static const __int128 step = ((__int128)3 << 64) + ((unsigned long)1 << 63);

int main(void)
{
    enum { TIMES = 1000 };
    int torn = 0, threads = 0, swapped = 0;
    for (int region = 0; region < 4; region++) {
#pragma omp parallel reduction(+ : torn, threads, swapped)
        {
            threads++;
            for (int i = 0; i < TIMES; i++) {
                struct pair old = atomic_load(&pair), next;
                do {
                    torn += old.twice != 2 * old.once;
                    next = (struct pair){ old.once + 1, old.twice + 2 };
                } while (!atomic_compare_exchange_weak(&pair, &old, next));
                __atomic_fetch_add(&sum, step, __ATOMIC_SEQ_CST);
            }
#pragma omp barrier
            struct pair old = atomic_exchange(&pair, none);
            torn += old.twice != 2 * old.once;
            swapped += (int)old.once;
        }
    }
    __int128 each = sum / (threads * TIMES);
    printf("%d torn, %d left, sums %ld %lu\n", torn, threads * TIMES - swapped, (long)(each >> 64),
           (unsigned long)each);
    return 0;
}
