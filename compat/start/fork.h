/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fork.h - see fork.c for the invariants. */
#ifndef COMPAT_FORK_H
#define COMPAT_FORK_H

#include <sys/types.h>

/* The program's fork by a thread of this node. */
pid_t fork_here(void);

/* By a thread without a shared stack, for a thread of another node, whose frames are between `from`
 * and `top`. In the child these are private. */
pid_t fork_for(char *from, char *top);

#endif
