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
#include "compat/start/start.h"

/* In C++ a set lowest bit in a member function's address marks the number of a virtual one. */
#define NAMED(name) __asm__(name) __attribute__((visibility("default"), aligned(16)))

/* libstdc++'s own `name`, of this type. */
#define NEXT(type, name) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))

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

typedef void start_fn(pthread_t *, struct cxx_state **, void (*)(void));
typedef void thread_fn(pthread_t *);
#define START \
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE"

static void *cxx_run_state(void *arg)
{
    struct cxx_state *s = arg;
    s->table->run(s);
    s->table->delete (s);
    return NULL;
}

start_fn cxx_thread_start NAMED(START);
void cxx_thread_start(pthread_t *thread, struct cxx_state **state, void (*depend)(void))
{
    if (!start_sharing) {
        NEXT(start_fn *, START)(thread, state, depend);
        return;
    }
    cxx_throw_if(threads_create(thread, NULL, cxx_run_state, *state));
    *state = NULL; /* now owned by the thread */
}

thread_fn cxx_thread_join NAMED("_ZNSt6thread4joinEv");
void cxx_thread_join(pthread_t *thread)
{
    if (!start_sharing) {
        NEXT(thread_fn *, "_ZNSt6thread4joinEv")(thread);
        return;
    }
    cxx_throw_if(*thread ? threads_join(*thread, NULL) : EINVAL);
    *thread = 0;
}

thread_fn cxx_thread_detach NAMED("_ZNSt6thread6detachEv");
void cxx_thread_detach(pthread_t *thread)
{
    if (!start_sharing) {
        NEXT(thread_fn *, "_ZNSt6thread6detachEv")(thread);
        return;
    }
    cxx_throw_if(*thread ? threads_detach(*thread) : EINVAL);
    *thread = 0;
}

/* ---- std::condition_variable: that of POSIX ---- */

struct cxx_unique_lock {
    pthread_mutex_t *mutex;
};

typedef void wait_fn(pthread_cond_t *, struct cxx_unique_lock *);
typedef void notify_fn(pthread_cond_t *);
#define WAIT "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"

wait_fn cxx_cv_wait NAMED(WAIT);
void cxx_cv_wait(pthread_cond_t *cv, struct cxx_unique_lock *lock)
{
    if (start_sharing)
        (void)__wrap_pthread_cond_wait(cv, lock->mutex);
    else
        NEXT(wait_fn *, WAIT)(cv, lock);
}

notify_fn cxx_cv_notify_one NAMED("_ZNSt18condition_variable10notify_oneEv");
void cxx_cv_notify_one(pthread_cond_t *cv)
{
    if (start_sharing)
        (void)__wrap_pthread_cond_signal(cv);
    else
        NEXT(notify_fn *, "_ZNSt18condition_variable10notify_oneEv")(cv);
}

notify_fn cxx_cv_notify_all NAMED("_ZNSt18condition_variable10notify_allEv");
void cxx_cv_notify_all(pthread_cond_t *cv)
{
    if (start_sharing)
        (void)__wrap_pthread_cond_broadcast(cv);
    else
        NEXT(notify_fn *, "_ZNSt18condition_variable10notify_allEv")(cv);
}

/* ---- local statics: a byte that compilers test, and one beside it ---- */

typedef int acquire_fn(char *);
typedef void guard_fn(char *);

static int cxx_guard_word(void *object, int to)
{
    char *guard = object;
    if (to >= 0) {
        guard[1] = to == ONCE_UNDER_WAY;
        guard[0] = to == ONCE_DONE;
    }
    return guard[0] ? ONCE_DONE : guard[1] ? ONCE_UNDER_WAY : ONCE_UNDONE;
}

acquire_fn cxx_guard_acquire NAMED("__cxa_guard_acquire");
int cxx_guard_acquire(char *guard)
{
    if (!start_is_shared(guard))
        return NEXT(acquire_fn *, "__cxa_guard_acquire")(guard);
    return once_begin(guard, cxx_guard_word);
}

guard_fn cxx_guard_release NAMED("__cxa_guard_release");
void cxx_guard_release(char *guard)
{
    if (start_is_shared(guard))
        once_end(guard, cxx_guard_word, true);
    else
        NEXT(guard_fn *, "__cxa_guard_release")(guard);
}

guard_fn cxx_guard_abort NAMED("__cxa_guard_abort");
void cxx_guard_abort(char *guard)
{
    if (start_is_shared(guard))
        once_end(guard, cxx_guard_word, false);
    else
        NEXT(guard_fn *, "__cxa_guard_abort")(guard);
}
