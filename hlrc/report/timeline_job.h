/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_job.h - collects and writes --trace, from the start of a job to its end.
 *
 *   - Under hlrcrun each node passes it the memory of its records (timeline.h), before any node
 *     computes: hlrcrun writes FILE after all have ended, however they did. Elsewhere node 0
 *     gathers the other nodes' memory when the job finalizes, through the fabric, piece by piece.
 *   - The clock of each machine is compared with node 0's at the start and at the end: the first of
 *     its nodes writes a word to node 0, which writes its time back. The shortest of many such
 *     round trips is used. Node 0 read its clock at some moment of it, so half of it bounds the
 *     error.
 */
#ifndef HLRC_TIMELINE_JOB_H
#define HLRC_TIMELINE_JOB_H

#include <stddef.h>
#include <stdint.h>

/* At node 0, one per other node; and at a node, the answer of node 0. */
#define TIMELINE_CLOCK_BYTES 64u

int timeline_job_start(void);   /* collective, before a second thread exists; result as above */
void timeline_job_finish(void); /* collective, when no node sends any more */

#endif
