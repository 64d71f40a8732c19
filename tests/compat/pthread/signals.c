/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handlers of signals that come all the time, on threads that share memory and take locks: what
 * they store, what is known of them, and the mask that a thread has from its creator. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define THREADS 4
#define ROUNDS  150
#define WORDS   4096

static volatile sig_atomic_t ticks, raised;
static long work[WORDS];
static int blocked[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_tick(int sig)
{
    (void)sig;
    ticks++;
}

static void on_usr(int sig, siginfo_t *info, void *context)
{
    char local[3000];
    memset(local, 1, sizeof local);
    (void)sig, (void)context;
    raised += local[raised % 3000] + (info->si_signo != SIGUSR1);
}

static void compute(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        for (int k = 0; k < WORDS; k++)
            work[k]++;
        pthread_mutex_unlock(&mutex);
    }
}

static void *thread(void *arg)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    *(int *)arg = sigismember(&mask, SIGUSR2) + 2 * sigismember(&mask, SIGALRM);
    compute();
    return NULL;
}

static void *store(void *arg)
{
    *(char *)arg = 1;
    return NULL;
}

/* The frame of a handler is larger than what is left of the page of the stack: on the next one
 * another node has stored to a byte that no call comes to here. */
static void raise_at_border(void)
{
    pthread_t t;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    volatile char room[2 * 4096 + (here & 4095) - 1000];
    room[0] = 1;
    char *below = (char *)((uintptr_t)room & ~(uintptr_t)4095) - 4096;
    pthread_create(&t, NULL, store, below + 8);
    pthread_join(t, NULL);
    raise(SIGUSR1);
}

static void store_first(void)
{
    char byte = 0;
    pthread_t t;
    pthread_create(&t, NULL, store, &byte);
    pthread_join(t, NULL);
    raise(SIGUSR1);
}

int main(void)
{
    struct sigaction act, old;
    struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
    pthread_t threads[THREADS];
    sigset_t usr2;

    memset(&act, 0, sizeof act);
    sigemptyset(&act.sa_mask);
    act.sa_handler = on_tick;
    act.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &act, NULL);
    act.sa_sigaction = on_usr;
    act.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, on_tick);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &usr2, NULL);
    store_first(); /* the loader knows all calls then */
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, &blocked[i]);
    for (int i = 0; i < 5; i++) {
        raise_at_border();
        compute();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    while (!ticks)
        ;
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGUSR1, NULL, &old);
    printf("raised %d, work %ld, masks %d %d %d %d\n", (int)raised, work[WORDS - 1], blocked[0],
           blocked[1], blocked[2], blocked[3]);
    printf("handlers %d %d %d\n", old.sa_sigaction == on_usr, signal(SIGINT, SIG_DFL) == on_tick,
           signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    return 0;
}
