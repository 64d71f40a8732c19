/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system_sigaction.h - the C library's sigaction and pthread_sigmask, bypassing the ones that this
 * library defines for programs (hlrc/crash/handlers.h): by the name that glibc uses internally, or
 * as a system call. */
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

/* ASSUMPTION: `set` comes from sigfillset or sigemptyset, or from the system: it lacks the signals
 * that the C library reserves. */
static inline int system_sigaction_mask(int how, const sigset_t *set, sigset_t *old)
{
    int before = errno;
    int rc = syscall(SYS_rt_sigprocmask, how, set, old, (size_t)8) == 0 ? 0 : errno;
    errno = before;
    return rc;
}

#endif
