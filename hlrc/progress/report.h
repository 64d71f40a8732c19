/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report.h - what a node tells of its threads' waits, to hlrcrun or to node 0, for those who find
 * out why a job stands still (judge.h).
 *
 * A report travels as it is: a head, then waits, locks that are held, and meetings in pairs, in
 * this order.
 *
 *   RE1  A report is made without a lock and without waiting, at any moment. Its epoch says which
 *        waits it tells of, by the instant at which each began, and what signals were under way:
 *        two reports of one epoch, and all threads that wait in them have done so all the time
 *        between. The waits are read before the rest and once more behind it: where they are not
 *        the same ones, the report is of several moments, and its node is not still.
 *   RE2  A node is still where every thread of the process is the runtime's own, or has waited in
 *        one wait for REPORT_STILL_MS at least. A thread that the runtime does not know, or that it
 *        knows and that does not wait in it, may do anything at any moment.
 *   RE3  A signal is under way from its call until it is served, and from the choice of a waiter to
 *        the return of that one from its wait: `signals` of all nodes together, of which each
 *        counts what begins there up and what ends there down.
 */
#ifndef HLRC_REPORT_H
#define HLRC_REPORT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/protocol/waits.h"

struct report {
    uint32_t bytes;  /* of all of it, a multiple of 8 */
    uint32_t number; /* of the question that it answers; 0: nobody asked */
    uint16_t node;
    uint8_t still;                  /* RE2 */
    uint8_t call;                   /* enum meeting: of its last arrival at a barrier */
    uint16_t strangers;             /* threads of the process that the runtime does not know */
    uint16_t waits, held, meetings; /* how many of each follow */
    uint64_t epoch;                 /* RE1 */
    uint64_t arrivals;              /* barriers at which it has arrived */
    int64_t signals;                /* RE3 */
};

/* A thread of the application. */
struct report_wait {
    uint16_t thread;
    uint8_t what; /* enum waits; WAITS_NOTHING: it does not wait */
    uint8_t over; /* 1: what it waits for has come, it has only not gone on yet */
    int32_t node;
    uint64_t object;
    uint64_t ms; /* for how long */
};

struct report_held {
    uint32_t lock, thread;
};

/* A meeting of members in pairs (pairs.h), the next or one that is under way. */
struct report_meeting {
    uint32_t group; /* MEETING_OF_ALL: of all nodes */
    uint32_t round; /* that it has come to, if it is under way */
    uint64_t epoch;
};

#define MEETING_OF_ALL UINT32_MAX

enum {
    REPORT_STILL_MS = 1000,
    REPORT_WAITS = 1024,  /* threads of a node at most (--threads) */
    REPORT_HELD = 256,    /* what is left out is unknown to those who judge */
    REPORT_MEETINGS = 64, /* likewise */
};

static_assert(sizeof(struct report) == 48 && sizeof(struct report_wait) == 24 &&
                  sizeof(struct report_held) == 8 && sizeof(struct report_meeting) == 16,
              "they travel between processes as they are");

/* Bytes of a report with so many waits and as much else as there may be. */
static inline size_t report_room(size_t waits)
{
    return sizeof(struct report) + waits * sizeof(struct report_wait) +
           REPORT_HELD * sizeof(struct report_held) +
           REPORT_MEETINGS * sizeof(struct report_meeting);
}

static inline const struct report_wait *report_waits(const struct report *r)
{
    return (const struct report_wait *)(const void *)(r + 1);
}

static inline const struct report_held *report_held(const struct report *r)
{
    return (const struct report_held *)(const void *)(report_waits(r) + r->waits);
}

static inline const struct report_meeting *report_meetings(const struct report *r)
{
    return (const struct report_meeting *)(const void *)(report_held(r) + r->held);
}

/* Whether what came is a whole report of that node. */
static inline bool report_whole(const struct report *r, size_t len, int node)
{
    return len >= sizeof *r && r->bytes == len && r->node == node &&
           sizeof *r + r->waits * sizeof(struct report_wait) +
                   r->held * sizeof(struct report_held) +
                   r->meetings * sizeof(struct report_meeting) ==
               len;
}

#endif
