/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_GUARD_H
#define HLRC_GUARD_H

/*
 * The guard: a process that outlives a killed hlrcrun and then ends the nodes.
 *
 *   - It is forked before any node, pipe or socket of the job exists, so it holds none of them
 *     open.
 *   - The kernel notifies it of hlrcrun's end: their socket reports end of file. It holds the other
 *     end of nothing else.
 *   - Each process is registered by pidfd before it may run anything, so the guard cannot kill an
 *     unrelated process.
 *   - It prints the job's only message unless hlrcrun has printed one.
 *   - hlrcrun dismisses it at the end, and waits for it. With --partner it does so once it will not
 *     continue the job, or the guard of the continued job exists: the memory is always guarded.
 *   - A second guard, the witness, replaces one that is killed. It is the guard's child, with other
 *     names for tools that find processes by name. The guard forwards it all orders, and kills it
 *     at the end. Once their socket reports end of file it reads hlrcrun's orders itself.
 */

#include <sys/types.h>

struct guard {
    pid_t pid;
    int fd;
};

/* 0 or a negative errno. The guard also removes the directory `memory`, unless it is empty. */
int guard_start(struct guard *guard, const char *memory);
int guard_watch(const struct guard *guard, pid_t pid, int pidfd);
void guard_hush(const struct guard *guard); /* the message of the job has been printed */
void guard_dismiss(struct guard *guard);

#endif
