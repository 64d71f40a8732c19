/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threads.c - for restart.sh: threads that hand a token on, with mutexes, condition variables,
 * a barrier, thread-local data, and a file to which each appends. Halfway they wait until the file
 * go exists. Main holds a recursive mutex and a reader-writer lock all the time.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define TURNS   25

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static int token, fd, reader;
static unsigned long sum;
static volatile sig_atomic_t caught;
static __thread unsigned long own;

static void catch (int sig)
{
    caught += sig == SIGUSR2;
}

static void turn(int me, int t)
{
    char line[64];
    pthread_mutex_lock(&lock);
    while (token != me)
        pthread_cond_wait(&changed, &lock);
    int n = snprintf(line, sizeof line, "%d %d %lu\n", me, t, sum);
    if (write(fd, line, (size_t)n) != n)
        abort();
    sum = sum * 31 + (unsigned long)(me * 7 + t) + own;
    own++;
    while (t == TURNS / 2 && me == 1 && access("go", F_OK) != 0)
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    token = (me + 1) % THREADS;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    usleep(2000);
}

static void *run(void *arg)
{
    int me = (int)(long)arg;
    char got;
    pthread_setspecific(key, (void *)(long)(me + 100));
    for (int t = 0; t < TURNS; t++)
        turn(me, t);
    pthread_barrier_wait(&barrier);
    if (me == 2 && (read(reader, &got, 1) != 1 || got != 'x')) /* at its position */
        abort();
    return (void *)(own + (unsigned long)(long)pthread_getspecific(key));
}

static void *wait_to_be_cancelled(void *unused)
{
    (void)unused;
    for (;;)
        pause();
}

int main(void)
{
    pthread_t thread[THREADS], idle;
    pthread_mutexattr_t recursive;
    unsigned long all = 0;
    void *result;
    struct sigaction action = { .sa_handler = catch };
    char first;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&held, &recursive);
    pthread_mutex_lock(&held);
    pthread_rwlock_wrlock(&written);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_key_create(&key, NULL);
    sigaction(SIGUSR2, &action, NULL);
    umask(027);
    fd = open("steps", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    reader = open("input", O_RDONLY);
    if (fd < 0 || reader < 0 || read(reader, &first, 1) != 1 || first != 'a')
        return 1;
    pthread_create(&idle, NULL, wait_to_be_cancelled, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    int slept = usleep(250000); /* not interrupted */
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &result);
        all += (unsigned long)result;
    }
    pthread_kill(idle, SIGUSR2);
    while (!caught)
        usleep(1000);
    pthread_cancel(idle);
    pthread_join(idle, &result);
    int again = pthread_mutex_trylock(&held) == 0, busy = pthread_rwlock_trywrlock(&written);
    pthread_rwlock_unlock(&written);
    printf("%lu %lu, %d %s %d %o %d %d\n", sum, all, again, busy ? "busy" : "free",
           pthread_rwlock_trywrlock(&written), (unsigned)umask(0), result == PTHREAD_CANCELED,
           slept);
    return close(fd);
}
