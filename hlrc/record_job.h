/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * record_job.h - what becomes of --trace-sim at the end: node 0 gathers what all nodes have noted
 * (gather.h) and writes the file (base/record.h).
 *
 *   TW1  The file ends with a digest of all before it, so one that was cut short or changed is
 *        known. There is none of a job that fails, nor of one of whose threads noted more than
 *        there was room for: a line says so.
 */
#ifndef HLRC_RECORD_JOB_H
#define HLRC_RECORD_JOB_H

int record_job_check(void);   /* once the options are known; 0, or a negative errno after a line */
int record_job_start(void);   /* before a second thread exists; likewise */
void record_job_mark(void);   /* the program's part is over, with hlrc_finalize's barrier */
void record_job_finish(void); /* collective, when no node sends any more */
void record_job_end(void);    /* when no thread is left */

#endif
