/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * box.h - what lanes tell each other about tasks: each has a box in shared memory, into which
 * others put tasks for it and reports of those that it has given away, and a word of mail, at its
 * own node, that says how often.
 *
 * Who has nothing to do asks: anybody, by a bit in words of all, or one lane, by a word at that
 * one's node. Who has tasks to spare looks there, takes the question away, and puts tasks into the
 * box of who has asked.
 *
 * Invariants
 *   BX1  What is put into a box is put there under its lock, and counted in the word of mail when
 *        the lock has been let go of. Its lane takes it out under the lock: so what the other had
 *        written or seen before is seen by whoever runs the task, or has waited for it.
 *   BX2  A lane is given tasks by who has taken its question away, and there is one question at
 *        most. Who wants to take it back and does not find it waits for what it is given.
 *   BX3  There is room for reports of all tasks that a lane may have given away, GIVEN_MOST.
 *   BX4  A phase is over when all lanes of the team have arrived at it. The last one tells the
 *        others, those too that are not of the team, by a word of each that counts phases, and
 *        those in which tasks were made.
 *   BX5  All lanes decide alike whether a barrier has a phase: by what those found that the code of
 *        this region had before. Where there were no tasks, few are held, to notice if there are.
 */
#ifndef COMPAT_BOX_H
#define COMPAT_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/gomp.h"
#include "compat/openmp/team.h"

#define PARCEL     32 /* tasks given at once, at most */
#define LANES_MOST 65535
#define GIVEN_MOST 512 /* given by a lane, of which it has not heard that they are gone */
#define GIVEN_ROOM 128 /* bytes of the variables of a task that travel with it */

/* A task on its way. */
struct given {
    gomp_fn *fn;
    void *data; /* NULL: in `room`; else in shared memory, given back by who runs the task */
    size_t bytes, align;
    int origin;        /* the lane that hears of it */
    bool final, alone; /* alone: some may wait for it and not for others of its parcel */
    uint64_t ref;      /* which task it is there */
    uintptr_t *reductions;
    struct settings settings;
    _Alignas(16) char room[GIVEN_ROOM];
};

/* A report: a task's `ref`, and what has become of it. */
enum {
    REPORT_DONE = 1,
    REPORT_GONE = 2 /* those that it has made, too */,
    REPORT_CANCELLED = 4,
    REPORT_BACK = 8 /* not begun */
};
#define REPORT_BITS ((uint64_t)15)

/* What a lane has taken out of its box. */
struct mail {
    unsigned tasks, reports;
    struct given task[PARCEL];
    uint64_t report[2 * GIVEN_MOST];
};

/* On every node, by one thread each: the program has tasks. */
void boxes_begin(int lanes);
bool boxes_are_there(void);

/* All on the private stack; of the calling lane. */
unsigned box_mail(void);          /* how often something was put in so far */
void box_take(struct mail *mail); /* all that is there */
void box_give(int to, const struct given *tasks, unsigned count);
void box_report(int to, const uint64_t *reports, unsigned count);

/* Asks anybody, or that lane for what comes from the task that it was given as `ref`. The second
 * may fail for now. */
void box_ask(void);
bool box_ask_lane(int lane, uint64_t ref);
/* False: somebody has taken it away, and gives. */
bool box_take_back(void);
bool box_take_back_lane(int lane, uint64_t ref);

/* Takes a question away: that of anybody who has asked all, -1: nobody has; *more: others have,
 * too. Or that of who has asked this lane, for what comes from *ref; box_asked looks only. */
int box_claim(unsigned *more);
bool box_asked(int *lane, uint64_t *ref);
bool box_claim_lane(int lane, uint64_t ref);

/* Called for each barrier by all lanes, those of the team, of so many, and others: whether it has a
 * phase. */
bool box_has_phase(void (*code)(void *), int threads);
/* The lane, which is of the team, arrives at it; it has made tasks since it last did. */
void box_arrive(bool has_made);
bool box_phase_is_over(void); /* asked until it is, once for each phase */

#endif
