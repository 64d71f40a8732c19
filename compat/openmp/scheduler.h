/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scheduler.h - the task scheduler : which tasks of a team run at once, which are deferred, and
 * which thread runs them.
 *
 * Each compute thread (lane) keeps its deferred tasks in a private queue, newest last. While it
 * waits it runs tasks that it waits for, newest first. A task runs at once if the queue is full or
 * the task may not be deferred. Threads with nothing to do send steal requests (mailbox.h), and
 * are sent the oldest tasks, several alike in one batch. A thread polls for steal requests when it
 * creates a task, after it has run one, and when it takes a lock, but not more often than the cost
 * of a poll allows.
 *
 *             create             take            run, descendants done
 *    (none) -------> QUEUED ----------------> RUNNING ----------------> (none)
 *       |    ^         | send                                             ^
 *       |    | ready   v            DONE                  GONE            |
 *       +-> HELD     GIVEN -----------> descendants not done -------------+
 *
 * Invariants
 *   - In taskwait a thread runs only children of the waiting task, or tasks it was sent in their
 *     place; at the end of a taskgroup, only tasks of the group. The task waits for all of these in
 *     any case. So while it holds a lock no other task that needs the lock runs on top of it,
 *     unless that would deadlock anyway. In a barrier it runs any task.
 *   - A thread sends a steal request only when it has no task to run, and withdraws it before it
 *     runs one. It begins received tasks immediately. The tasks of one batch have the same waiter,
 *     and all of them run before any task that they created and left. Tasks with dependences may be
 *     waited for one by one: before a thread waits for a lock of the program it returns the
 *     received ones that it has not begun.
 *   - A thread that waits inside a task sends its steal request only to a thread that it has sent
 *     an awaited task, and gets only descendants of that task. So each task on a thread's stack is
 *     a descendant of the one below it, except tasks run in barriers.
 *   - The creator of a task that was sent gets a report when it is done, and one when it is
 *     complete ("gone"): all tasks that it created and did not wait for are complete, too, wherever
 *     they ran. Until then the creator counts it as its own. So a thread's own tasks are complete
 *     when its count is 0. While a batch is incomplete the wait that received it begins only
 *     descendants of it: nothing else delays the report.
 *   - A thread enters a collective of all threads (team.h) only after its own tasks are complete.
 *     Before most collectives it waits, and runs tasks, until the tasks of the whole team are
 *     (mailbox.h). A cancelled region defers no task, so no thread has to wait.
 */
#ifndef COMPAT_SCHEDULER_H
#define COMPAT_SCHEDULER_H

#include <stdbool.h>

#include "compat/openmp/task.h"

/* Runs the task now or defers it. `depend`: as gcc passes it, or NULL. */
void scheduler_submit(const struct task_new *m, bool may_wait, void **depend);

/* The thread's state around a task. */
struct scheduler_frame {
    struct settings settings;
    struct task_family *family;
    struct taskgroup *group;
    bool final;
    int top_lane;
    uint64_t top_ref, task;
};
/* A task that the caller runs at once. Before its end scheduler_end_groups. */
struct scheduler_frame scheduler_begin_task(struct team_region *r, bool final);
void scheduler_end_task(struct team_region *r, const struct scheduler_frame *before);
/* Is the current task cancelled, so that it need not begin? */
bool scheduler_is_cancelled(const struct team_region *r);

/* The current task waits for all its children, or for each child that a task with these
 * dependences would wait for. */
void scheduler_await_children(void);
void scheduler_await_depend(void **depend);
/* Ends the innermost taskgroup after its last task; ends all within `outer`, a group of the
 * region. */
void scheduler_end_group(struct team_region *r);
void scheduler_end_groups(struct team_region *r, const struct taskgroup *outer);
/* Polls for steal requests and sends tasks. */
void scheduler_poll(void);

#endif
