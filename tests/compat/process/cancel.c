/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cancellation of threads on several nodes, in each kind of wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready, none;
static int ends[2];

static void cleans(void *what)
{
    printf("cleans %s\n", (const char *)what);
}

static void unlocks(void *m)
{
    printf("unlocks %d\n", pthread_mutex_unlock(m));
}

static void *waits_for_signal(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlocks, &mutex);
    sem_post(&ready);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return arg;
}

static void *waits_for_post(void *arg)
{
    pthread_cleanup_push(cleans, "a wait for a semaphore");
    sem_post(&ready);
    while (sem_wait(&none) != 0)
        ;
    pthread_cleanup_pop(0);
    return arg;
}

static void *reads(void *arg)
{
    char c;
    pthread_cleanup_push(cleans, "a read");
    sem_post(&ready);
    while (read(ends[0], &c, 1) < 0)
        ;
    pthread_cleanup_pop(0);
    return arg;
}

static void *sleeps(void *arg)
{
    pthread_cleanup_push(cleans, "a sleep");
    sem_post(&ready);
    sleep(100);
    pthread_cleanup_pop(0);
    return arg;
}

static void *awaits_signal(void *arg)
{
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_cleanup_push(cleans, "a wait for a signal");
    sem_post(&ready);
    sigwait(&set, &sig);
    pthread_cleanup_pop(0);
    return arg;
}

static void *refuses(void *arg)
{
    int old = -1;
    printf("disable %d", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    printf(" %d\n", old == PTHREAD_CANCEL_ENABLE);
    sem_post(&ready);
    for (int i = 0; i < 20; i++)
        usleep(5000);
    printf("still there\n");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    printf("never\n");
    return arg;
}

static void *computes(void *arg)
{
    volatile long n = 0;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&ready);
    while (n >= 0)
        n = (n + 1) % 1000;
    return arg;
}

static void *cancels_itself(void *arg)
{
    sem_post(&ready);
    printf("itself %d\n", pthread_cancel(pthread_self()));
    pthread_testcancel();
    printf("never\n");
    return arg;
}

static void cancel(void *(*fn)(void *))
{
    pthread_t t;
    void *result = NULL;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t, NULL, fn, NULL);
        while (sem_wait(&ready) != 0)
            ;
        usleep(20000);
        int sent = fn == cancels_itself ? 0 : pthread_cancel(t), joined = pthread_join(t, &result);
        printf("cancelled %d %d %d\n", sent, joined, result == PTHREAD_CANCELED);
    }
}

int main(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&none, 0, 0);
    if (pipe(ends) != 0)
        return 2;
    cancel(waits_for_signal);
    printf("mutex is free %d\n", pthread_mutex_trylock(&mutex));
    cancel(waits_for_post);
    cancel(reads);
    cancel(sleeps);
    cancel(awaits_signal);
    cancel(refuses);
    cancel(computes);
    cancel(cancels_itself);
    return 0;
}
