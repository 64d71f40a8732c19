/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reporter.h - makes this node's report (report.h). What lies above adds its part: which locks are
 * held, how far meetings are.
 */
#ifndef HLRC_REPORTER_H
#define HLRC_REPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/progress/report.h"

/* A report in the making. Parts fill in what they know, and count it in the head. */
struct report_draft {
    struct report head;
    struct report_wait waits[REPORT_WAITS];
    struct report_held held[REPORT_HELD];
    struct report_meeting meetings[REPORT_MEETINGS];
};

#define REPORT_PARTS 8

/* Registers a part. It takes no lock and does not wait (RE1). Before a second thread exists. */
void reporter_add(void (*part)(struct report_draft *));
void reporter_end(void); /* forgets all parts */

/* The report of this moment; valid until the next one. For one thread at a time, the monitor's. */
const struct report *reporter_make(uint32_t number);

/* For parts: leaves out what there is no room for. */
void report_add_held(struct report_draft *d, uint32_t lock, uint32_t thread);
void report_add_meeting(struct report_draft *d, struct report_meeting meeting);

#endif
