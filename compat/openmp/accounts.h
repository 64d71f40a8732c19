/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* accounts.h - what a lane knows of its tasks: which it has put off, who waits for which, and what
 * has to be told of those that others have made; crew.h has the rules. */
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
    bool over;         /* there will be no more */
    struct depends *depends;
};

/* What a lane waits for, on its stack. */
struct wait {
    bool (*over)(struct wait *w);
    const struct family *family; /* one of these four */
    struct group *group;
    void **depend;
    bool all;
    bool is_over;
    bool arrived;       /* all: at the phase */
    unsigned parcels;   /* given while it waits, of which something is not gone */
    unsigned unstarted; /* tasks of them */
    uint64_t since;     /* when it was found that there is nothing to do; 0: just now */
};

/* Tasks that were given together. What they make without a group of their own is in this one. */
struct parcel {
    struct group group;
    struct wait *wait;
    unsigned unstarted; /* or not done */
    unsigned owed;      /* whose makers have to hear that they are gone: TK4 */
    struct {
        int origin;
        uint64_t ref;
    } owes[PARCEL];
};

enum asked { ASKED_NONE, ASKED_ALL, ASKED_LANE };

/* Of a lane. */
struct crew {
    struct task **queue; /* oldest first */
    unsigned queued, room;
    unsigned held;      /* not ready */
    unsigned open;      /* made here and not gone */
    bool has_made;      /* some since the last phase */
    unsigned given;     /* of them, to others */
    struct task *away;  /* these; the newest first */
    unsigned mail_seen; /* box_mail */
    enum asked asked;
    int asked_lane; /* ASKED_LANE */
    uint64_t asked_ref, asked_at;
    uint64_t looked, interval; /* in ticks of the processor */
    unsigned skip;             /* looks */
    struct mail *mail;
    int tell; /* reports for this lane */
    unsigned told;
    uint64_t report[PARCEL * 2];
};
extern _Thread_local struct crew crew __attribute__((visibility("hidden")));

/* The queue. */
void crew_push(struct task *t);
struct task *crew_remove(unsigned k);
bool wait_is_for(const struct wait *w, const struct task *t);

/* A task that was made here is done, is gone. */
void crew_done(struct task *t);
void crew_gone(struct task *t);
void family_free(struct family *f); /* once it is over and nobody is in it */

/* Of tasks from elsewhere: one has run; something has become of it; all that was said is sent. */
void report_done(struct task *t);
void report(int origin, uint64_t what);
void reports_send(void);
void parcel_close(struct parcel *p); /* if nothing of it is left */

#endif
