/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * catcher.h - signals of threads that wait inside HLRC, where they block them: the thread leaves
 * its monitor for a moment, lets its handlers run, and continues to wait.
 *
 *     thread                                  catcher, or the agent
 *       publishes that it waits                 a signal is pending
 *       is a signal pending already?            does it wait, and leave the signal unblocked?
 *       sleeps               <-- called, woken --
 *       leaves the monitor, unblocks its signals: the handlers run
 *       returns to the monitor, sleeps
 *
 * Invariants
 *   [catcher.handles] A thread that waits in a monitor runs its handlers as if it waited in the
 *       system. It publishes the wait before it looks for pending signals, and a signal is sent
 *       before the sender looks for the wait.
 *   - Signals of the process are pending at node 0. Its catcher calls a thread of node 0 that waits
 *     and does not block them; main first. It offers the others to the
 *     threads of other nodes (claim.h).
 *   - Node 0 has the thread if the program sets handlers or masks. Other nodes have it once a
 *     thread there was sent a signal with a handler; there it only publishes.
 *   [catcher.polls] A thread that waits for a mutex or spin lock is in a queue of HLRC, which it
 *     cannot leave. So in a program that sets handlers and sends signals to its threads it tries
 *     again and again, and its handlers run between two tries.
 *   [catcher.publishes] A thread that computes may synchronise late or never. So what its handlers
 *     store is published by the catcher.
 */
#ifndef COMPAT_CATCHER_H
#define COMPAT_CATCHER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct lane;

/* Called by the catcher. handled: a handler has run: makes its stores visible on the other nodes.
 * offer: no thread of node 0 takes these signals of the process, as bits. NULL: not needed. */
extern void (*catcher_handled)(void) __attribute__((visibility("hidden")));
extern void (*catcher_offer)(uint64_t signals) __attribute__((visibility("hidden")));
/* Wakes this thread, which waits. Set by monitor.c. */
extern void (*catcher_wake)(struct lane *lane) __attribute__((visibility("hidden")));

/* The program may set handlers, or block signals; it sends signals to threads. At the start. */
void catcher_expect(bool handlers, bool sends);
/* [catcher.polls] Constant once main runs. */
extern bool catcher_polls __attribute__((visibility("hidden")));
/* A handler will be set on this node. Private stack. */
void catcher_need(void);

/* A handler runs, or has run: within a period its stores are published. Does not block; may be
 * called by the handler. `interrupts`: it ends waits with EINTR. */
void catcher_note(bool interrupts);

/* This process has a handler of the program for this signal, or no longer: HLRC blocks it during
 * its calls. */
void catcher_set_handled(int sig, bool handled);
bool catcher_is_handled(int sig);

/* The job ends: catcher_handled is not called any more, and no call is under way. */
void catcher_end(void);

/* While the calling thread is in a monitor (compat/pthread/monitor.h) no handler interrupts it,
 * since that might enter the same one. After catcher_unblock it is as before; on the stack of the
 * program, which a handler may leave by siglongjmp. */
void catcher_block(void);
void catcher_unblock(void);

/* In a monitor: the calling thread is about to wait under this lock, and has waited. The first
 * returns false if it has nothing to do: then the others are not called. It blocks signals until
 * catcher_unblock. */
bool catcher_wait_begin(void *waiter, uint32_t lock);
void catcher_wait_end(void);
/* A handler shall run; outside of the monitor: runs it. */
bool catcher_is_called(void);
void catcher_handle(void);
/* Has a handler without SA_RESTART run on this thread since the last call? */
bool catcher_was_interrupted(void);

/* A signal was sent to this thread of this node. */
void catcher_call(struct lane *lane);

#endif
