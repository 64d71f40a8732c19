/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* streams.h - a thread's faults, sorted into streams: which pages it will fault on next. The rules
 * are those of hlrc/memory/ahead.h, which opens these pages; the simulator has them, too. */
#ifndef HLRC_STREAMS_H
#define HLRC_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#define AHEAD_FIRST   8u
#define AHEAD_DENSE   64u
#define AHEAD_SHARE   8u  /* 64 / 8 is AHEAD_FIRST */
#define AHEAD_DOUBT   4u  /* halvings of them that leave none */
#define AHEAD_STREAMS 4u  /* of each kind, per thread */
#define AHEAD_FAR     64u /* pages: of a longer stride four faults are wanted */
#define AHEAD_PAST    16u /* faults of each kind among which they are looked for */

struct ahead_stream {
    uint32_t last;   /* page of the fault that it was last seen at */
    int32_t stride;  /* pages; 0: not known */
    uint32_t opened; /* steps beyond `last` that were opened; 0: not confirmed */
    uint32_t seen;   /* when, by the count of faults */
    uint32_t run;    /* faults where it was expected, one after the other */
    uint32_t front;  /* the last page of those that it has come by with none left out, */
    uint32_t dense;  /* and how many those are (AH5) */
    bool trusted;    /* it has faulted behind what was opened for it */
};

struct ahead_streams {
    struct ahead_stream of[2][AHEAD_STREAMS]; /* loads, stores */
    uint8_t doubt[2]; /* how often the first pages of a stream are halved, at most AHEAD_DOUBT */
    uint8_t last[2];  /* of the ring below */
    uint32_t past[2][AHEAD_PAST]; /* faults that no stream expected: page + 1; 0: none */
    uint32_t faults;
};

/* A fault on this page: how many steps of *stride beyond it to open, at most `most`; 0 none. */
uint32_t ahead_next(struct ahead_streams *s, uint32_t page, bool write, uint32_t most,
                    int32_t *stride);

/* How many of those `steps` are opened, and get a home here, where nobody has written (AH5); 0:
 * that is up to others. */
uint32_t ahead_claims(struct ahead_streams *s, uint32_t page, uint32_t steps);

#endif
