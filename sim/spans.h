/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spans.h - how long a node of a traced run computed between any two synchronization points, and
 * the same at the pace of another run.
 *
 *   - A span takes, in total, exactly the nanoseconds that it took in the other run. Its items get
 *     shares of that as in this run. If they took no time here, the item that ends the span gets
 *     all of it.
 */
#ifndef SIM_SPANS_H
#define SIM_SPANS_H

#include "sim/trace.h"

struct spans_span {
    uint64_t ns;        /* of computing, without fault handling */
    unsigned char kind; /* of the item that ends it (base/record.h) */
};

struct spans {
    struct spans_span *at;
    uint32_t count, room;
};

/* spans_read - the rest after the last point is a span as well, of kind RECORD_KIND_COUNT */
void spans_read(struct spans *s, const struct trace *t, unsigned node);
void spans_free(struct spans *s);

/* Whether an item of this kind is a fault. */
bool spans_faults(unsigned kind);

/* Nanoseconds of one item, without its fault. */
uint64_t spans_of_item(const struct trace *t, unsigned kind, uint64_t time);

/* Whether an item of this kind ends a span. */
bool spans_ends(unsigned kind);

/* spans_differ - the first point, from 1, where two runs synchronize differently; 0: none */
uint32_t spans_differ(const struct spans *a, const struct spans *b);

/* The pace of another run of the same program. */
struct spans_pace {
    struct spans here, there;
    uint32_t at;
    uint64_t done, given; /* of the current span, here and there */
};

/* spans_pace_begin - returns the result of spans_differ; holds nothing if the runs differ */
uint32_t spans_pace_begin(struct spans_pace *p, const struct trace *here, const struct trace *there,
                          unsigned node);
void spans_pace_end(struct spans_pace *p);

/* spans_pace_next - the nanoseconds of the next item, which took UNITS here */
uint64_t spans_pace_next(struct spans_pace *p, unsigned kind, uint64_t units);

#endif
