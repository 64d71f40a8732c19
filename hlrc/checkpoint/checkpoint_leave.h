/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_leave.h - the end of a job that has been saved for it: the time limit of a batch job
 * is near, or the job continues with another number of nodes.
 */
#ifndef HLRC_CHECKPOINT_LEAVE_H
#define HLRC_CHECKPOINT_LEAVE_H

#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_job.h"

/* Ends this process. Collective, after checkpoint `generation` is complete. */
_Noreturn void checkpoint_leave(const struct checkpoint_job *job, uint32_t generation);

/* The same for one process, while its threads are stopped (checkpoint_image_set_leave): prepared
 * before, with the manifest; then it allocates nothing. Its file has that number of bytes. Returns
 * a negative errno if the manifest cannot be written. 0 or -ENOMEM. */
int checkpoint_leave_prepare(const struct checkpoint_job *job, const char *dir,
                             struct checkpoint_manifest *next);
int checkpoint_leave_process(uint64_t bytes);
void checkpoint_leave_cancel(void);

/* Why the job cannot continue with another number of nodes; NULL: it can. `any`: the call is
 * hlrc_checkpoint_any. */
const char *checkpoint_leave_refusal(bool any);

#endif
