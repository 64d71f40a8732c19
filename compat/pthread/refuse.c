/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refuse.c - see refuse.h; also calls for which names of threads suffice. */
#include "compat/pthread/refuse.h"

#include <stddef.h>
#include <string.h>

#include "compat/pthread/wrap.h"

#define SIGNALS  "sends a signal to a thread, which may be on another node; leave it out"
#define PLACES   "binds threads to processors; leave it out, hlrcrun --bind binds nodes"
#define POLICY   "sets the scheduling of threads on one machine; leave it out"
#define OWN      "sets a thread's stack; leave it out, HLRC allocates stacks"
#define FORMATS  "changes printf on one node only; leave it out"
#define CEILINGS "(priority ceilings) is not supported; leave it out"

static const struct {
    const char *name, *why;
} missing[] = {
    { "pthread_sigqueue", SIGNALS },
    { "pthread_setaffinity_np", PLACES },
    { "pthread_getaffinity_np", PLACES },
    { "pthread_attr_setaffinity_np", PLACES },
    { "pthread_setschedparam", POLICY },
    { "pthread_setschedprio", POLICY },
    { "pthread_attr_setstack", OWN },
    { "pthread_attr_setstackaddr", OWN },
    { "register_printf_function", FORMATS },
    { "register_printf_specifier", FORMATS },
    { "register_printf_modifier", FORMATS },
    { "pthread_mutex_setprioceiling", CEILINGS },
    { "pthread_mutex_getprioceiling", CEILINGS },
    { "pthread_mutexattr_setprioceiling", CEILINGS },
};

const char *refuse_name(const char *name, int nodes)
{
    if (nodes == 1) /* the C library's are used */
        return NULL;
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (strcmp(name, missing[i].name) == 0)
            return missing[i].why;
    return NULL;
}

int __wrap_pthread_equal(pthread_t a, pthread_t b);
int __wrap_pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}
