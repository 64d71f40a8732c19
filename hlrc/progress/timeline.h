/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline.h - what each thread of this node did, and when: --trace.
 *
 * Off, nothing is mapped, and what would be noted costs a look at one word that never changes, on
 * paths that ask for the time or send something anyway. On, an event is one record in the buffer of
 * its thread, in memory that whoever writes the file has, too: what was noted outlives the node.
 *
 * Invariants
 *   TL1  A place of a record is taken by one addition, so a signal handler between two stores of
 *        one record writes another. The word that says what it was is cleared before a record is
 *        overwritten, and written last: who reads the buffer of a node that was killed takes whole
 *        records only.
 *   TL2  A buffer keeps its newest records. How many were dropped follows from `count`: it is never
 *        kept silent.
 *   TL3  Spans of one thread nest: one begins and ends within a call that the other one makes.
 *   TL4  An arrow joins two records that name the same thing: the number that the granter chose and
 *        that came with the grant, or the interval of a write notice.
 */
#ifndef HLRC_TIMELINE_H
#define HLRC_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "hlrc/protocol/request.h"

/*
 * X(kind, name, object, peer, extra): what is shown, and what the record's fields are called there;
 * NULL: nothing of that kind. Those with a name are spans. Requests and messages that a node serves
 * come behind these, by type.
 */
#define TIMELINE_KINDS(X)                                                                \
    X(TIMELINE_READ_FAULT, "read fault", "page", NULL, NULL)                             \
    X(TIMELINE_WRITE_FAULT, "write fault", "page", NULL, NULL)                           \
    X(TIMELINE_TOUCH, "touch", "page", NULL, "pages")                                    \
    X(TIMELINE_FETCH, "fetch", "page", "home", NULL)                                     \
    /* taken over by this span; extra: when it was asked for */                          \
    X(TIMELINE_PREFETCH, "fetch ahead", "page", "home", "under_way_us")                  \
    X(TIMELINE_LOCK, "lock", "lock", NULL, NULL)          /* extra: of a grant (TL4) */  \
    X(TIMELINE_RELOCK, "lock again", "lock", NULL, NULL)  /* behind a wait; likewise */  \
    X(TIMELINE_BUSY, "lock is taken", "lock", NULL, NULL) /* a try that failed */        \
    X(TIMELINE_UNLOCK, "unlock", "lock", NULL, NULL)                                     \
    X(TIMELINE_GRANT, "grant", "lock", "to", NULL)               /* extra: the number */ \
    X(TIMELINE_WAIT, "wait for signal", "condition", NULL, NULL) /* likewise */          \
    X(TIMELINE_SIGNAL, "signal", "condition", NULL, NULL)                                \
    X(TIMELINE_WAKE, "wake", "condition", "to", NULL) /* likewise */                     \
    X(TIMELINE_BARRIER, "barrier", "number", NULL, NULL)                                 \
    X(TIMELINE_ARRIVE, "arrive at barrier", "number", NULL, NULL)                        \
    X(TIMELINE_HEAP, "lock of heap", NULL, NULL, NULL) /* extra: of a grant */           \
    X(TIMELINE_GROUP, "barrier of group", "group", NULL, NULL)                           \
    X(TIMELINE_WORD, "word operation", "page", NULL, NULL)                               \
    X(TIMELINE_REDUCE, "reduce", "values", NULL, NULL)                                   \
    X(TIMELINE_BROADCAST, "broadcast", "bytes", NULL, NULL)                              \
    X(TIMELINE_MALLOC_ALL, "malloc_all", "bytes", NULL, NULL)                            \
    X(TIMELINE_FREE_ALL, "free_all", NULL, NULL, NULL)                                   \
    X(TIMELINE_CLOSE, "close interval", "interval", NULL, "pages")                       \
    X(TIMELINE_DIFF, "diff", "page", "home", "bytes") /* extra: interval << 16 too */    \
    X(TIMELINE_ACQUIRE, "apply notices", NULL, NULL, NULL)                               \
    /* pages << 32 | first page; peer wrote them in the interval: extra */               \
    X(TIMELINE_NOTICE, NULL, NULL, NULL, NULL)

