/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_RERUN_H
#define HLRC_RERUN_H

/*
 * hlrcrun --restarts and --resize: after the death of a node, or after the job was saved for
 * another number of nodes, hlrcrun executes itself with --restart.
 *
 *   - A job is continued only if a signal ended a node, or its host is lost. If hlrcrun got SIGINT,
 *     SIGTERM or SIGHUP, or the signal of which the node died, the user has ended it.
 *   - It is continued from its own newest complete checkpoint, or from the one it was started
 *     from. The directory may have checkpoints of an earlier job, which the nodes would refuse.
 *   - Before, all processes of the job have ended: one of them may hold the lock of the directory,
 *     or complete a checkpoint.
 *   - hlrcrun undoes its changes to what nodes inherit. Signals stay blocked until the next job
 *     reads them, so none is lost or ends hlrcrun in between. HLRC_RERUN has the mask of before,
 *     and with --partner the guard, and the descriptor and name of the directory.
 *   - For another number of nodes (resize.h) it continues from the checkpoint on the disk that was
 *     written for it. HLRC_RESIZED has the numbers and the time for the line of the next job.
 *   - On several hosts it continues without the lost ones (hosts_loss.h): HLRC_LOST has their
 *     names.
 *   - A newer checkpoint in memory is used. If one is lost, the job ends: the user decides about
 *     the older one on a disk.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/command.h"
#include "launch/job.h"
#include "launch/partner.h"
#include "launch/resize.h"

struct rerun {
    char **environment; /* at the start of hlrcrun; NULL: no memory */
    int directory;      /* then, or -1 */
    bool again;         /* hlrcrun executed itself */
    sigset_t mask;      /* if so, the one of the user */
    uint32_t newest;    /* checkpoint of an earlier job in the directory of --checkpoint */
    struct partner partner;
    struct guard guard;   /* of the job before; pid 0: none */
    struct resize resize; /* of the next job */
};

/* rerun_begin - before anything changes environment or directory */
void rerun_begin(struct rerun *rerun);
/* rerun_start - before the job starts. 0, or a negative errno and one line */
int rerun_start(struct rerun *rerun, const struct config *cfg, char *err, size_t errlen);
/* rerun_proceed - after the job has ended with `status`. Returns it if the job is not continued,
 * after one line if it might have been. */
int rerun_proceed(struct rerun *rerun, const struct command_line *line, struct job *job,
                  int status);

#endif
