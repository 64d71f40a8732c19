/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * catcher.h - signals of the process while main waits inside HLRC, where it blocks them: a thread
 * of node 0 runs the handlers instead, as any thread of a process may.
 *
 * Invariants
 *   - Outside of HLRC main gets the signals itself, since they end its system calls (EINTR). So the
 *     catcher has main's mask only while a wait lasts that was under way a period before, and
 *     otherwise blocks all signals. A wait has ended only when the catcher blocks them again.
 *   - Only a program that has a handler has the thread. Other nodes have it once a thread there
 *     was sent a signal with a handler; there it only publishes.
 *   [catcher.publishes] A thread that computes may synchronise late or never. So what its handlers
 *     store is published by the catcher.
 */
#ifndef COMPAT_CATCHER_H
#define COMPAT_CATCHER_H

#include <signal.h>
#include <stdbool.h>

/* Called by the catcher when a handler has run: makes its stores visible on the other nodes. NULL:
 * not needed. */
extern void (*catcher_handled)(void) __attribute__((visibility("hidden")));

/* A handler will be set on this node. Private stack. */
void catcher_need(void);

/* A handler runs, or has run: within a period its stores are published. Does not block; may be
 * called by the handler. */
void catcher_note(void);

/* This process has a handler of the program for this signal, or no longer: HLRC blocks it during
 * its calls. */
void catcher_set_handled(int sig, bool handled);
bool catcher_is_handled(int sig);

/* The job ends: catcher_handled is not called any more, and no call is under way. */
void catcher_end(void);

/* While the calling thread is in a monitor (compat/pthread/monitor.h) no handler interrupts it,
 * since that might enter the same one. catcher_block returns whether it has blocked signals. */
bool catcher_block(sigset_t *before);
void catcher_unblock(const sigset_t *before);

/* The calling thread is about to wait in HLRC, and has waited or not, and holds no lock of HLRC.
 * They cost a test unless it is main, and there is a catcher. */
void catcher_wait_begin(void);
void catcher_wait_end(void);

#endif
