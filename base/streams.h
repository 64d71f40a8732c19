/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* streams.h - readahead: detects streams in a thread's faults, and from them the pages that it
 * will fault on next. hlrc/memory/ahead.h has the rules, and opens these pages; the simulator uses
 * this code as well. */
#ifndef HLRC_STREAMS_H
#define HLRC_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#define AHEAD_FIRST   8u
#define AHEAD_DENSE   64u
#define AHEAD_SHARE   8u  /* 64 / 8 is AHEAD_FIRST */
#define AHEAD_DOUBT   4u  /* halvings of it that leave 0 */
#define AHEAD_STREAMS 4u  /* of each kind, per thread */
#define AHEAD_FAR     64u /* pages: a longer stride needs four faults */
#define AHEAD_PAST    16u /* recent faults of each kind, searched for such strides */

struct streams_stream {
    uint32_t last;   /* page of its last fault */
    int32_t stride;  /* pages; 0: unknown */
    uint32_t opened; /* steps beyond `last` that were opened; 0: not confirmed */
    uint32_t seen;   /* time of the last fault, as the count of faults */
    uint32_t run;    /* consecutive faults at the expected page */
    uint32_t front;  /* last page of the current range without gaps, opened pages included, */
    uint32_t dense;  /* and the number of pages in that range [readahead.dense-claims] */
    bool trusted;    /* it has faulted after the pages opened for it */
};

struct streams_table {
    struct streams_stream of[2][AHEAD_STREAMS]; /* loads, stores */
    uint8_t doubt[2];             /* how often the initial readahead of a stream is halved, at most
                       * AHEAD_DOUBT */
    uint8_t last[2];              /* index into the ring below */
    uint32_t past[2][AHEAD_PAST]; /* faults that no stream expected: page + 1; 0: none */
    uint32_t faults;
};

/* A fault on this page: returns how many steps of *stride beyond it to open, at most `most`; 0:
 * none. */
uint32_t streams_ahead_next(struct streams_table *s, uint32_t page, bool write, uint32_t most,
                            int32_t *stride);

/* How many of those `steps` to open with this node as their home, if no node has written them
 * [readahead.dense-claims]; 0: none that way. */
uint32_t streams_ahead_claims(struct streams_table *s, uint32_t page, uint32_t steps);

#endif
