/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_GUARD_H
#define HLRC_GUARD_H

/*
 * A process that outlives hlrcrun when that is killed, and then ends the nodes.
 *
 *   GD1  It is forked before any node, pipe or socket of the job exists, so it holds none of them
 *        open.
 *   GD2  It learns of hlrcrun's end from the kernel, by the end of their socket; it holds the other
 *        end of nothing else.
 *   GD3  A process is made known to it before it may run anything, by pidfd: the guard cannot kill
 *        a stranger.
 *   GD4  It prints the one message of the job unless hlrcrun had printed one.
 *   GD5  hlrcrun dismisses it at the end, and waits for it.
 */

#include <sys/types.h>

struct guard {
    pid_t pid;
    int fd;
};

int guard_start(struct guard *guard); /* 0 or a negative errno */
int guard_watch(const struct guard *guard, pid_t pid, int pidfd);
void guard_hush(const struct guard *guard); /* the message of the job has been printed */
void guard_dismiss(struct guard *guard);

#endif
