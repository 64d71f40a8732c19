/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * job_signals.h - signals of a program that is one process to its user, on several nodes under
 * hlrcrun. Node 0 has the program's handlers and gets its signals (launch/forward.h). A terminal,
 * and a program that signals a process group, reaches the other nodes as well: there SIGINT,
 * SIGTERM and SIGHUP only count if hlrcrun has sent them, to end the job.
 */
#ifndef HLRC_JOB_SIGNALS_H
#define HLRC_JOB_SIGNALS_H

/* The program does not know HLRC. Its own habits are not reported: faults that it handles itself,
 * and locks held at the end. Its standard output is buffered as without HLRC. And its signals are
 * as above, unless another launcher than hlrcrun has started it. After hlrc_init. Exported for
 * libhlrc_compat. */
void hlrc_program_unaware(void);

#endif
