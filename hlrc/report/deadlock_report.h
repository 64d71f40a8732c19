/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deadlock_report.h - a node's report of its threads' waits, sent to hlrcrun or to node 0, for the
 * deadlock detector (deadlock_detect.h).
 *
 * The wire format of a report: a head, then waits, held locks, and barriers of pairs, in this
 * order.
 *
 *   - A report is made without a lock and without waiting, at any moment. Its epoch is a digest of
 *     the waits, by the instant at which each began, and of the signals under way. If two reports
 *     have one epoch, all threads that wait in them have waited all the time between. The waits are
 *     read before the rest and again after it. If they differ, the report mixes several moments,
 *     and its node is not still.
 *   - A node is still if every thread of the process is the runtime's own, or has been in one wait
 *     for at least REPORT_STILL_MS. A thread that the runtime does not know, or that does not wait
 *     in the runtime, may do anything at any moment.
 *   - A signal is under way from its call until it is served, and from the choice of a waiter until
 *     that waiter returns. Each node adds to `signals` what begins there and subtracts what ends
 *     there; the sum over all nodes counts. [deadlock.in-transit]
 */
#ifndef HLRC_DEADLOCK_REPORT_H
#define HLRC_DEADLOCK_REPORT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/waits.h"

struct report {
    uint32_t bytes;  /* of the whole report, a multiple of 8 */
    uint32_t number; /* of the request that it answers; 0: unrequested */
    uint16_t node;
    uint8_t still;
    uint8_t call;                   /* enum meeting: its last arrival at a barrier */
    uint16_t strangers;             /* threads of the process unknown to the runtime */
    uint16_t waits, held, meetings; /* number of entries that follow */
    uint64_t epoch;
    uint64_t arrivals; /* barriers at which it has arrived */
    int64_t signals;   /* [deadlock.in-transit] */
};

/* An application thread. */
struct report_wait {
    uint16_t thread;
    uint8_t what; /* enum waits; WAITS_NOTHING: no wait */
    uint8_t over; /* 1: the wait is over, but the thread has not continued yet */
    int32_t node;
    uint64_t object;
    uint64_t ms; /* duration of the wait */
};

struct report_held {
    uint32_t lock, thread;
};

/* A barrier of members in pairs (pairs.h), the next or the current one. */
struct report_meeting {
    uint32_t group; /* MEETING_OF_ALL: of all nodes */
    uint32_t round; /* the round that it has reached, if under way */
    uint64_t epoch;
};

#define MEETING_OF_ALL UINT32_MAX

enum {
    REPORT_STILL_MS = 1000,
    REPORT_WAITS = 1024,  /* maximum of threads of a node (--threads) */
    REPORT_HELD = 256,    /* locks beyond that are unknown to the detector */
    REPORT_MEETINGS = 64, /* the same for barriers */
};

static_assert(sizeof(struct report) == 48 && sizeof(struct report_wait) == 24 &&
                  sizeof(struct report_held) == 8 && sizeof(struct report_meeting) == 16,
              "sent between processes as raw bytes");

/* Bytes of a report with `waits` waits and the maximum of other entries. */
static inline size_t deadlock_report_room(size_t waits)
{
    return sizeof(struct report) + waits * sizeof(struct report_wait) +
           REPORT_HELD * sizeof(struct report_held) +
           REPORT_MEETINGS * sizeof(struct report_meeting);
}

static inline const struct report_wait *deadlock_report_waits(const struct report *r)
{
    return (const struct report_wait *)(const void *)(r + 1);
}

static inline const struct report_held *deadlock_report_held(const struct report *r)
{
    return (const struct report_held *)(const void *)(deadlock_report_waits(r) + r->waits);
}

static inline const struct report_meeting *deadlock_report_meetings(const struct report *r)
{
    return (const struct report_meeting *)(const void *)(deadlock_report_held(r) + r->held);
}

/* True if the received bytes are a whole report of that node. */
static inline bool deadlock_report_whole(const struct report *r, size_t len, int node)
{
    return len >= sizeof *r && r->bytes == len && r->node == node &&
           sizeof *r + r->waits * sizeof(struct report_wait) +
                   r->held * sizeof(struct report_held) +
                   r->meetings * sizeof(struct report_meeting) ==
               len;
}

#endif
