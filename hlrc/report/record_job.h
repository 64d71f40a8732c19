/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * record_job.h - writes --trace-sim at the end: node 0 gathers the records of all nodes (gather.h)
 * and writes the file (base/record.h).
 *
 *   - The file ends with a digest of all before it, so truncation and changes are detected. There
 *     is no file for a job that fails, or if a thread recorded more than fits: a message says so.
 */
#ifndef HLRC_RECORD_JOB_H
#define HLRC_RECORD_JOB_H

int record_job_check(void);   /* once the options are known; 0, or a negative errno after a line */
int record_job_start(void);   /* before a second thread exists; result as above */
void record_job_mark(void);   /* the program's part ends here, with hlrc_finalize's barrier */
void record_job_finish(void); /* collective, when no node sends any more */
void record_job_end(void);    /* when no thread is left */

#endif
