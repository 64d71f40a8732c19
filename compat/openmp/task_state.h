/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_state.h - the state of a compute thread's tasks: its queue, its waits, and the reports that
 * it owes for tasks of other threads. scheduler.h has the rules. */
#ifndef COMPAT_TASK_STATE_H
#define COMPAT_TASK_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/openmp/mailbox.h"
#include "compat/openmp/task.h"
#include "compat/openmp/taskgroup.h"

struct depend_set;

/* The children of a task. */
struct task_family {
    unsigned children; /* not done */
    bool over;         /* no more will be created */
    struct depend_set *depends;
};

/* What a thread waits for, on its stack. */
struct task_wait {
    bool (*over)(struct task_wait *w);
    const struct task_family *family; /* exactly one of these five is set */
    struct taskgroup *group;
    void **depend;
    bool all;
    const struct team_region *region; /* of one thread */
    bool is_over;
    bool arrived;       /* all: this thread has arrived at the phase */
    unsigned batches;   /* incomplete batches received during the wait */
    unsigned unstarted; /* their tasks that have not begun */
    uint64_t since;     /* time at which no task was found to run; 0: not idle */
};

/* A batch of tasks received together. Tasks that they create outside any taskgroup belong to this
 * group. */
struct task_batch {
    struct taskgroup group;
    struct task_wait *wait;
    unsigned unstarted; /* or not done */
    unsigned owed;      /* tasks whose creators are still to be sent GONE */
    struct {
        int origin;
        uint64_t ref;
    } owes[BATCH_MOST];
};

enum task_state_request { REQUEST_NONE, REQUEST_ANY, REQUEST_ONE };

/* Per compute thread. */
struct task_state {
    struct task **queue;  /* oldest first */
    struct task *staying; /* queued besides, newest first: tasks that no other thread may run */
    unsigned queued, room;
    unsigned held;         /* not ready */
    unsigned open;         /* created here and not complete */
    bool has_created;      /* created a task since the last phase */
    unsigned sent_count;   /* of those, sent to other threads */
    struct task *sent;     /* the tasks sent, newest first */
    unsigned mailbox_seen; /* mailbox_count */
    enum task_state_request request;
    int request_thread; /* valid in REQUEST_ONE */
    uint64_t request_ref, request_at;
    uint64_t polled, interval; /* in ticks of the processor */
    unsigned skip;             /* polls to skip */
    struct mailbox_contents *received;
    int report_to; /* the thread that the reports are for */
    unsigned reports;
    uint64_t report[BATCH_MOST * 2];
};
extern _Thread_local struct task_state task_state __attribute__((visibility("hidden")));

/* The queue. */
void task_state_push(struct task *t);
struct task *task_state_remove(unsigned k);
struct task *task_state_take_staying(const struct task_wait *w); /* NULL: it waits for none */
bool task_wait_is_for(const struct task_wait *w, const struct task *t);

/* A task created here is done; is complete. */
void task_state_done(struct task *t);
void task_state_complete(struct task *t);
void task_family_free(struct task_family *f); /* once it is over and has no children */

/* For tasks created elsewhere: one has run; queues a report; sends all queued reports. */
void task_report_done(struct task *t);
void task_report_queue(int origin, uint64_t what);
void task_report_send(void);
void task_batch_close(struct task_batch *p); /* if all of it is complete */

#endif
