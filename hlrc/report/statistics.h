/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * statistics.h - collects and writes --stats, from the start of a job to its end.
 *
 *   - A job whose statistics could not be written does not begin: node 0 checks before any node
 *     computes. From then on FILE states that the job has not ended.
 *   - For a job that fails the last known figures are written. Under hlrcrun each node reports its
 *     counts twice a second, before its own fatal message or its exit, and when hlrcrun announces
 *     the end of the job; hlrcrun writes them. Elsewhere node 0 writes its own figures to FILE
 *     every two seconds.
 */
#ifndef HLRC_STATISTICS_H
#define HLRC_STATISTICS_H

#include "boot/monitor.h"

/* On node 0, once the options are known. 0, or a negative errno after a line. */
int statistics_open(void);

/* Once the counters count, before the monitor starts. */
void statistics_start(void);

struct monitor_duty statistics_duty(void);
void statistics_ending(void); /* in the monitor's thread */

/* At the end: collective. */
void statistics_finish(void);

#endif
