/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that wait for a mutex, or a spin lock, which a thread of another node holds: their
 * handlers run while they wait. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "common.h"

enum { MUTEX, RECURSIVE, ROBUST, SPIN, WAYS };
static const char *const names[] = { "mutex", "recursive", "robust", "spin lock" };
static pthread_mutex_t mutexes[SPIN];
static pthread_spinlock_t spin;
static atomic_int waiting, handled;

static void lock(long way)
{
    if (way == SPIN ? pthread_spin_lock(&spin) : pthread_mutex_lock(&mutexes[way]))
        printf("not locked\n");
}

static void unlock(long way)
{
    if (way == SPIN ? pthread_spin_unlock(&spin) : pthread_mutex_unlock(&mutexes[way]))
        printf("not unlocked\n");
}

static void on_signal(int sig)
{
    (void)sig;
    atomic_fetch_add(&handled, 1);
}

static void *waits(void *way)
{
    atomic_fetch_add(&waiting, 1);
    lock((long)way);
    unlock((long)way);
    return NULL;
}

static void blocked(long way)
{
    pthread_t t[THREADS];
    atomic_store(&waiting, 0);
    atomic_store(&handled, 0);
    lock(way);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, waits, (void *)way);
    while (atomic_load(&waiting) < THREADS)
        usleep(1000);
    usleep(20000); /* they wait */
    for (int i = 0; i < THREADS; i++)
        pthread_kill(t[i], SIGUSR1);
    while (atomic_load(&handled) < THREADS) /* otherwise hangs */
        usleep(1000);
    printf("%s: %d handlers ran\n", names[way], atomic_load(&handled));
    unlock(way);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_NORMAL };
    struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    alarm(50);
    sigaction(SIGUSR1, &act, NULL);
    pthread_spin_init(&spin, 0);
    for (int i = 0; i < SPIN; i++) {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_settype(&attr, types[i]);
        pthread_mutexattr_setrobust(&attr,
                                    i == ROBUST ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
        pthread_mutex_init(&mutexes[i], &attr);
    }
    for (long way = 0; way < WAYS; way++)
        blocked(way);
    return 0;
}
