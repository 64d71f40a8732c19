/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Robust mutexes, named semaphores, and clocks that no wait has. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static pthread_mutex_t mutex;
static sem_t *named;

static void *ends_as_owner(void *arg)
{
    printf("lock %s\n", strerror(pthread_mutex_lock(&mutex)));
    return arg;
}

static void *repairs(void *arg)
{
    int rc = pthread_mutex_lock(&mutex);
    printf("lock %d", rc == EOWNERDEAD);
    if (arg)
        printf(", consistent %d", pthread_mutex_consistent(&mutex));
    printf(", unlock %d", pthread_mutex_unlock(&mutex));
    printf(", again %d\n", pthread_mutex_unlock(&mutex) == EPERM);
    return arg;
}

static void robust(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    for (int i = 0; i < THREADS; i++) {
        run_in(ends_as_owner, NULL);
        run_in(repairs, &mutex);
    }
    run_in(ends_as_owner, NULL);
    run_in(repairs, NULL);
    printf("lost %d\n", pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    run_in(ends_as_owner, NULL);
}

static void *uses_named(void *arg)
{
    struct timespec past = { 0, 0 };
    int value = -1;
    printf("trywait %d", sem_trywait(named));
    printf(" timedwait %d", sem_timedwait(named, &past));
    printf(" %s", strerror(errno));
    printf(" post %d", sem_post(named));
    printf(" value %d", sem_getvalue(named, &value));
    printf(" %d\n", value);
    return arg;
}

static void *opens_named(void *name)
{
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    printf("open %d unlink %d\n", named != SEM_FAILED, sem_unlink(name));
    return NULL;
}

int main(void)
{
    struct timespec now = { 0, 0 };
    char name[40];
    robust();
    snprintf(name, sizeof name, "/hlrc-objects-%d", (int)getpid());
    run_in(opens_named, name);
    run_everywhere(uses_named);
    printf("close %d\n", sem_close(named));
    pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER;
    printf("clock %d\n",
           pthread_mutex_clocklock(&free_one, CLOCK_PROCESS_CPUTIME_ID, &now) == EINVAL);
    return 0;
}
