/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lane.h - compute threads ("lanes"), which run the program. Each has two stacks. The program's
 * code runs on one in shared memory, since it passes addresses of its variables to threads of
 * other nodes. HLRC is called on a private one, since it revokes access to pages, also of the
 * shared stack.
 *
 *             lane_start          lane_run: the program's code
 *    private ------------> private ---------------------------> shared
 *    stack                   ^       <------------------------    |
 *                            |                 return             |
 *                            +------------------------------------+
 *                                 lane_call: HLRC, and back
 *
 * Invariants
 *   - HLRC is never called on a shared stack. Code on the private stack accesses the caller's
 *     variables on the shared one like any memory of the program: it may fault there.
 *   - A thread's stacks have the same addresses on every node, and no two threads share a stack
 *     address. The same holds for thread-local variables, which lie on the private stack. So no
 *     address of one thread is mistaken for another's.
 *   - A job of one node has no shared stacks, and these functions are plain calls.
 */
#ifndef COMPAT_LANE_H
#define COMPAT_LANE_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lane {
    int index;        /* in the job: node * threads per node + thread */
    char *shared_top; /* NULL: a job of one node */
    void *private_sp; /* while the program's code runs: the private stack pointer */
    /* calls that concern the process, counted by the thread (compat/process/delegate.h) */
    _Atomic uint64_t calls;
    void *resume_at;  /* lane_run begins below it on the shared stack; NULL: at its top */
    char *private_at; /* the private stack, which outlives the thread */
    pthread_t thread;
    void *volatile channel; /* in use for a call that node 0 performs (compat/process/delegate.h) */
    struct lane *next;      /* lane_each */
    /* signals that were sent to it on this node, as bits, and threads that are sending one
     * (compat/process/carry.h) */
    _Atomic uint64_t sent;
    _Atomic uint32_t sending;
    /* mutexes that the thread holds singly, and that it has acquired by their words: written by the
     * thread (compat/pthread/mutex_word.h) */
    _Atomic uint32_t single;
    _Atomic uint64_t words;
    /* While it waits inside HLRC (compat/process/catcher.h): its record, otherwise NULL, and the
     * lock; the signals that its mask leaves, as bits. called: a handler of it shall run. */
    void *_Atomic waiter;
    uint32_t waits_under;
    uint64_t open;
    _Atomic bool called;
    pid_t id;       /* the system's number */
    pthread_t name; /* the job's, of a POSIX thread; 0: none */
    /* a signal whose handler gets other information than the system's; -1: it is being stored
     * (compat/process/carry.h) */
    _Atomic int told;
    siginfo_t told_info;
    _Atomic uint32_t alarm; /* not 0: it shall not sleep (compat/pthread/monitor.h) */
    bool seen;              /* by its controller */
    bool nested; /* of a nested team (compat/openmp/team_nest.h): has no number in the job's */
};

/* The calling thread's; NULL: not a compute thread. */
extern _Thread_local struct lane *lane_current __attribute__((visibility("hidden")));
/* Is the calling thread one of the job's team? */
static inline bool lane_is_numbered(void)
{
    return lane_current && !lane_current->nested;
}

/* Reserves `lanes` shared stacks of `bytes` each, to be shared before hlrc_init. 0 lanes: private
 * stacks get this size. 0 or a negative errno. */
int lane_reserve(int lanes, size_t bytes, bool executable);

/* Starts thread `index` of the job on its private stack. *l is zeroed, or was used for the same
 * index and its thread was joined. `tls`: bytes of the program's thread-local variables. 0 or a
 * negative errno. */
int lane_start(struct lane *l, int index, size_t tls, void *(*body)(void *), void *arg);
/* Calls act(lane, arg) for each thread that lane_start has started, ended ones included. By any
 * thread. */
void lane_each(void (*act)(struct lane *lane, void *arg), void *arg);
/* Bytes for the stack of such a thread. */
size_t lane_private_bytes(size_t tls);
/* Makes the calling thread a compute thread of a job of one node. */
void lane_adopt(struct lane *l, int index);

/* Size of a shared stack; 0 in a job of one node. */
size_t lane_stack_bytes(void);

/* Runs the program's code on this thread's shared stack. */
void lane_run(struct lane *l, void (*act)(void *), void *arg);
/* Calls act(arg) on this thread's private stack; directly if already there, or if not a compute
 * thread. */
void lane_call(void (*act)(void *), void *arg);

/* Where the shared stacks of all threads are. */
extern char *const lane_shared_from __attribute__((visibility("hidden")));
extern char *const lane_shared_to __attribute__((visibility("hidden")));
/* May this be part of a shared stack? */
bool lane_is_shared(const void *ptr);

/* Number of locks of its node that the calling thread holds: with some it does not move
 * (compat/pthread/move.h). One that unbinds what another thread has bound moves no more: what it
 * holds is unknown. */
extern _Thread_local unsigned lane_bonds __attribute__((visibility("hidden")));
#define LANE_FOR_EVER (UINT_MAX / 2)
static inline bool lane_is_bound(void)
{
    return lane_bonds != 0;
}
static inline void lane_bind(void)
{
    lane_bonds++;
}
static inline void lane_unbind(void)
{
    lane_bonds = lane_bonds == 0 || lane_bonds == LANE_FOR_EVER ? LANE_FOR_EVER : lane_bonds - 1;
}

/* Takes a thread's own errors, which memory is fetched by, out of the set. */
void lane_leave_own_signals(sigset_t *set);
/* Blocks all signals of the calling thread except those raised by its own errors. `before`: gets
 * its previous mask, or NULL. */
void lane_block_signals(sigset_t *before);

/* Bytes of its shared stack that the calling thread uses, from this frame, *from, on; 0 on another
 * stack. */
size_t lane_live(char **from);

#endif
