/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads that compute, and hardly use mutexes: where the program is measured, they are spread
 * while it runs. One holds a mutex for long, and the other one waits for it. */
#include <pthread.h>
#include <stdio.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int entered, left; /* guarded */
static unsigned long sums[2];

static void *hold(void *arg)
{
    pthread_mutex_lock(&mutex);
    entered++;
    compute_for(.8, &sums[0]);
    left++;
    pthread_mutex_unlock(&mutex);
    compute_for(.4, &sums[0]);
    return arg;
}

static void *wait_for_it(void *arg)
{
    compute_for(.5, &sums[1]);
    pthread_mutex_lock(&mutex);
    printf("entered %d, left %d\n", entered, left);
    pthread_mutex_unlock(&mutex);
    compute_for(.3, &sums[1]);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait_for_it, NULL); /* on node 1, if spread */
    pthread_create(&threads[1], NULL, hold, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
