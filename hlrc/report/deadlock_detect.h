/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * deadlock_detect.h - the deadlock detector: from the reports of all nodes it finds which thread
 * waits for which, and whether any of them can ever continue. Used by hlrcrun, and by node 0 if
 * another launcher started the job.
 *
 *   [deadlock.two-rounds] Two rounds of reports with the same epochs (deadlock_report.h), the
 *       second begun after the first has ended, show that the job is deadlocked at one moment:
 *       between them every wait was under way. A snapshot as Chandy and Lamport's is not needed,
 *       since nothing that this test reads changes while all threads wait.
 *       - The job is deadlocked if every thread waits for something that only a thread that waits
 *         itself could bring: a lock that it holds, its arrival at a barrier, or a signal. It does
 *         not suffice that no thread is known to bring it: a lock without a holder is on its way,
 *         and a barrier at which all have arrived is about to be left.
 *   [deadlock.in-transit] While all threads wait, only two things can be under way that end a wait.
 *       One is a signal; none is under way if the signal counts of all nodes add up to 0
 *       [deadlock.in-transit]. The other is a word that members of a group write to make the group.
 *       It was written before its writer's wait began, and has arrived by then (`over`). If threads
 *       wait for such words, all waits must have lasted for JUDGE_WORDS_MS; no network delays a
 *       write for so long.
 */
#ifndef HLRC_DEADLOCK_DETECT_H
#define HLRC_DEADLOCK_DETECT_H

#include <stdbool.h>
#include <stddef.h>

#include "hlrc/report/deadlock_report.h"

enum { JUDGE_GAP_MS = 1000 /* between two rounds */, JUDGE_WORDS_MS = 5000 };

struct deadlock_detect_judge {
    int nodes;
    const struct report *const *reports; /* by node; NULL: none */
    /* text for a node without a report; returns a sentence without its subject */
    const char *(*absent)(void *ctx, int node);
    void *ctx;
};

/* Tests on these reports whether every thread waits for another one. False if a report is missing
 * or its node is not still. */
bool deadlock_detect_stuck(const struct deadlock_detect_judge *j);

/* Writes a line for each thread of each node: what it waits for, since when, and which thread
 * holds it up. */
void deadlock_detect_tell(const struct deadlock_detect_judge *j,
                          void (*say)(void *ctx, const char *line));
void deadlock_detect_tell_node(const struct deadlock_detect_judge *j, int node,
                               void (*say)(void *ctx, const char *line));

/* Writes the cycle in which threads wait for each other. Without a cycle, and if the job is stuck,
 * it writes what the others wait for in the end. False if there is neither. */
bool deadlock_detect_cause(const struct deadlock_detect_judge *j, bool stuck, char *line,
                           size_t len);

#endif
