/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refuse.c - see refuse.h. */
#include "compat/pthread/refuse.h"

#include <stddef.h>
#include <string.h>

#define SIGNALS  "sends a signal to a thread, which may be on another node; leave it out"
#define PLACES   "binds threads to processors; leave it out, hlrcrun --bind binds nodes"
#define POLICY   "schedules threads of one machine; leave it out"
#define OWN      "gives threads stacks of the program's own; leave it out, HLRC makes them"
#define FILES    "is a semaphore with a name; use sem_init"
#define THREADS  "(threads of C11) is not there; use those of POSIX"
#define UNKNOWN  "asks for what one machine knows of a thread; leave it out"
#define CEILINGS "(priority ceilings) is not there; leave it out"

static const struct {
    const char *name, *why;
} missing[] = {
    { "pthread_kill", SIGNALS },
    { "pthread_sigqueue", SIGNALS },
    { "pthread_cancel", "ends a thread from outside, which is not there; have it end itself" },
    { "pthread_setaffinity_np", PLACES },
    { "pthread_getaffinity_np", PLACES },
    { "pthread_attr_setaffinity_np", PLACES },
    { "pthread_setschedparam", POLICY },
    { "pthread_getschedparam", POLICY },
    { "pthread_setschedprio", POLICY },
    { "pthread_attr_setstack", OWN },
    { "pthread_attr_setstackaddr", OWN },
    { "pthread_getattr_np", UNKNOWN },
    { "pthread_getname_np", UNKNOWN },
    { "pthread_getcpuclockid", UNKNOWN },
    { "pthread_atfork", "(fork with threads) is not there; leave it out" },
    { "pthread_mutex_setprioceiling", CEILINGS },
    { "pthread_mutex_getprioceiling", CEILINGS },
    { "pthread_mutexattr_setprioceiling", CEILINGS },
    { "sem_open", FILES },
    { "sem_close", FILES },
    { "sem_unlink", FILES },
};

static const char *const threads_of_c[] = { "thrd_", "mtx_", "cnd_", "tss_", "call_once" };

const char *refuse_name(const char *name)
{
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (strcmp(name, missing[i].name) == 0)
            return missing[i].why;
    for (size_t i = 0; i < sizeof threads_of_c / sizeof threads_of_c[0]; i++)
        if (strncmp(name, threads_of_c[i], strlen(threads_of_c[i])) == 0)
            return THREADS;
    return NULL;
}
