/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_PROCESS_H
#define HLRC_PROCESS_H

/*
 * Processes identified by descriptor. A pidfd names one process as long as it is open: unlike a
 * pid it is never reused. It becomes readable when the process has ended, even if that is not our
 * child.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int process_open(pid_t pid); /* pidfd, closed on exec, or a negative errno */
int process_signal(int pidfd, int sig);
bool process_ended(int pidfd); /* true for a zombie as well */
/* whether the system is writing its core dump (Linux 4.15) */
bool process_dumping(pid_t pid);
/* whether its first thread is runnable or in uninterruptible sleep */
bool process_runs(pid_t pid);

/* whether the signal would not end it: it handles or ignores it, or all its threads block it */
bool process_withstands(pid_t pid, int sig);

/*
 * process_sweep - send sig to all descendants of the n roots, and to the roots if they_too; skip
 * and its descendants are spared. Descendants are found through /proc. Returns the number
 * signalled.
 */
int process_sweep(const pid_t *roots, size_t n, bool they_too, pid_t skip, int sig);

#endif
