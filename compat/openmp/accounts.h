/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* accounts.h - a compute thread's records of its tasks: its queue, its waits, and the reports that
 * it owes for tasks of other threads. crew.h has the rules. */
#ifndef COMPAT_ACCOUNTS_H
#define COMPAT_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/box.h"
#include "compat/openmp/group.h"
#include "compat/openmp/task.h"

struct depends;

/* The children of a task. */
struct family {
    unsigned children; /* not done */
    bool over;         /* no more will be created */
    struct depends *depends;
};

/* What a thread waits for, on its stack. */
struct wait {
    bool (*over)(struct wait *w);
    const struct family *family; /* exactly one of these four is set */
    struct group *group;
    void **depend;
    bool all;
    bool is_over;
    bool arrived;       /* all: this thread has arrived at the phase */
    unsigned parcels;   /* incomplete batches received during the wait */
    unsigned unstarted; /* their tasks that have not begun */
    uint64_t since;     /* time at which no task was found to run; 0: not idle */
};

/* A batch of tasks received together. Tasks that they create outside any taskgroup belong to this
 * group. */
struct parcel {
    struct group group;
    struct wait *wait;
    unsigned unstarted; /* or not done */
    unsigned owed;      /* tasks whose creators are still to be sent GONE: TK4 */
    struct {
        int origin;
        uint64_t ref;
    } owes[PARCEL];
};

enum asked { ASKED_NONE, ASKED_ALL, ASKED_LANE };

/* Per compute thread. */
struct crew {
    struct task **queue; /* oldest first */
    unsigned queued, room;
    unsigned held;      /* not ready */
    unsigned open;      /* created here and not complete */
    bool has_made;      /* created a task since the last phase */
    unsigned given;     /* of those, sent to other threads */
    struct task *away;  /* the tasks sent, newest first */
    unsigned mail_seen; /* box_mail */
    enum asked asked;
    int asked_lane; /* valid in ASKED_LANE */
    uint64_t asked_ref, asked_at;
    uint64_t looked, interval; /* in ticks of the processor */
    unsigned skip;             /* polls to skip */
    struct mail *mail;
    int tell; /* the thread that the reports are for */
    unsigned told;
    uint64_t report[PARCEL * 2];
};
extern _Thread_local struct crew crew __attribute__((visibility("hidden")));

/* The queue. */
void crew_push(struct task *t);
struct task *crew_remove(unsigned k);
bool wait_is_for(const struct wait *w, const struct task *t);

/* A task created here is done; is complete. */
void crew_done(struct task *t);
void crew_gone(struct task *t);
void family_free(struct family *f); /* once it is over and has no children */

/* For tasks created elsewhere: one has run; queues a report; sends all queued reports. */
void report_done(struct task *t);
void report(int origin, uint64_t what);
void reports_send(void);
void parcel_close(struct parcel *p); /* if all of it is complete */

#endif
