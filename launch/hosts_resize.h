/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_RESIZE_H
#define HLRC_HOSTS_RESIZE_H

/*
 * hlrcrun --resize of a job on several hosts, whose nodes have no connection to hlrcrun:
 *
 *     hlrcrun --resize N    SIGUSR2 with the value N --> hlrcrun of the job, which may refuse
 *     hlrcrun of the job    SIGUSR1 --> its launcher --> the nodes, which save the job on the disk
 *     hlrcrun of the job    reads the manifest of a new checkpoint, ends the launcher, and executes
 *                           itself with --restart and --nodes N (rerun.h)
 *
 *   - A job that was not saved by hlrc_checkpoint_any continues as it is.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>

#include "launch/job.h"

enum { HOSTS_RESIZE_LOOK_MS = 50 };

struct hosts_resize {
    uint32_t before; /* newest checkpoint on the disk at the request */
    const char *dir;
};

/* hosts_resize_request - SIGUSR2 with a value. True: SIGUSR1 has to be passed to the nodes */
bool hosts_resize_request(struct job *job, struct hosts_resize *resize,
                          const struct signalfd_siginfo *info);
/* hosts_resize_proceed - true once the job has been saved: its launcher has to end */
bool hosts_resize_proceed(struct job *job, const struct hosts_resize *resize);

#endif
