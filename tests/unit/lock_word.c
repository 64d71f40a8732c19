/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lock_word.h: one thread holds the lock at a time, and each sleeping thread gets it. A thread that
 * is not woken hangs; alarm() ends the test then. */
#include "compat/openmp/lock_word.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "tests/unit/asleep.h"
#include "tests/unit/unit.h"

#define THREADS 6
#define TIMES   20000

static _Atomic uint32_t word;
static _Atomic int ids[THREADS];
static long counter;

static void states(void)
{
    _Atomic uint32_t w = LOCK_WORD_ZERO;

    assert_true(lock_word_try(&w));
    assert_false(lock_word_try(&w));
    lock_word_drop(&w);
    assert_int_equal(w, LOCK_WORD_FREE);
    lock_word_await(&w, true);
    assert_false(lock_word_try(&w));
    lock_word_drop(&w);
    assert_true(lock_word_try(&w));
}

static void *count(void *spins)
{
    for (int i = 0; i < TIMES; i++) {
        if (!lock_word_try(&word))
            lock_word_await(&word, spins != NULL);
        long seen = counter;
        if (i % 64 == 0)
            sched_yield();
        counter = seen + 1;
        lock_word_drop(&word);
    }
    return NULL;
}

/* Half of them spin, half sleep at once. */
static void exclusion(void)
{
    pthread_t thread[THREADS];

    counter = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count, i % 2 ? &word : NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(counter, THREADS * TIMES);
    assert_int_equal(word, LOCK_WORD_FREE);
}

static void *sleep_once(void *arg)
{
    atomic_store((_Atomic int *)arg, gettid());
    lock_word_await(&word, false);
    counter++;
    lock_word_drop(&word);
    return NULL;
}

/* All threads sleep before the lock is released; each wakes the next. */
static void sleepers(void)
{
    pthread_t thread[THREADS];

    counter = 0;
    assert_true(lock_word_try(&word));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, sleep_once, (void *)&ids[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        while (atomic_load(&ids[i]) == 0)
            usleep(500);
        asleep_await(getpid(), atomic_load(&ids[i]));
    }
    assert_int_equal(counter, 0);
    lock_word_drop(&word);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(counter, THREADS);
}

static void begin(void)
{
    alarm(120);
}

UNIT_MAIN(begin, NULL, TEST(states), TEST(exclusion), TEST(sleepers))
