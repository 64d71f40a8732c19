/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lane.h - the threads that run the program. Each has two stacks: the program's code runs on one in
 * shared memory, since it passes addresses of its variables to threads of other nodes; HLRC is
 * called on a private one, since it closes pages, those of the shared stack among them.
 *
 *            lane_start          lane_run: the program's code
 *   private ------------> private ---------------------------> shared
 *   stack                   ^       <------------------------    |
 *                           |                 return             |
 *                           +------------------------------------+
 *                                lane_call: HLRC, and back
 *
 * Invariants
 *   LN1  No call of HLRC is made on a shared stack. What runs on the private one reads and writes
 *        what the caller has on the shared one as any memory of the program: it may fault there.
 *   LN2  A lane's stacks have the same addresses whichever node asks, and no two lanes have one in
 *        common; nor are the thread-local variables of two lanes, which lie on the private stack,
 *        at one address. So no address of one is taken for another's.
 *   LN3  In a job of one node there are no shared stacks, and all of this is calls.
 */
#ifndef COMPAT_LANE_H
#define COMPAT_LANE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct lane {
    int index;        /* in the job: of node * per node + thread */
    char *shared_top; /* NULL: LN3 */
    void *private_sp; /* while the program's code runs: where the private stack is free from */
    char *private_at; /* the private stack, which outlives the thread */
    pthread_t thread;
};

/* Of the calling thread; NULL where it is none. */
extern _Thread_local struct lane *lane_current __attribute__((visibility("hidden")));

/* Reserves the shared stacks of so many lanes, `bytes` each, to be shared before hlrc_init; 0
 * lanes: private stacks will be as large (LN3). 0 or a negative errno. */
int lanes_reserve(int lanes, size_t bytes);

/* Starts thread `index` of the job, which runs on its private stack; again, if there was one by the
 * same index and pthread_join says that it has ended: else *l is of zeros. `tls`: bytes of the
 * program's thread-local variables. 0 or a negative errno. */
int lane_start(struct lane *l, int index, size_t tls, void *(*body)(void *), void *arg);
/* The calling thread is a lane of a job of one node. */
void lane_adopt(struct lane *l, int index);

/* Of a shared stack; 0: LN3. */
size_t lane_stack_bytes(void);

/* Runs the program's code on the shared stack of this lane. */
void lane_run(struct lane *l, void (*act)(void *), void *arg);
/* Calls act(arg) on the private stack of this lane, or just calls it: there already, or no lane. */
void lane_call(void (*act)(void *), void *arg);

/* Whether this may be part of a shared stack. */
bool lane_is_shared(const void *ptr);

/* The calling thread gets no signals but those of errors of its own; `before`: its mask until now,
 * or NULL. */
void lane_block_signals(sigset_t *before);

/* What of its shared stack the calling lane uses, from this frame on. */
size_t lane_live(char **from);

#endif
