/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * judge.h - from the reports of all nodes to who waits for whom, and whether any of them can ever
 * go on. For hlrcrun, and for node 0 where another launcher started the job.
 *
 *   JU1  Every thread of the job waits for something that only a thread which waits itself could
 *        bring, by going on: a lock that such a thread holds, its arrival at a barrier, a signal.
 *        It is not enough that nobody is known who would bring it: a lock that nobody holds is on
 *        its way, a barrier at which all have arrived is about to be left.
 *   JU2  That all of it holds at one moment is shown by two looks, of which the second begins when
 *        the first one has ended, with the same epochs (report.h RE1): at the moment between them
 *        every wait was under way. Chandy and Lamport's snapshot is not needed, since what JU1
 *        looks at does not change while all wait.
 *   JU3  What ends a wait and can be under way at that moment, while all wait, is a signal, and
 *        there is none where those of all nodes together are 0 (report.h RE3); or a word of those
 *        who make a group. That was written before its writer's wait began, and is in its place by
 *        then (`over`): where threads wait for such words all waits must have lasted for
 *        JUDGE_WORDS_MS, and no network keeps a write for so long.
 */
#ifndef HLRC_JUDGE_H
#define HLRC_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "hlrc/progress/report.h"

enum { JUDGE_GAP_MS = 1000 /* from look to look */, JUDGE_WORDS_MS = 5000 };

struct judge {
    int nodes;
    const struct report *const *reports; /* by node; NULL: there is none of it */
    /* what to say of a node without a report; returns a sentence without its subject */
    const char *(*absent)(void *ctx, int node);
    void *ctx;
};

/* JU1, of these reports; false where one is missing, or of a node that is not still. */
bool judge_stuck(const struct judge *j);

/* Says of each thread of each node, a line each, what it waits for and since when, and who holds it
 * up. */
void judge_tell(const struct judge *j, void (*say)(void *ctx, const char *line));
void judge_tell_node(const struct judge *j, int node, void (*say)(void *ctx, const char *line));

/* Writes the circle in which threads wait for each other, else, of a job that is stuck, what the
 * others wait for at last; false where there is neither. */
bool judge_cause(const struct judge *j, bool stuck, char *line, size_t len);

#endif
