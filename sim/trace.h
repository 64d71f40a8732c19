/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trace.h - reads a file of --trace-sim (base/record.h): the actions of each node's thread, in
 * order.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include "base/record.h"

#define TRACE_NODES_MAX 1024u

struct trace_part {
    uint64_t count[RECORD_COUNTER_COUNT];
    const unsigned char *closings, *closings_end;
    uint64_t closing_count;
    const unsigned char *stream, *stream_end;
    uint64_t streams;
};

struct trace {
    uint64_t set[RECORD_SETTING_COUNT];
    struct trace_part *part; /* one for each node */
    unsigned char *bytes;
    size_t length;
};

/* trace_read - parses BYTES, which the trace refers to from then on and does not own; NULL, or the
 * error message, with nothing to be freed */
const char *trace_read(struct trace *t, const unsigned char *bytes, size_t length);

/* trace_load - reads a file; ends the program with an error line if it is invalid or
 * not supported */
void trace_load(struct trace *t, const char *file);
void trace_free(struct trace *t);

#endif
