/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crew.h - the tasks of a team: which are run at once, which wait, and by whom they are run.
 *
 * A lane keeps what it has put off in a queue of its own, of which nobody else knows: newest last.
 * When it waits it runs what it waits for, from that end. When the queue is full, or nothing may be
 * put off, a task is run where it is met. What is oldest in the queue goes to lanes that have
 * nothing to do and have asked (box.h), several at once where they are alike; the lane looks for
 * such questions when it meets a task, has run one, or takes a lock, not more often than what a
 * look costs permits.
 *
 *              met                take              run, its own are gone
 *     (none) -------> QUEUED ----------------> RUNNING ----------------> (none)
 *        |    ^         | give                                             ^
 *        |    | ready   v            DONE                  GONE            |
 *        +-> HELD     GIVEN ----------------> its own are not -------------+
 *
 * Invariants
 *   TK1  A lane in taskwait runs children of the task that waits, or what it has been given
 *        instead of them, and one at the end of a group tasks of that group: what its task waits
 *        for in any case. So a task that waits while it holds a lock finds no other one before
 *        it that needs the lock, unless it would never come. In a barrier it runs whatever is
 *        there.
 *   TK2  A lane asks for tasks only when it has none to run, and takes its question back before it
 *        runs one: what it is given it begins at once. Several that are given together are
 *        waited for by the same, and all of them have run before what they have left behind is.
 *        Those with dependences may be waited for one by one: who has to wait for a lock of the
 *        program gives back what it has of them and has not begun.
 *   TK3  Who waits in a task asks nobody but a lane that it has given what it waits for, and gets
 *        what comes from that: all tasks on the stack of a lane are descendants of those below
 *        them, but for those in its barriers.
 *   TK4  That a task is done is told to the lane that has given it; and that it is gone when all
 *        that it has made, and did not wait for, is gone, too, wherever that was run. Who has
 *        given it counts it among its own until then. So a lane's own tasks are gone when its
 *        count is 0. While something of what it was given is not gone a lane begins, in that wait,
 *        only what comes from it: nothing else keeps it from telling.
 *   TK5  No lane comes to a meeting of all (team.h TM1, TM2) before its own tasks are gone, and
 *        before most it waits, and helps, until those of all lanes of the team are (box.h BX5). In
 *        a region that is cancelled nothing is put off, and so nobody has to wait.
 */
#ifndef COMPAT_CREW_H
#define COMPAT_CREW_H

#include <stdbool.h>

#include "compat/openmp/task.h"

/* Runs it now or puts it off. `depend`: as gcc passes it, or NULL. */
void crew_meet(const struct met *m, bool may_wait, void **depend);

/* The current task waits for its children; for those that one with these dependences would wait
 * for. */
void crew_await_children(void);
void crew_await_depend(void **depend);
/* The innermost group ends with the last of its tasks; all within `outer`, one of the region's. */
void crew_end_group(struct region *r);
void crew_end_groups(struct region *r, const struct group *outer);
/* Gives to who has asked. */
void crew_look(void);

#endif
