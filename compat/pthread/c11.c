/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* c11.c - threads of C11. As in the C library their objects are those of POSIX threads. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "compat/pthread/wrap.h"
#include "compat/start/heap.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
                  sizeof(tss_t) == sizeof(pthread_key_t) && sizeof(thrd_t) == sizeof(pthread_t) &&
                  sizeof(once_flag) == sizeof(pthread_once_t),
              "objects of the C library");

int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_join(pthread_t, void **);
int __wrap_pthread_detach(pthread_t);
_Noreturn void __wrap_pthread_exit(void *);
int __wrap_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *);
int __wrap_pthread_mutex_lock(pthread_mutex_t *);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *);
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *, const struct timespec *);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *);
int __wrap_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int __wrap_pthread_cond_destroy(pthread_cond_t *);
int __wrap_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int __wrap_pthread_key_create(pthread_key_t *, void (*)(void *));
int __wrap_pthread_key_delete(pthread_key_t);
void *__wrap_pthread_getspecific(pthread_key_t);
int __wrap_pthread_setspecific(pthread_key_t, const void *);
int __wrap_pthread_once(pthread_once_t *, void (*)(void));
int __wrap_clock_nanosleep(clockid_t, int, const struct timespec *, struct timespec *);

static int c11_result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

/* ---- threads ---- */

struct c11_task {
    thrd_start_t fn;
    void *arg;
};

static void *c11_run(void *arg)
{
    struct c11_task t = *(struct c11_task *)arg;
    heap_free(arg);
    return (void *)(intptr_t)t.fn(t.arg);
}

int __wrap_thrd_create(thrd_t *thread, thrd_start_t fn, void *arg)
{
    struct c11_task *t = heap_malloc(sizeof *t);
    if (!t)
        return thrd_nomem;
    *t = (struct c11_task){ fn, arg };
    int rc = __wrap_pthread_create(thread, NULL, c11_run, t);
    if (rc != 0)
        heap_free(t);
    return c11_result(rc);
}

int __wrap_thrd_join(thrd_t thread, int *result)
{
    void *end = NULL;
    int rc = __wrap_pthread_join(thread, &end);
    if (rc == 0 && result)
        *result = (int)(intptr_t)end;
    return c11_result(rc);
}

int __wrap_thrd_detach(thrd_t thread)
{
    return c11_result(__wrap_pthread_detach(thread));
}

_Noreturn void __wrap_thrd_exit(int result)
{
    __wrap_pthread_exit((void *)(intptr_t)result);
}

int __wrap_thrd_equal(thrd_t a, thrd_t b)
{
    return a == b;
}

thrd_t __wrap_thrd_current(void)
{
    return __wrap_pthread_self();
}

int __wrap_thrd_sleep(const struct timespec *time, struct timespec *left)
{
    int rc = __wrap_clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return rc == 0 ? 0 : rc == EINTR ? -1 : -2;
}

void __wrap_thrd_yield(void)
{
    (void)sched_yield();
}

/* ---- mutexes ---- */

int __wrap_mtx_init(mtx_t *mutex, int kind)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    if (kind & mtx_recursive)
        (void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    return c11_result(__wrap_pthread_mutex_init((pthread_mutex_t *)mutex, &attr));
}

void __wrap_mtx_destroy(mtx_t *mutex)
{
    (void)__wrap_pthread_mutex_destroy((pthread_mutex_t *)mutex);
}

int __wrap_mtx_lock(mtx_t *mutex)
{
    return c11_result(__wrap_pthread_mutex_lock((pthread_mutex_t *)mutex));
}

int __wrap_mtx_trylock(mtx_t *mutex)
{
    return c11_result(__wrap_pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

int __wrap_mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time)
{
    return c11_result(__wrap_pthread_mutex_timedlock((pthread_mutex_t *)mutex, time));
}

int __wrap_mtx_unlock(mtx_t *mutex)
{
    return c11_result(__wrap_pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

/* ---- conditions ---- */

int __wrap_cnd_init(cnd_t *cond)
{
    return c11_result(__wrap_pthread_cond_init((pthread_cond_t *)cond, NULL));
}

void __wrap_cnd_destroy(cnd_t *cond)
{
    (void)__wrap_pthread_cond_destroy((pthread_cond_t *)cond);
}

int __wrap_cnd_signal(cnd_t *cond)
{
    return c11_result(__wrap_pthread_cond_signal((pthread_cond_t *)cond));
}

int __wrap_cnd_broadcast(cnd_t *cond)
{
    return c11_result(__wrap_pthread_cond_broadcast((pthread_cond_t *)cond));
}

int __wrap_cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return c11_result(__wrap_pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

int __wrap_cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                         const struct timespec *restrict time)
{
    return c11_result(
        __wrap_pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, time));
}

/* ---- keys, and calls once ---- */

int __wrap_tss_create(tss_t *key, tss_dtor_t destroy)
{
    return c11_result(__wrap_pthread_key_create(key, destroy));
}

void __wrap_tss_delete(tss_t key)
{
    (void)__wrap_pthread_key_delete(key);
}

void *__wrap_tss_get(tss_t key)
{
    return __wrap_pthread_getspecific(key);
}

int __wrap_tss_set(tss_t key, void *value)
{
    return c11_result(__wrap_pthread_setspecific(key, value));
}

void __wrap_call_once(once_flag *flag, void (*fn)(void))
{
    (void)__wrap_pthread_once((pthread_once_t *)flag, fn);
}
