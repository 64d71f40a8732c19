/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signals.h - see signals.c. */
#ifndef COMPAT_SIGNALS_H
#define COMPAT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Sets what node 0 does on this signal at this node, too. */
void signals_get_handler(int sig);

/* This is not node 0, and the program sets handlers: node 0 performs sleeps, which signals of the
 * process end there [delegate.mask]. */
bool signals_end_sleeps(void);

/* pthread_sigqueue for the calling thread. */
int signals_queue_own(int sig, union sigval value);
int __wrap_raise(int sig);
int __wrap_tgkill(pid_t process, pid_t thread, int sig);

#endif
