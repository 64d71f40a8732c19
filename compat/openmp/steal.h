/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steal.h - sending tasks to other threads and receiving theirs; scheduler.h has the rules. */
#ifndef COMPAT_STEAL_H
#define COMPAT_STEAL_H

#include "compat/openmp/task_state.h"

/* Before the thread waits for a lock of the program: are there received tasks to return? */
bool steal_may_return(void);
void steal_return(void);

/* One step of a wait: reads the mailbox, tests for the end of the wait, serves and sends steal
 * requests, backs off. */
void steal_step(struct task_wait *w);
/* Withdraws the thread's steal request. False: it was claimed, and tasks have arrived. */
bool steal_withdraw(struct task_wait *w);
/* Reads the mailbox and serves steal requests, if it is time. */
void steal_poll(void);

#endif
