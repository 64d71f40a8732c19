/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_json.h - a timeline in the format of Chrome's trace events, which Perfetto and
 * chrome://tracing show ("Trace Event Format", of the Chromium project, 2016).
 *
 * A node is a process there, a thread a thread. Spans are events X; that a lock is held is a pair
 * b and e, by the lock's number at its node; an arrow is a pair s and f, numbered through.
 */
#ifndef HLRC_TIMELINE_JSON_H
#define HLRC_TIMELINE_JSON_H

#include "hlrc/progress/timeline_read.h"

struct config;
struct timeline_report {
    const struct config *config;
    int nodes;
    const struct timeline_memory *memory; /* by node */
    struct timeline_moment before, after; /* timeline_read.h */
    bool complete;                        /* the job came to its end */
};

/* timeline_write - to a file. 0 or a negative errno after one line; another line says what was
 * dropped */
int timeline_write(const struct timeline_report *report, const char *where);

#endif
