/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * standstill.h - a job that stands still is found out. Each node reports (report.h) when all of its
 * threads have waited for a while, and when it is asked; hlrcrun gathers the reports and judges
 * (judge.h). Where another launcher started the job, or nobody did, nodes write their reports into
 * memory of node 0, which judges.
 *
 *   thread             monitor of its node             hlrcrun, or the monitor of node 0
 *   about to sleep --> a second later: all wait? ----> all nodes wait, for each other?
 *                      report of this epoch            a second later, all asked: the same epochs?
 *                                                      told; the job ends
 *
 *   SS1  Nothing is done for it while no thread has waited for a second; while others compute,
 *        there is a look every two. A report is told once for each epoch to hlrcrun; to node 0
 *        every second, while all threads wait.
 *   SS2  A report in node 0's memory is whole where the number in front of it and the one behind
 *        are the same: they are written before and after it (fabric.h F1). Of two that are compared
 *        for JU2 the later has a number greater by two at least: it was begun after the first ones
 *        of all nodes were read.
 */
#ifndef HLRC_STANDSTILL_H
#define HLRC_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

int standstill_init(void); /* 0 or a negative errno; behind the windows */
void standstill_end(void);

/* For the monitor (boot/monitor.h): looks, and says when next; answers hlrcrun. */
int standstill_look(void);
void standstill_asked(uint32_t number);

/* A duty every second, where --timeout is this node's own affair: tells, and ends the job. */
void standstill_count(void);

#endif
