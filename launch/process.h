/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_PROCESS_H
#define HLRC_PROCESS_H

/*
 * Processes held by descriptor. A pidfd names one process for as long as it is open: unlike a pid
 * it cannot come to mean another one, and it becomes readable when the process has ended, whichever
 * process its parent is.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int process_open(pid_t pid); /* pidfd, closed on exec, or a negative errno */
int process_signal(int pidfd, int sig);
bool process_ended(int pidfd); /* a zombie has ended */
/* whether the system writes its core dump at this moment (Linux 4.15) */
bool process_dumping(pid_t pid);
/* whether it would go on if it had a CPU, or what it asked the system for; its first thread */
bool process_runs(pid_t pid);

/*
 * process_sweep - send sig to all descendants of the n roots, and to the roots when they_too; skip
 * is spared with its family. Descendants are found through /proc. Returns how many were signalled.
 */
int process_sweep(const pid_t *roots, size_t n, bool they_too, pid_t skip, int sig);

#endif
