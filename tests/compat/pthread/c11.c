/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads of C11. */
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#define THREADS 4

static once_flag flag = ONCE_FLAG_INIT;
static mtx_t mutex, deep;
static cnd_t cond, one;
static tss_t key;
static int once, arrived, destroyed, released, signalled;
static thread_local int own = 5;

static void runs_once(void)
{
    once++;
}

static void destroys(void *value)
{
    mtx_lock(&mutex);
    destroyed += *(int *)value;
    mtx_unlock(&mutex);
    free(value);
}

static int works(void *arg)
{
    int i = *(int *)arg, *value = malloc(sizeof *value);
    call_once(&flag, runs_once);
    *value = i;
    tss_set(key, value);
    mtx_lock(&deep);
    mtx_lock(&deep);
    mtx_unlock(&deep);
    mtx_unlock(&deep);
    mtx_lock(&mutex);
    own += i;
    arrived++;
    cnd_broadcast(&cond);
    while (!released)
        cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    thrd_yield();
    if (i == 2)
        thrd_exit(77);
    return own + *(int *)tss_get(key);
}

static int signals(void *arg)
{
    (void)arg;
    mtx_lock(&mutex);
    signalled++;
    cnd_signal(&one);
    mtx_unlock(&mutex);
    return 0;
}

static int tries(void *arg)
{
    struct timespec soon;
    (void)arg;
    timespec_get(&soon, TIME_UTC);
    int first = mtx_trylock(&mutex), second = mtx_timedlock(&mutex, &soon);
    printf("busy %d, timed out %d\n", first == thrd_busy, second == thrd_timedout);
    return 0;
}

int main(void)
{
    thrd_t threads[THREADS], other;
    int numbers[THREADS], result;
    struct timespec now, moment = { 0, 1000000 };
    printf("%d %d", mtx_init(&mutex, mtx_timed), mtx_init(&deep, mtx_plain | mtx_recursive));
    printf(" %d %d\n", cnd_init(&cond), tss_create(&key, destroys));
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        printf("created %d\n", thrd_create(&threads[i], works, &numbers[i]));
    }
    mtx_lock(&mutex);
    while (arrived < THREADS)
        cnd_wait(&cond, &mutex);
    released = 1;
    cnd_broadcast(&cond);
    mtx_unlock(&mutex);
    for (int i = 0; i < THREADS; i++) {
        int rc = thrd_join(threads[i], &result);
        printf("joined %d: %d\n", rc, result);
    }
    printf("once %d, own %d, destroyed %d\n", once, own, destroyed);
    cnd_init(&one);
    for (int i = 0; i < 2; i++) {
        thrd_create(&other, signals, NULL);
        mtx_lock(&mutex);
        while (signalled <= i)
            cnd_wait(&one, &mutex);
        mtx_unlock(&mutex);
        thrd_join(other, NULL);
    }
    mtx_lock(&mutex);
    timespec_get(&now, TIME_UTC);
    printf("timed out %d\n", cnd_timedwait(&cond, &mutex, &now) == thrd_timedout);
    for (int i = 0; i < 2; i++) {
        thrd_create(&other, tries, NULL);
        thrd_join(other, NULL);
    }
    mtx_unlock(&mutex);
    printf("slept %d, equal %d %d\n", thrd_sleep(&moment, NULL),
           thrd_equal(thrd_current(), thrd_current()) != 0, thrd_equal(thrd_current(), other) != 0);
    tss_delete(key);
    cnd_destroy(&cond);
    mtx_destroy(&deep);
    mtx_destroy(&mutex);
    return 0;
}
