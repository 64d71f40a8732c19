/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* endings.c - the end of the program, by any thread: functions for it are called by node 0. */
#include <stdint.h>
#include <stdlib.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

void __wrap__exit(int status);
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_quick_exit(int status);

/* ---- destructors of thread-local variables ---- */

typedef void endings_destructor(void *);

struct endings_variable {
    endings_destructor *destroy;
    void *variable;
    struct endings_variable *before;
};
static _Thread_local struct endings_variable *latest; /* of the thread */

static void endings_destroy(void *arg)
{
    struct endings_variable v = *(struct endings_variable *)arg;
    latest = v.before;
    free(arg);
    v.destroy(v.variable);
}

/* exit does this in its thread, and node 0 cannot do it for another one. No thread returns from
 * exit, so the C library does not destroy them once more. */
static void endings_destroy_own(void)
{
    while (latest) {
        struct endings_variable *v = latest;
        latest = v->before;
        v->destroy(v->variable);
    }
}

/* The C library calls it at the thread's end, on its private stack. There, calls by libraries would
 * not be node 0's (bind.c). */
static void endings_destroy_on_shared(void *arg)
{
    struct lane *l = lane_current;
    if (l && l->shared_top && !lane_is_shared(__builtin_frame_address(0)))
        lane_run(l, endings_destroy, arg);
    else
        endings_destroy(arg);
}

extern int __cxa_thread_atexit_impl(endings_destructor *destroy, void *variable, void *library);
int __wrap___cxa_thread_atexit(endings_destructor *destroy, void *variable, void *library)
{
    struct endings_variable *v = start_sharing ? malloc(sizeof *v) : NULL;
    if (!v)
        return __cxa_thread_atexit_impl(destroy, variable, library);
    *v = (struct endings_variable){ destroy, variable, latest };
    latest = v;
    return __cxa_thread_atexit_impl(endings_destroy_on_shared, v, library);
}

/* ---- exit ---- */

/* Other threads run the program at this moment: the caller does, at least. */
static void endings_exit(int status)
{
    start_leaving = true;
    exit(status);
}

_Noreturn void __wrap_exit(int status)
{
    if (start_away) {
        endings_destroy_own();
        (void)DELEGATE(endings_exit, status);
    }
    exit(status);
}

/* ---- quick_exit, which would end node 0 only ---- */

struct endings_function {
    void (*fn)(void);
    struct endings_function *next;
};
static struct endings_function *_Atomic quick; /* of node 0 */

HERE(int, at_quick_exit, (void (*fn)(void)), (fn), WORDS((long)fn))
{
    struct endings_function *f = malloc(sizeof *f);
    if (!f)
        return -1;
    f->fn = fn;
    f->next = quick;
    while (!__atomic_compare_exchange_n((struct endings_function **)&quick, &f->next, f, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    return 0;
}

static void endings_quick_exit(int status)
{
    for (struct endings_function *f = quick; f; f = f->next)
        f->fn();
    __wrap__exit(status);
}

_Noreturn void __wrap_quick_exit(int status)
{
    if (start_away)
        (void)DELEGATE(endings_quick_exit, status);
    if (start_sharing)
        endings_quick_exit(status);
    quick_exit(status);
}
