/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_LOOK_H
#define HLRC_LOOK_H

/*
 * A look at what all nodes wait for: since the user asked (SIGQUIT), since --timeout is over, or to
 * see whether a job whose nodes have all said that they wait stands still for good
 * (hlrc/progress/judge.h).
 *
 *     all nodes still --JUDGE_GAP_MS--> asked --all have answered--> same epochs: deadlock (JU2)
 *     SIGQUIT, --timeout -------------> asked --answered, or LOOK_MS are over--> told
 *
 *   LO1  The first look are the reports that came unasked, or the answers of the look before. Asked
 *        is when all of these have come, and none is taken for them from then on.
 *   LO2  Who does not answer may be stopped: nothing is concluded of a job with such a node. Its
 *        answer counts as an unasked report when it comes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;

enum {
    LOOK_MS = 1000, /* for answers */
    LOOK_USER = 1,  /* why: SIGQUIT, */
    LOOK_TIMEOUT = 2,
    LOOK_CONFIRM = 4 /* a second look */
};

struct look {
    unsigned why;       /* of the look that is under way; 0: none is */
    uint32_t number;    /* of the last question */
    int64_t until;      /* when the look ends, whoever has answered */
    int64_t confirm_at; /* when the second look is due; INT64_MAX: there was no first */
    int64_t timeout_at; /* INT64_MAX: none */
};

/* What was heard of a node, and whether to the question of the look that is under way. */
struct heard {
    struct report *report; /* NULL: nothing yet */
    bool answered;
    uint64_t epoch; /* of the first look */
};

void look_init(struct job *job, int64_t now);
void look_ask(struct job *job, unsigned why);
void look_received(struct job *job, int index, const void *report, size_t len);
void look_proceed(struct job *job, int64_t now); /* what is due */
int64_t look_due(const struct job *job);         /* when something is; INT64_MAX: nothing */
void heard_forget(struct heard *heard);          /* what the node has said is over */

#endif
