/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads on all nodes in turn, one at a time or at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3

static void *run_in(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    void *result = NULL;
    if (pthread_create(&t, NULL, fn, arg) != 0 || pthread_join(t, &result) != 0) {
        printf("no thread\n");
        exit(2);
    }
    return result;
}

/* Each node runs it at least once, with the numbers from 0. */
static void run_everywhere(void *(*fn)(void *))
{
    for (long i = 0; i < THREADS; i++)
        run_in(fn, (void *)i);
}
