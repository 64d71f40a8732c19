/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cxx.c - C++ threads: the parts of std::thread, std::condition_variable and function-local
 * statics that libstdc++ implements itself. These functions replace its own in the whole process;
 * in a job of one node they call libstdc++'s.
 *
 * The rest of its classes is in headers, and calls the functions of wrap.h.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/pthread/once.h"
#include "compat/pthread/threads.h"
#include "compat/pthread/wrap.h"

void throw_system_error(int error) __asm__("_ZSt20__throw_system_errori") __attribute__((weak));

static void cxx_throw_if(int error)
{
    if (!error)
        return;
    if (throw_system_error)
        throw_system_error(error);
    start_fail("thread error %d", error);
}

/* ---- std::thread: a name ---- */

struct cxx_state;
struct cxx_state_table {
    void (*end)(struct cxx_state *);
    void (*delete)(struct cxx_state *);
    void (*run)(struct cxx_state *);
};
struct cxx_state {
    const struct cxx_state_table *table;
};

#define START \
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"

static void cxx_delete_state(struct cxx_state **s)
{
    (*s)->table->delete (*s);
}

/* Deletes it also if the thread calls pthread_exit: a future of it may depend on that. */
static void *cxx_run_state(void *arg)
{
    struct cxx_state *s __attribute__((cleanup(cxx_delete_state))) = arg;
    s->table->run(s);
    return NULL;
}

REPLACE_VOID(cxx_thread_start, START, start_sharing,
             (pthread_t * thread, struct cxx_state **state, void (*depend)(void)),
             (thread, state, depend))
{
    (void)depend;
    cxx_throw_if(threads_create(thread, NULL, cxx_run_state, *state));
    *state = NULL; /* now owned by the thread */
}

REPLACE_VOID(cxx_thread_join, "_ZNSt6thread4joinEv", start_sharing, (pthread_t * thread), (thread))
{
    cxx_throw_if(*thread ? threads_join(*thread, NULL) : EINVAL);
    *thread = 0;
}

REPLACE_VOID(cxx_thread_detach, "_ZNSt6thread6detachEv", start_sharing, (pthread_t * thread),
             (thread))
{
    cxx_throw_if(*thread ? threads_detach(*thread) : EINVAL);
    *thread = 0;
}

/* ---- std::condition_variable: that of POSIX ---- */

struct cxx_unique_lock {
    pthread_mutex_t *mutex;
};

REPLACE_VOID(cxx_cv_wait, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
             start_objects, (pthread_cond_t * cv, struct cxx_unique_lock *lock), (cv, lock))
{
    (void)__wrap_pthread_cond_wait(cv, lock->mutex);
}

REPLACE_VOID(cxx_cv_notify_one, "_ZNSt18condition_variable10notify_oneEv", start_objects,
             (pthread_cond_t * cv), (cv))
{
    (void)__wrap_pthread_cond_signal(cv);
}

REPLACE_VOID(cxx_cv_notify_all, "_ZNSt18condition_variable10notify_allEv", start_objects,
             (pthread_cond_t * cv), (cv))
{
    (void)__wrap_pthread_cond_broadcast(cv);
}

/* ---- local statics: the byte after the one that compilers may test, which stays 0. A thread that
 * only read it would not acquire what the initialising thread wrote. ---- */

static int cxx_guard_word(void *object, int to)
{
    char *state = (char *)object + 1;
    if (to >= 0)
        *state = (char)to;
    return *state;
}

REPLACE(int, cxx_guard_acquire, "__cxa_guard_acquire", start_has_object(guard), (char *guard),
        (guard))
{
    return once_begin(guard, cxx_guard_word);
}

REPLACE_VOID(cxx_guard_release, "__cxa_guard_release", start_has_object(guard), (char *guard),
             (guard))
{
    once_end(guard, cxx_guard_word, true);
}

REPLACE_VOID(cxx_guard_abort, "__cxa_guard_abort", start_has_object(guard), (char *guard), (guard))
{
    once_end(guard, cxx_guard_word, false);
}