enum timeline_kind {
    TIMELINE_NONE, /* a record that is being written (TL1) */
#define X(kind, ...) kind,
    TIMELINE_KINDS(X)
#undef X
        TIMELINE_SERVE,                                  /* and an enum request_type */
    TIMELINE_SERVE_BULK = TIMELINE_SERVE + REQUEST_TYPES /* and an enum bulk_type */
};

struct timeline_record {
    _Atomic uint64_t what; /* enum timeline_kind << 32 | peer + 1 */
    int64_t begin, end;    /* ticks (clock.h) */
    uint64_t object, extra;
};

/* A moment by both clocks of a machine. */
struct timeline_moment {
    int64_t ticks, ns; /* the same where the counter is not used */
};

/* What the clock of this node's machine was ahead of node 0's by, at a moment of its own; `error`:
 * half the round trip in which that was measured. */
struct timeline_offset {
    int64_t at, ahead, error; /* ns; error < 0: not measured */
};

struct timeline_lane {
    _Atomic uint64_t count; /* of records so far; a multiple of 64 bytes for each thread */
    uint64_t unused[7];
};

/* What is at the front of a node's memory; the lanes follow, then the records of each. */
struct timeline_head {
    uint64_t magic;                       /* TIMELINE_MAGIC, written last */
    uint32_t node, nodes, lanes, records; /* records: of one lane */
    uint32_t pid, workers;                /* lanes before the last that are the runtime's */
    uint64_t machine;                     /* the same on nodes that have one clock */
    struct timeline_moment start, end;    /* end: 0 until the node finalizes */
    int64_t real_ns;                      /* time of day at the start */
    struct timeline_offset offset[2];     /* at the start and at the end */
    char host[64];
};

#define TIMELINE_MAGIC UINT64_C(0x31656e696c656d74)

extern bool timeline_on; /* constant from the start of a job to its end */
/* The buffer that a thread writes, + 1; 0: the handler's */
extern _Thread_local uint32_t timeline_lane __attribute__((visibility("hidden")));

/* 0: off; in `end` nothing is noted then. */
static inline int64_t timeline_begin(void)
{
    return timeline_on ? clock_ticks() : 0;
}

/* By the thread that does it; peer -1: none. */
void timeline_note(unsigned kind, int64_t begin, int64_t end, uint64_t object, int peer,
                   uint64_t extra);

static inline void timeline_end(unsigned kind, int64_t begin, uint64_t object, int peer,
                                uint64_t extra)
{
    if (begin)
        timeline_note(kind, begin, clock_ticks(), object, peer, extra);
}

static inline void timeline_mark(unsigned kind, uint64_t object, int peer, uint64_t extra)
{
    int64_t now = timeline_begin();
    if (now)
        timeline_note(kind, now, now, object, peer, extra);
}

/* The number of a grant that this node gives, which is to travel with it (TL4); 0: nobody will
 * ask. */
uint64_t timeline_grant(void);

/* timeline_open - maps the buffers of this node, of `size` bytes for each of its threads, the last
 * `workers` of which are the runtime's, and for the handler: the memory's descriptor, or a negative
 * errno. Before a second thread notes anything. */
int timeline_open(uint64_t size, uint32_t threads, uint32_t workers, uint64_t machine);
struct timeline_head *timeline_head(void); /* NULL: not open */
size_t timeline_bytes(void);
struct timeline_moment timeline_moment(void);
void timeline_stop(void);  /* nothing is noted any more */
void timeline_close(void); /* behind that, when no thread is left */

/* The node that gave the grant of this number; -1: of none. */
static inline int timeline_granter(uint64_t number)
{
    return (int)(number >> 48) - 1;
}

#endif
