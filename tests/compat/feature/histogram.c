/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Atomic updates alone, of integers of several sizes, among stores beside them; nobody looks at the
 * words before the barriers. */
#include <stdio.h>

#define BINS  61
#define TRIES 600

static int counts[BINS];
static long sums[BINS];
static unsigned bits[BINS];
static short narrow[BINS];
static unsigned long wide[BINS];
static int plain[TRIES];
static long first;

static void round_of(int salt)
{
#pragma omp for
    for (int i = 0; i < TRIES; i++) {
        int bin = (i * 7 + salt) % BINS;
        plain[i] += bin;
#pragma omp atomic
        counts[bin]++;
#pragma omp atomic update
        sums[bin] -= i;
#pragma omp atomic
        bits[bin] |= 1u << i % 32;
#pragma omp atomic
        narrow[bin] += 3;
#pragma omp atomic
        wide[bin] ^= (unsigned long)i << 33;
    }
}

static long digest(void)
{
    long all = 0;
    for (int b = 0; b < BINS; b++)
        all = all * 31 + counts[b] + sums[b] + (long)bits[b] + narrow[b] + (long)(wide[b] >> 30);
    for (int i = 0; i < TRIES; i++)
        all = all * 7 + plain[i];
    return all;
}

int main(void)
{
    counts[3] = 5; /* not published yet, when the first atomic is made */
#pragma omp parallel
    {
        round_of(0);
#pragma omp single
        {
            first = digest();
            counts[4] += 10;
        }
        round_of(5);
    }
    printf("%ld\n%ld\n", first, digest());
    return 0;
}
