/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* quiet_thread.h - a thread of the library, which takes no signal: they belong to the program. */
#ifndef HLRC_QUIET_THREAD_H
#define HLRC_QUIET_THREAD_H

#include <pthread.h>
#include <stddef.h>

#include "base/system_sigaction.h"

/* quiet_thread_create - as pthread_create() does; `attr` may be NULL. Returns 0 or a negative
 * errno. */
static inline int quiet_thread_create(pthread_t *thread, const pthread_attr_t *attr,
                                      void *(*body)(void *), void *arg)
{
    sigset_t all, old;
    sigfillset(&all);
    system_sigaction_mask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(thread, attr, body, arg);
    system_sigaction_mask(SIG_SETMASK, &old, NULL);
    return -rc;
}

#endif
