/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_LOOK_H
#define HLRC_LOOK_H

/*
 * Queries all nodes for what they wait for (the code names such a query a look): on SIGQUIT, after
 * --timeout, or to test for deadlock once every node has reported that it waits
 * (hlrc/report/deadlock_detect.h).
 *
 *     all nodes still --JUDGE_GAP_MS--> asked --all have answered--> same epochs: deadlock
 *     SIGQUIT, --timeout -------------> asked --answered, or LOOK_MS are over--> reported
 *
 *   - The first look is the set of unsolicited reports, or the answers to the previous query. The
 *     query is sent after all of them have arrived; later reports do not count as a first look.
 *   - A node that does not answer may be stopped: nothing is concluded about a job with such a
 *     node. When its answer arrives, it counts as an unsolicited report.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;

enum {
    LOOK_MS = 1000, /* to wait for answers */
    LOOK_USER = 1,  /* reason: SIGQUIT */
    LOOK_TIMEOUT = 2,
    LOOK_CONFIRM = 4 /* the second look */
};

struct look {
    unsigned why;       /* reasons of the query in progress; 0: none */
    uint32_t number;    /* of the last query */
    int64_t until;      /* when the query ends, even if answers are missing */
    int64_t confirm_at; /* when the second look is due; INT64_MAX: there was no first */
    int64_t timeout_at; /* INT64_MAX: none */
};

/* The last report of a node, and whether it answers the query in progress. */
struct look_heard {
    struct report *report; /* NULL: none yet */
    bool answered;
    uint64_t epoch; /* of the first look */
};

void look_init(struct job *job, int64_t now);
void look_ask(struct job *job, unsigned why);
void look_received(struct job *job, int index, const void *report, size_t len);
void look_proceed(struct job *job, int64_t now);  /* handles due events */
int64_t look_due(const struct job *job);          /* when something is due; INT64_MAX: nothing */
void look_heard_forget(struct look_heard *heard); /* discards the report of the node */

#endif
