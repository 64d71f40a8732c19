/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lines.c - for resize.sh: a team, with a line of each step on standard error. Another thread
 * writes numbers to standard output all the time, each in one call. Ends with status 7.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define ITEMS 50000
#define STEPS 150

static uint64_t item[ITEMS];
static atomic_int ends;

static void *count(void *unused)
{
    char line[32];
    (void)unused;
    for (int i = 0; !ends; i++) {
        int len = snprintf(line, sizeof line, "%d\n", i);
        if (write(1, line, (size_t)len) != len)
            return NULL;
        usleep(1000);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    for (int s = 0; s < STEPS; s++) {
        uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < ITEMS; i++) {
            item[i] = item[i] * UINT64_C(6364136223846793005) + (uint64_t)(i + s);
            sum += item[i] >> 7;
        }
        char line[64];
        int len = snprintf(line, sizeof line, "step %d %llx\n", s, (unsigned long long)sum);
        if (write(2, line, (size_t)len) != len)
            return 1;
        usleep(10000);
    }
    ends = 1;
    pthread_join(thread, NULL);
    return 7;
}
