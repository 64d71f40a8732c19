/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* describe.c - what a thread asks about itself or another one: its stack, scheduling, clock and
 * name. */
#include <errno.h>
#include <hlrc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "compat/process/clocks.h"
#include "compat/process/delegate.h"
#include "compat/pthread/table.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* ---- the table's entry ---- */

struct describe_entry {
    pthread_t thread;
    char title[TABLE_TITLE];
    bool sets, detached, found;
};

static void describe_perform(void *arg)
{
    struct describe_entry *out = arg, d = *out;
    hlrc_lock(LOCK_THREADS);
    struct table_entry *e = table_find(d.thread);
    d.found = e != NULL;
    if (e && d.sets)
        memcpy(e->title, d.title, sizeof d.title);
    if (e) {
        memcpy(d.title, e->title, sizeof d.title);
        d.detached = e->detached;
    }
    hlrc_unlock(LOCK_THREADS);
    *out = d;
}

static bool describe_find(struct describe_entry *d)
{
    if (table)
        lane_call(describe_perform, d);
    return d->found;
}

/* The C library knows this thread: one of OpenMP, or of a forked child. */
static bool describe_is_native(pthread_t *thread)
{
    bool self = *thread == __wrap_pthread_self();
    if (start_sharing && table)
        return false;
    if (self)
        *thread = pthread_self();
    return true;
}

/* ---- the calls ---- */

static int describe_stack(pthread_attr_t *attr, bool detached)
{
    struct lane *l = lane_current;
    int rc = pthread_attr_init(attr);
    if (rc == 0)
        rc = pthread_attr_setstack(attr, l->shared_top - lane_stack_bytes(), lane_stack_bytes());
    return rc ? rc
              : pthread_attr_setdetachstate(attr, detached ? PTHREAD_CREATE_DETACHED
                                                           : PTHREAD_CREATE_JOINABLE);
}

int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
    struct describe_entry d = { .thread = thread };
    if (describe_is_native(&thread))
        return pthread_getattr_np(thread, attr);
    if (!describe_find(&d))
        return ESRCH;
    if (thread != __wrap_pthread_self())
        start_fail("pthread_getattr_np of another thread, which may be on another node, is not "
                   "supported; call it by that thread");
    return describe_stack(attr, d.detached);
}

/* No thread changes it (refuse.c). */
int __wrap_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
    struct describe_entry d = { .thread = thread };
    struct sched_param now;
    if (describe_is_native(&thread))
        return pthread_getschedparam(thread, policy, param);
    if (!describe_find(&d))
        return ESRCH;
    int way = sched_getscheduler(0);
    if (way < 0 || sched_getparam(0, &now) != 0)
        return errno;
    *policy = way;
    *param = now;
    return 0;
}

int __wrap_pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    struct describe_entry d = { .thread = thread };
    if (describe_is_native(&thread))
        return pthread_getcpuclockid(thread, clock);
    if (!describe_find(&d))
        return ESRCH;
    *clock = clocks_of_thread(thread);
    return 0;
}

int __wrap_pthread_setname_np(pthread_t thread, const char *name)
{
    struct describe_entry d = { .thread = thread, .sets = true };
    if (describe_is_native(&thread))
        return pthread_setname_np(thread, name);
    size_t bytes = strlen(name) + 1;
    if (bytes > sizeof d.title)
        return ERANGE;
    memcpy(d.title, name, bytes);
    return describe_find(&d) ? 0 : ESRCH;
}

int __wrap_pthread_getname_np(pthread_t thread, char *name, size_t size)
{
    struct describe_entry d = { .thread = thread };
    if (describe_is_native(&thread))
        return pthread_getname_np(thread, name, size);
    if (size < sizeof d.title)
        return ERANGE;
    if (!describe_find(&d))
        return ESRCH;
    if (!d.title[0]) /* the system's, of a new process */
        memcpy(d.title, program_invocation_short_name,
               strnlen(program_invocation_short_name, sizeof d.title - 1));
    memcpy(name, d.title, sizeof d.title);
    return 0;
}

/* The name is of the calling thread, everything else of the process. */
long __wrap_prctl(long option, long a, long b, long c, long d)
{
    char title[TABLE_TITLE] = "";
    int error;
    if (!start_sharing || (option != PR_SET_NAME && option != PR_GET_NAME))
        return delegate_is_away() ? DELEGATE(prctl, option, a, b, c, d)
                                  : prctl((int)option, a, b, c, d);
    if (option == PR_SET_NAME) {
        strncpy(title, (const char *)a, sizeof title - 1);
        error = __wrap_pthread_setname_np(__wrap_pthread_self(), title);
    } else {
        error = __wrap_pthread_getname_np(__wrap_pthread_self(), (char *)a, sizeof title);
    }
    errno = error ? error : errno;
    return error ? -1 : 0;
}
