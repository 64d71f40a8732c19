/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* common.h - what the programs of tests/compat/pthread.sh check with: a line of each section, and
 * what was not as expected. Whatever they print is the same on one machine. */
#ifndef COMPAT_TEST_COMMON_H
#define COMPAT_TEST_COMMON_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline void done(const char *section, long figure)
{
    printf("%s: %ld\n", section, figure);
    fflush(stdout);
}

#define EXPECT(cond)                                                  \
    do {                                                              \
        if (!(cond)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
            fflush(stdout);                                           \
        }                                                             \
    } while (0)

static inline struct timespec after_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* Without a call of the system that waits. */
static inline void compute_for(double seconds, unsigned long *sum)
{
    struct timespec end = after_ms(CLOCK_MONOTONIC, (long)(seconds * 1000)), now;
    do {
        for (int i = 0; i < 100000; i++)
            *sum = *sum * 3 + 1;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

/* Starts n threads of fn(0), fn(1), ..., and joins them. */
static inline void with_threads(int n, void *(*fn)(void *))
{
    pthread_t *t = calloc((size_t)n, sizeof *t);
    for (long i = 0; i < n; i++)
        EXPECT(pthread_create(&t[i], NULL, fn, (void *)i) == 0);
    for (long i = 0; i < n; i++)
        EXPECT(pthread_join(t[i], NULL) == 0);
    free(t);
}

#endif
