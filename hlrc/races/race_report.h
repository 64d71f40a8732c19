/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * race_report.h - with --check races: reports each race found here (races/races.h) by a line,
 * from a separate thread, and the total when the job finalizes.
 */
#ifndef HLRC_RACE_REPORT_H
#define HLRC_RACE_REPORT_H

#include <stdint.h>

int race_report_start(void); /* before the first flush; 0 or a negative errno */

/* Returns when all races that this node has found are reported. */
void race_report_stop(void);

/* Reports the number of races found by all nodes: node 0 prints it, and the process's status
 * becomes STATUS_RACES if it would be 0. */
void race_report_sum(uint64_t found);

#endif
