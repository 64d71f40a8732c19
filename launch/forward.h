/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_FORWARD_H
#define HLRC_FORWARD_H

/*
 * Signals of the user, which hlrcrun forwards to the program.
 *
 *   - A program that is one process to its user, a program of hlrcc, has its signals at node 0:
 *     either it runs as one process (NODE_APART), or node 0 has said so (WIRE_SIGNALS). Its other
 *     nodes ignore such signals of other senders than hlrcrun (hlrc/job_signals.c).
 *   - A signal of the terminal has reached all processes of its group: it is not forwarded again.
 *   - A process group gets some signals twice, as from timeout(1). Repetitions within
 *     FORWARD_SAME_MS count as one signal. A further one within FORWARD_AGAIN_MS ends the job.
 */

#include <stdbool.h>
#include <sys/signalfd.h>

struct job;

enum { FORWARD_SAME_MS = 100, FORWARD_AGAIN_MS = 1000 };

/* SIGUSR1, SIGUSR2. */
void forward_signal(struct job *job, int sig);

/* A signal that usually ends a program. True: this one handles, ignores or blocks it, and
 * continues. */
bool forward_ending(struct job *job, const struct signalfd_siginfo *info);

#endif
