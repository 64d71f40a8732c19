/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_json.h - a timeline in the format of Chrome's trace events, for Perfetto and
 * chrome://tracing ("Trace Event Format", of the Chromium project, 2016).
 *
 * A node is a process in this format, and a thread a thread. Spans are events X. A held lock is a
 * pair b and e, by the lock's number at its node. An arrow is a pair s and f with a running
 * number.
 */
#ifndef HLRC_TIMELINE_JSON_H
#define HLRC_TIMELINE_JSON_H

#include "hlrc/report/timeline_read.h"

struct config;
struct timeline_json_report {
    const struct config *config;
    int nodes;
    const struct timeline_read_memory *memory; /* by node */
    struct timeline_moment before, after;      /* timeline_read.h */
    bool complete;                             /* the job ended normally */
};

/* timeline_json_write - writes to a file. Returns 0, or a negative errno after printing one line.
 * Another line reports dropped records. */
int timeline_json_write(const struct timeline_json_report *report, const char *where);

#endif
