/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pending.h - see pending.c. */
#ifndef COMPAT_PENDING_H
#define COMPAT_PENDING_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* *mine: a copy for the C library, whose threads may then call its function. False: no memory. */
bool pending_copy(struct sigevent *mine, const struct sigevent *event);

/* Sends a signal of a timer to this thread of the job. NULL: the job has no POSIX threads. */
extern void (*pending_send_to)(pthread_t thread, int sig, union sigval value)
    __attribute__((visibility("hidden")));

#endif
