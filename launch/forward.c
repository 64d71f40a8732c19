/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/forward.h"

#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/job.h"
#include "launch/process.h"

/* Signals only the program: a script around it would die of the signal. */
static void forward_to_node(const struct node *node, int sig)
{
    if (node->engine_fd >= 0)
        process_signal(node->engine_fd, sig);
    else if (!node->ended)
        process_signal(node->pidfd, sig);
}

void forward_signal(struct job *job, int sig)
{
    int nodes = job->nodes[0].takes_signals ? 1 : job->config->nodes;

    for (int i = 0; i < nodes; i++)
        forward_to_node(&job->nodes[i], sig);
}

static pid_t forward_process(const struct node *node)
{
    return node->engine != 0 ? node->engine : node->pid;
}

/* Not if the terminal has sent it there itself. */
static void forward_unless_sent(const struct node *node, const struct signalfd_siginfo *info)
{
    if (info->ssi_code != SI_KERNEL || getpgid(forward_process(node)) != getpgrp())
        forward_to_node(node, (int)info->ssi_signo);
}

bool forward_ending(struct job *job, const struct signalfd_siginfo *info)
{
    struct node *first = &job->nodes[0];
    int64_t since = clock_ms() - job->forwarded_at;
    bool again = job->forwarded == (int)info->ssi_signo;

    if (first->state == NODE_APART) {
        for (int i = 0; i < job->config->nodes; i++)
            forward_unless_sent(&job->nodes[i], info);
        return true;
    }
    if (!first->takes_signals || !node_alive(first) ||
        (again && since >= FORWARD_SAME_MS && since < FORWARD_AGAIN_MS) ||
        !process_withstands(forward_process(first), (int)info->ssi_signo))
        return false;
    if (again && since < FORWARD_SAME_MS)
        return true;
    job->forwarded = (int)info->ssi_signo;
    job->forwarded_at = clock_ms();
    forward_unless_sent(first, info);
    return true;
}
