/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* masks.c - replaces the C library's pthread_sigmask and sigprocmask in the whole process, so that
 * a signal that must stay unblocked is not blocked: see handlers.h. */
#include <errno.h>
#include <signal.h>

#include "base/system_sigaction.h"
#include "hlrc/crash/handlers.h"

/* The C library reserves the real-time signals below SIGRTMIN. */
static void masks_leave_out_internal(sigset_t *set)
{
    for (int sig = __SIGRTMIN; sig < SIGRTMIN; sig++)
        set->__val[0] &= ~(1UL << (sig - 1));
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    if (set && how != SIG_UNBLOCK) {
        copy = *handlers_opened(set, &copy);
        masks_leave_out_internal(&copy);
        set = &copy;
    }
    return system_sigaction_mask(how, set, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int rc = pthread_sigmask(how, set, old);
    if (rc == 0)
        return 0;
    errno = rc;
    return -1;
}
