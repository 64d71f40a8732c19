/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_HOSTS_JOB_H
#define HLRC_HOSTS_JOB_H

/*
 * hlrcrun --restarts with --hosts: hlrcrun stays, and the launcher of the nodes is its child.
 *
 *   - hlrcrun passes the user's signals to the launcher. If hlrcrun is killed, the launcher gets
 *     SIGTERM, and ends its nodes.
 *   - The launcher reports the signal by which a node died in its exit status. rerun.h then
 *     decides whether the job is continued.
 *   - If a host no longer answers, hlrcrun ends the launcher (hosts_watch.h).
 *   - After a failure hlrcrun looks for hosts that are lost (hosts_loss.h). The job continues
 *     without them: their nodes run on places that are spare.
 */

#include "launch/command.h"
#include "launch/job.h"

/* hosts_job_run - `mask`: of the launcher; NULL: as it is. Returns the launcher's exit status, and
 * leaves signals blocked, for rerun_proceed() */
int hosts_job_run(struct job *job, const struct command_line *line, const sigset_t *mask);

#endif
