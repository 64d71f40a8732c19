/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* system_sigaction.h - the C library's sigaction, past the one that this library defines for
 * programs (hlrc/crash/handlers.h): under the name that glibc's own parts use. */
#ifndef HLRC_SYSTEM_SIGACTION_H
#define HLRC_SYSTEM_SIGACTION_H

#include <signal.h>

extern int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);

static inline int system_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    return __sigaction(sig, act, old);
}

#endif
