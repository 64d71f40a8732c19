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

#include <stdbool.h>

#include "tools/timeline_read.h"

/* timeline_json_write - writes to a file; a line reports dropped records. `complete`: the job ended
 * normally. Returns 0 or a negative errno. */
int timeline_json_write(const struct timeline_read_all *t, const char *where, bool complete);

#endif
