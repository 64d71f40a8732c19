/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline.h - what each thread of this node did, and when: --trace.
 *
 * If it is off, nothing is mapped, and an event costs a test of one word that never changes, on
 * paths that read the clock or send something anyway. If it is on, an event is one record in the
 * buffer of its thread. The buffers are in memory that the process that writes the file has as
 * well, so they outlive the node.
 *
 * Invariants
 *   - One atomic addition reserves the slot of a record. So a signal handler that interrupts the
 *     stores of a record writes another record. The word `what` is cleared before a record is
 *     overwritten, and written last. So a reader of the buffers of a killed node takes whole
 *     records only.
 *   - A buffer keeps its newest records. The number of dropped records follows from `count` and is
 *     always reported.
 *   - Spans of one thread nest: a span begins and ends within a call that the outer span covers.
 *   - An arrow joins two records that name the same thing: the number that the granter chose and
 *     that came with the grant, or the interval of a write notice.
 */
#ifndef HLRC_TIMELINE_H
#define HLRC_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "hlrc/core/request.h"

/*
 * X(kind, name, object, peer, extra): the displayed name, and the displayed names of the record's
 * fields. NULL: the kind has no such field. Kinds with a name are spans. The types of served
 * requests and messages follow these kinds.
 */
#define TIMELINE_KINDS(X)                                                                    \
    X(TIMELINE_READ_FAULT, "read fault", "page", NULL, NULL)                                 \
    X(TIMELINE_WRITE_FAULT, "write fault", "page", NULL, NULL)                               \
    X(TIMELINE_TOUCH, "touch", "page", NULL, "pages")                                        \
    X(TIMELINE_FETCH, "fetch", "page", "home", NULL)                                         \
    /* used by this span; extra: when the fetch started */                                   \
    X(TIMELINE_PREFETCH, "fetch ahead", "page", "home", "under_way_us")                      \
    X(TIMELINE_LOCK, "lock", "lock", NULL, NULL)          /* extra: of a grant */            \
    X(TIMELINE_RELOCK, "lock again", "lock", NULL, NULL)  /* after a wait; extra as above */ \
    X(TIMELINE_BUSY, "lock is taken", "lock", NULL, NULL) /* a failed try */                 \
    X(TIMELINE_UNLOCK, "unlock", "lock", NULL, NULL)                                         \
    X(TIMELINE_GRANT, "grant", "lock", "to", NULL)               /* extra: the number */     \
    X(TIMELINE_WAIT, "wait for signal", "condition", NULL, NULL) /* as above */              \
    X(TIMELINE_SIGNAL, "signal", "condition", NULL, NULL)                                    \
    X(TIMELINE_WAKE, "wake", "condition", "to", NULL) /* as above */                         \
    X(TIMELINE_BARRIER, "barrier", "number", NULL, NULL)                                     \
    X(TIMELINE_ARRIVE, "arrive at barrier", "number", NULL, NULL)                            \
    X(TIMELINE_HEAP, "lock of heap", NULL, NULL, NULL) /* extra: of a grant */               \
    X(TIMELINE_GROUP, "barrier of group", "group", NULL, NULL)                               \
    X(TIMELINE_WORD, "word operation", "page", NULL, NULL)                                   \
    X(TIMELINE_REDUCE, "reduce", "values", NULL, NULL)                                       \
    X(TIMELINE_BROADCAST, "broadcast", "bytes", NULL, NULL)                                  \
    X(TIMELINE_MALLOC_ALL, "malloc_all", "bytes", NULL, NULL)                                \
    X(TIMELINE_FREE_ALL, "free_all", NULL, NULL, NULL)                                       \
    X(TIMELINE_CLOSE, "close interval", "interval", NULL, "pages")                           \
    X(TIMELINE_DIFF, "diff", "page", "home", "bytes") /* extra: interval << 16 too */        \
    X(TIMELINE_ACQUIRE, "apply notices", NULL, NULL, NULL)                                   \
    X(TIMELINE_CHECKPOINT, "write checkpoint", "number", NULL, "bytes")                      \
    /* pages << 32 | first page; peer wrote them in interval extra */                        \
    X(TIMELINE_NOTICE, NULL, NULL, NULL, NULL)

enum timeline_kind {
    TIMELINE_NONE, /* a record that is being written */
#define X(kind, ...) kind,
    TIMELINE_KINDS(X)
#undef X
        TIMELINE_SERVE,                                  /* plus an enum request_type */
    TIMELINE_SERVE_BULK = TIMELINE_SERVE + REQUEST_TYPES /* plus an enum bulk_type */
};

struct timeline_record {
    _Atomic uint64_t what; /* enum timeline_kind << 32 | peer + 1 */
    int64_t begin, end;    /* ticks (clock.h) */
    uint64_t object, extra;
};

/* How far the clock of this node's machine was ahead of node 0's, at a local time. `error`: half
 * the round trip of the measurement. */
struct timeline_offset {
    int64_t at, ahead, error; /* ns; error < 0: not measured */
};

struct timeline_lane {
    _Atomic uint64_t count; /* records so far; the struct keeps threads 64 bytes apart */
    uint64_t unused[7];
};

/* Head of a node's memory. The lanes follow, then the records of each lane. */
struct timeline_head {
    uint64_t magic;                       /* TIMELINE_MAGIC, written last */
    uint32_t node, nodes, lanes, records; /* records: of one lane */
    uint32_t pid, workers;                /* workers: lanes of the runtime, before the last two */
    uint64_t size;                        /* bytes of records of a lane, as requested */
    uint64_t machine;                     /* equal on nodes that share one clock */
    struct clock_moment start, end;       /* end: 0 until the node finalizes */
    int64_t real_ns;                      /* time of day at the start */
    struct timeline_offset offset[2];     /* at the start and at the end */
    char host[64], fabric[32], protocol[32];
};

#define TIMELINE_MAGIC UINT64_C(0x33656e696c656d74)

/* By the thread that did it; a thread without a slot is the handler, or writes a checkpoint. The
 * engine names events (hlrc/probe/events.h). */
void timeline_note(unsigned kind, int64_t begin, int64_t end, uint64_t object, int peer,
                   uint64_t extra);

/* A new number for a grant of this node, to be sent with it. */
uint64_t timeline_grant(void);

/* timeline_memory - maps memory of `room` bytes that another process can read. Returns its
 * descriptor or a negative errno. */
int timeline_memory(size_t room, void **mem);

/* timeline_open - maps the buffers of this node, of `size` bytes for each of its threads, the last
 * `workers` of which are the runtime's, for checkpoints and for the handler. Returns the memory's
 * descriptor or a negative errno. Called before a second thread notes anything. */
int timeline_open(uint64_t size, uint32_t threads, uint32_t workers, uint64_t machine);
struct timeline_head *timeline_head(void); /* NULL: not open */
size_t timeline_bytes(void);
void timeline_stop(void);  /* nothing is noted after this */
void timeline_close(void); /* after timeline_stop, when no thread is left */

/* The node that gave the grant of this number; -1: none. */
static inline int timeline_granter(uint64_t number)
{
    return (int)(number >> 48) - 1;
}

#endif
