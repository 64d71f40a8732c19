/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/futex.h: a wait ends by a change of the word, by its time limit and by a wake, within a
 * process and between processes. A wait that is not ended hangs; alarm() ends the test then. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "tests/unit/asleep.h"
#include "tests/unit/unit.h"

#define THREADS 3

static _Atomic uint32_t *shared; /* mapped by a child as well */
static _Atomic uint32_t word, ended;
static _Atomic int ids[THREADS];

static void changed_word(void)
{
    _Atomic uint32_t w = 1;
    futex_wait(&w, 0, -1);
    futex_wait_shared(&w, 0, -1);
}

static void time_limit(void)
{
    _Atomic uint32_t w = 0;
    int64_t begin = clock_ns();
    futex_wait(&w, 0, 1020000000);
    assert_true(clock_ns() - begin >= 1020000000);
    begin = clock_ns();
    futex_wait_shared(&w, 0, 20000000);
    assert_true(clock_ns() - begin >= 20000000);
}

static void *wait_once(void *arg)
{
    atomic_store((_Atomic int *)arg, gettid());
    futex_wait(&word, 0, -1);
    atomic_fetch_add(&ended, 1);
    return NULL;
}

/* `count` limits the wake: the word does not change, so each return is a wake. */
static void count_of_wakes(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, wait_once, (void *)&ids[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        while (!atomic_load(&ids[i]))
            usleep(500);
        asleep_await(getpid(), atomic_load(&ids[i]));
    }
    futex_wake(&word, 1);
    while (atomic_load(&ended) == 0)
        usleep(500);
    usleep(20000);
    assert_int_equal(atomic_load(&ended), 1);
    futex_wake(&word, INT_MAX);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static void other_process(void)
{
    int status;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (atomic_load(shared) == 0)
            futex_wait_shared(shared, 0, -1);
        _exit(0);
    }
    asleep_await(pid, pid);
    atomic_store(shared, 1);
    futex_wake_shared(shared, 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void limit(void)
{
    alarm(120);
}

UNIT_MAIN(limit, NULL, TEST(changed_word), TEST(time_limit), TEST(count_of_wakes),
          TEST(other_process))
