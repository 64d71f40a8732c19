/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handlers of signals that come all the time, on threads that share memory and take locks: what
 * they store, what is known of them, and the mask that a thread has from its creator. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
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
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, &blocked[i]);
    for (int i = 0; i < 5; i++) {
        raise(SIGUSR1);
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
