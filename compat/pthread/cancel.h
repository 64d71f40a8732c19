/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cancel.h - pthread_cancel on several nodes. The C library's own cancellation is never requested,
 * since it would act at the waits inside HLRC.
 *
 * Invariants
 *   - The agent of the thread's node stores the request. The thread acts on it on its shared stack,
 *     before or after a call that is a cancellation point. A wait in a monitor ends first, as if it
 *     had timed out.
 *   - A signal interrupts calls that block outside of HLRC, again and again until the thread acts:
 *     it may arrive before the call begins.
 *   - An asynchronous request acts in the handler of that signal, unless the thread is in HLRC.
 *   - A program without pthread_cancel has no cancellation points.
 */
#ifndef COMPAT_CANCEL_H
#define COMPAT_CANCEL_H

#include <stdbool.h>
#include <stdint.h>

struct lane;

/* The program calls pthread_cancel. Constant once main runs. */
extern bool cancel_used __attribute__((visibility("hidden")));

/* On every node, if cancel_used. `leave` ends the calling thread. */
void cancel_start(void (*leave)(void));

/* By the agent: a thread will start on this node; it shall act on a request. */
void cancel_prepare(uint32_t entry);
void cancel_request(uint32_t entry, const struct lane *lane);
/* By the thread: it begins, it ends. */
void cancel_begin(uint32_t entry);
void cancel_end(void);
/* By a thread for itself. */
void cancel_request_own(void);

/* A cancellation point, on the shared stack. */
void cancel_test(void);
/* Before and after a wait in a monitor that is a cancellation point. `error`: its result. */
void cancel_wait_begin(void);
int cancel_wait_end(int error);
/* In the monitor: the wait may be cancelled; it ends now, with ECANCELED. */
bool cancel_may_end_wait(void);
bool cancel_ends_wait(void);

#endif
