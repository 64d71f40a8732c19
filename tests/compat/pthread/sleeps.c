/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads that compute: where the program is measured, they are spread while it runs. Others
 * sleep since before that, and each computing thread wakes some, from any node. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t posted, answered;
static int stage; /* guarded by the mutex */
static unsigned long sums[2];

static void *wait_for_units(void *arg)
{
    int *got = arg;
    for (int i = 0; i < 20; i++) {
        sem_wait(&posted);
        ++*got;
        sem_post(&answered);
    }
    return arg;
}

static void *wait_for_stages(void *arg)
{
    int *seen = arg;
    pthread_mutex_lock(&mutex);
    for (int s = 1; s <= 20; s++) {
        while (stage < s)
            pthread_cond_wait(&changed, &mutex);
        ++*seen;
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *wait_for_lock(void *arg)
{
    int *got = arg;
    pthread_rwlock_wrlock(&lock);
    ++*got;
    pthread_rwlock_unlock(&lock);
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *post(void *arg)
{
    for (int i = 0; i < 20; i++) {
        compute_for(i == 0 ? .8 : .01, &sums[0]);
        sem_post(&posted);
        sem_wait(&answered);
    }
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *change(void *arg)
{
    for (int i = 0; i < 20; i++) {
        compute_for(i == 0 ? .9 : .01, &sums[1]);
        pthread_mutex_lock(&mutex);
        stage++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    static void *(*const bodies[])(
        void *) = { change, post, wait_for_units, wait_for_stages, wait_for_stages, wait_for_lock };
    enum { THREADS = sizeof bodies / sizeof *bodies };
    static int counts[THREADS];
    pthread_t threads[THREADS];
    sem_init(&posted, 0, 0);
    sem_init(&answered, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_rwlock_rdlock(&lock);
    for (int i = THREADS; i-- > 0;)
        pthread_create(&threads[i], NULL, bodies[i], &counts[i]);
    pthread_join(threads[0], NULL);
    pthread_rwlock_unlock(&lock);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("units %d, stages %d and %d, locks %d\n", counts[2], counts[3], counts[4], counts[5]);
    return 0;
}
