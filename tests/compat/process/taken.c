/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals of the process that main blocks, and a thread of any node takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static volatile sig_atomic_t hits, values, code;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static sem_t semaphore;
static pthread_key_t place;
static pthread_t handled_by;

static void on_signal(int sig)
{
    (void)sig;
    hits++;
}

static void on_alarm_jump(int sig)
{
    siglongjmp(*(sigjmp_buf *)pthread_getspecific(place), sig);
}

static void on_taken(int sig, siginfo_t *info, void *context)
{
    (void)context;
    hits++;
    values = values * 10 + (sig == SIGRTMIN + 3 ? info->si_value.sival_int : info->si_code != 0);
    handled_by = pthread_self();
    code = info->si_code;
    sem_post(&semaphore);
}

static void *posts_back(void *arg)
{
    while (sem_wait(&semaphore) != 0)
        ;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *takes(void *arg)
{
    const struct itimerval soon = { { 0, 0 }, { 0, 40000 } };
    struct sigaction act = { .sa_sigaction = on_taken };
    sigjmp_buf mine;
    sigset_t set;
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    act.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM, &act, NULL);
    sigaction(SIGRTMIN + 3, &act, NULL);
    values = ready = 0;
    for (int i = 1; i < 3; i++)
        sigqueue(getpid(), SIGRTMIN + 3, (union sigval){ .sival_int = i });
    printf("blocked %d", (int)values);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf(" unblocked %d", (int)values);
    while (sem_trywait(&semaphore) == 0)
        ;
    pthread_create(&t, NULL, posts_back, NULL);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    printf(" woken %d, own %d", (int)values, pthread_equal(handled_by, pthread_self()) != 0);
    act.sa_sigaction = NULL;
    act.sa_handler = on_signal;
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    printf(" wait %d", sem_wait(&semaphore));
    printf(" %s", strerror(errno));
    int before = hits;
    setitimer(ITIMER_REAL, &soon, NULL);
    while (hits == before)
        ;
    pthread_setspecific(place, &mine);
    signal(SIGALRM, on_alarm_jump);
    if (sigsetjmp(mine, 1) == 0) {
        setitimer(ITIMER_REAL, &soon, NULL);
        while (sem_wait(&semaphore) != 0)
            ;
    }
    printf(" left\n");
    return arg;
}

/* By its number, which is of its node. */
static void *is_timed(void *arg)
{
    const struct itimerspec soon = { .it_value.tv_nsec = 40000000 };
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3 };
    timer_t timer;
    sigset_t set;
    values = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    event._sigev_un._tid = gettid();
    event.sigev_value.sival_int = 7;
    printf("timer %d", timer_create(CLOCK_MONOTONIC, &event, &timer));
    printf(" %d", timer_settime(timer, 0, &soon, NULL));
    while (values == 0)
        (void)(arg ? usleep(100000) : sem_wait(&semaphore)); /* node 0 performs the first */
    printf(" got %d, own %d", (int)values, pthread_equal(handled_by, pthread_self()) != 0);
    printf(" %d %d\n", code == SI_TIMER, timer_delete(timer));
    while (sem_trywait(&semaphore) == 0)
        ;
    return arg;
}

/* Of a thread that waits: with their values. */
static void *is_queued(void *arg)
{
    sigset_t set;
    values = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    sem_post(arg);
    while (values < 123)
        (void)sem_wait(&semaphore);
    printf("queued %d %d\n", (int)values, code == SI_QUEUE);
    return arg;
}

int main(void)
{
    static sem_t begun;
    sigset_t all;
    pthread_t t;
    setvbuf(stdout, NULL, _IOLBF, 0);
    pthread_key_create(&place, NULL);
    sem_init(&semaphore, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    run_everywhere(takes);
    run_everywhere(is_timed);
    sem_init(&begun, 0, 0);
    for (int n = 0; n < THREADS; n++) {
        pthread_create(&t, NULL, is_queued, &begun);
        while (sem_wait(&begun) != 0)
            ;
        for (int i = 1; i < 4; i++)
            pthread_sigqueue(t, SIGRTMIN + 3, (union sigval){ .sival_int = i });
        pthread_join(t, NULL);
    }
    return 0;
}
