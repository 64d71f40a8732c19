/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cancel.h - pthread_cancel on several nodes. The C library's own cancellation is never requested:
 * it would act at the waits inside HLRC.
 *
 * Invariants
 *   - The agent of the thread's node stores the request in the thread's lane. The thread acts on it
 *     on its shared stack, before or after a call that is a cancellation point. A wait for an
 *     object ends first, as if it had timed out.
 *   - A call that blocks outside HLRC is interrupted by a signal, again and again until the thread
 *     acts, since a signal may arrive before the call begins.
 *   - An asynchronous request acts in the handler of that signal, unless the thread is in HLRC.
 *   - A program without pthread_cancel has no cancellation points.
 */
#ifndef COMPAT_CANCEL_H
#define COMPAT_CANCEL_H

#include <stdbool.h>

struct lane;

/* The program calls pthread_cancel. Constant once main runs. */
extern bool cancel_used __attribute__((visibility("hidden")));

/* A cancellation point, outside HLRC. */
void cancel_test(void);
/* The calling thread shall act at the next one. In HLRC: what it waits for ends. */
bool cancel_is_due(void);

/* By the agent, which has not joined the thread. */
void cancel_note(struct lane *lane);
/* The calling thread is ending. */
void cancel_end(void);

#endif
