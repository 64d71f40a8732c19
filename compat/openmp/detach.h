/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * detach.h - events of detached tasks. The program fulfils an event on any thread.
 *
 *             run               fulfilled, and its creator polls
 *    QUEUED ------> KEPT ------------------------------------------> complete
 *
 * Invariants
 *   - An event is an atomic word, which is 1 once it is fulfilled; the program has its handle plus
 *     1. The thread that created the task creates and destroys the word.
 *   - omp_fulfill_event publishes the writes of its thread before it stores in the word. The
 *     creator acquires them after it has read it.
 *   - A detached task is run by its creator, and has its lists and counts until it is complete.
 *     Each wait of that thread polls, so whatever waits for the task sees its completion.
 */
#ifndef COMPAT_DETACH_H
#define COMPAT_DETACH_H

#include <stdbool.h>
#include <stdint.h>

struct task;

/* A new event. */
uintptr_t detach_create(void);
/* Waits until it is fulfilled, and destroys it. */
void detach_await(uintptr_t event);
/* The task has run, and is complete when its event is fulfilled. */
void detach_keep(struct task *t);
/* Calls `complete` for each kept task of this thread whose event is fulfilled. */
void detach_poll(void (*complete)(struct task *t));
bool detach_has_kept(void);

#endif
