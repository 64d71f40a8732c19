/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system_sigaction.h - the C library's sigaction and pthread_sigmask, past those that this library
 * defines for programs (hlrc/crash/handlers.h): under the name that glibc's own parts use, or as
 * the system's call. */
#ifndef HLRC_SYSTEM_SIGACTION_H
#define HLRC_SYSTEM_SIGACTION_H

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);

static inline int system_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    return __sigaction(sig, act, old);
}

/* ASSUMPTION: `set` is one of sigfillset or sigemptyset, or what the system has said: without the
 * signals that are the C library's own. */
static inline int system_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    int before = errno;
    int rc = syscall(SYS_rt_sigprocmask, how, set, old, (size_t)8) == 0 ? 0 : errno;
    errno = before;
    return rc;
}

#endif
