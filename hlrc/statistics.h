/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * statistics.h - what becomes of --stats from the start of a job to its end.
 *
 *   SJ1  A job whose statistics could not be written does not begin: node 0 looks before any node
 *        computes. From then on FILE says of a job that it has not come to its end.
 *   SJ2  Of a job that fails there is what was known. Under hlrcrun each node tells what it has
 *        counted twice a second, before a fatal line of its own or its exit, and when hlrcrun lets
 *        it know that the job ends; hlrcrun writes that down. Elsewhere node 0 writes its own
 *        figures to FILE every two seconds.
 */
#ifndef HLRC_STATISTICS_H
#define HLRC_STATISTICS_H

#include "boot/monitor.h"

/* On node 0, once the options are known. 0, or a negative errno after a line. */
int statistics_open(void);

/* Once the counters count, and before the monitor starts. */
void statistics_start(void);

struct monitor_duty statistics_duty(void);
void statistics_ending(void); /* in the monitor's thread */

/* At the end: collective. */
void statistics_finish(void);

#endif
