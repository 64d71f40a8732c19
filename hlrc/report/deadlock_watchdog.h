/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deadlock_watchdog.h - detection of a job that stands still. Each node reports
 * (deadlock_report.h) when all of its threads have waited for a while, and on request. hlrcrun
 * gathers the reports and runs the deadlock detector (deadlock_detect.h). With another launcher,
 * or none, nodes write their reports into memory of node 0, which runs it.
 *
 *   thread             monitor of its node             hlrcrun, or the monitor of node 0
 *   about to sleep --> a second later: all wait? ----> all nodes wait, for each other?
 *                      report of this epoch            a second later, all asked: the same epochs?
 *                                                      prints the waits; the job ends
 *
 *   - Nothing is done while no thread has waited for a second. While other threads compute, the
 *     monitor checks every two seconds. A report is sent to hlrcrun once for each epoch, to node 0
 *     every second while all threads wait.
 *   - A report in node 0's memory is whole if the numbers before and after it are equal: they are
 *     written before and after it [fabric.write-order]. Of two reports that are compared for
 *     [deadlock.two-rounds] the later has a number greater by at least two, so it was begun after
 *     the first reports of all nodes were read.
 */
#ifndef HLRC_DEADLOCK_WATCHDOG_H
#define HLRC_DEADLOCK_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

int deadlock_watchdog_init(void); /* Returns 0 or a negative errno. After the windows are made. */
void deadlock_watchdog_end(void);

/* For the monitor (boot/monitor.h). deadlock_watchdog_look checks the waits and returns the
 * milliseconds until the next check; 0: it rests. deadlock_watchdog_asked answers hlrcrun. */
int deadlock_watchdog_look(void);
void deadlock_watchdog_asked(uint32_t number);

/* Called every second if this node enforces --timeout itself: reports, and ends the job. */
void deadlock_watchdog_count(void);

#endif
