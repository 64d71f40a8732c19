/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forked children use mutexes, conditions, semaphores, locks, keys and threads, and what is called
 * around a fork holds a mutex: forked by main, and by a thread. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t done = PTHREAD_ONCE_INIT, undone = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t sem;
static pthread_key_t key;
static _Thread_local int own = 1;
static int times, turn, calls[3]; /* before a fork, after it here, and in the child */

static void count(void)
{
    times++;
}

static void before(void)
{
    pthread_mutex_lock(&mutex);
    calls[0]++;
}

static void in_parent(void)
{
    calls[1]++;
    pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    calls[2]++;
    pthread_mutex_unlock(&mutex);
}

static void use(void)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&recursive);
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        pthread_rwlock_wrlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        pthread_spin_lock(&spin);
        pthread_spin_unlock(&spin);
        sem_wait(&sem);
        sem_post(&sem);
    }
}

/* Waits for its turn, which main gives it. */
static void *take_turn(void *arg)
{
    use();
    pthread_mutex_lock(&mutex);
    while (turn != 1)
        pthread_cond_wait(&cond, &mutex);
    turn = 2;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    return arg;
}

static void with_thread(void)
{
    pthread_t t;
    turn = 0;
    pthread_create(&t, NULL, take_turn, NULL);
    use();
    pthread_mutex_lock(&mutex);
    turn = 1;
    pthread_cond_signal(&cond);
    while (turn != 2)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
}

static int child(const void *mine)
{
    int before_it = times;
    alarm(20);
    use();
    with_thread();
    pthread_once(&done, count);
    pthread_once(&undone, count);
    return (times == before_it + 1) + 2 * (pthread_getspecific(key) == mine) +
           4 * (calls[2] == 1 && calls[0] == calls[1] + 1) +
           8 * (pthread_mutex_trylock(&mutex) == 0) + 16 * (own++ == 7);
}

static void *forks(void *arg)
{
    int status;
    own = 7;
    pid_t pid = fork();
    if (pid == 0)
        _exit(child(arg));
    waitpid(pid, &status, 0);
    use();
    printf("status %x, calls %d %d %d\n", (unsigned)status, calls[0], calls[1], calls[2]);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, 0);
    sem_init(&sem, 0, 1);
    pthread_key_create(&key, NULL);
    pthread_atfork(before, in_parent, in_child);
    pthread_once(&done, count);
    with_thread();
    pthread_setspecific(key, &key);
    forks(&key);
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, forks, NULL);
        pthread_join(t, NULL);
    }
    with_thread();
    return 0;
}
