/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deadlock_collect.h - makes this node's report (deadlock_report.h). The layers above add their
 * parts: held locks, progress of barriers.
 */
#ifndef HLRC_DEADLOCK_COLLECT_H
#define HLRC_DEADLOCK_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/report/deadlock_report.h"

/* A report under construction. Parts fill in their entries and count them in the head. */
struct report_draft {
    struct report head;
    struct report_wait waits[REPORT_WAITS];
    struct report_held held[REPORT_HELD];
    struct report_meeting meetings[REPORT_MEETINGS];
};

#define REPORT_PARTS 8

/* Registers a part. It takes no lock and does not wait. Called before a second thread exists. */
void deadlock_collect_reporter_add(void (*part)(struct report_draft *));
void deadlock_collect_reporter_end(void); /* forgets all parts */

/* A report of this moment, valid until the next call. For one thread at a time, the monitor's. */
const struct report *deadlock_collect_reporter_make(uint32_t number);

/* For parts: drops an entry if there is no room. */
void deadlock_collect_add_held(struct report_draft *d, uint32_t lock, uint32_t thread);
void deadlock_collect_add_meeting(struct report_draft *d, struct report_meeting meeting);

#endif
