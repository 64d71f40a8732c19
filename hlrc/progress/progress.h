/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress.h - who serves what arrives at this node, and how a thread waits.
 *
 * Invariants
 *   S1  One thread at a time holds the progress lock and takes events from the receive queue.
 *       No other thread does.
 *   S2  While a thread holds the progress lock and is awake, senders wake no thread. The thread
 *       that gives the progress lock up arms the queue for the handler thread and looks at it again
 *       after giving it up: an event is served by someone, always.
 *   S3  A thread that waits takes the progress lock when it is free, so it serves what arrives for
 *       it itself, and sleeps on the receive queue in the handler's stead.
 *   S4  Serving never waits: not for a version, a credit, a lock held across a wait, or memory from
 *       malloc.
 *   S5  Every wait spins for a short time, some round trips of the fabric, then yields, then sleeps
 *       until woken. Where a node has more threads than cores, whoever spins offers its core now
 *       and then, and spins no more where threads of this node take it, which it may wait for; to
 *       other programs it offers no more for a while. A wait for something that neither an event
 *       nor progress_changed announces sleeps for bounded times.
 *   S6  A thread that waits may sleep without the progress lock, while another thread has it. The
 *       thread that then gives the progress lock up arms the queue for all events, not only urgent
 *       ones: what the thread waits for may be none. A waiter counts itself before it tries for the
 *       progress lock, and the progress lock is given up before the count is read: one sees the
 *       other.
 *   S7  A handler that was woken and finds the progress lock taken leaves word (`missed`) and tries
 *       once more before it sleeps: the wake may have been the one that the queue was armed for,
 *       its event taken by another thread already. The thread that gives the progress lock up looks
 *       for the word after giving it up, and arms the queue again.
 *   S8  A wake without an event tells of a write into this node's memory, which any thread may wait
 *       for. The sleeper that it reaches, with the progress lock or as the handler, passes it on to
 *       the threads that sleep alone for a state; with the progress lock when the queue is polled
 *       again, also when the sleep has ended by itself: so it passes on what found the queue armed.
 *       Where the wake finds the queue polled it reaches nobody: those sleep for bounded times
 *       (S5).
 *   S9  An application thread serves no longer than it waits: it looks at what it waits for between
 *       some events and the next, and when it leaves while more events come than it takes, it
 *       passes the progress lock on to the handler by waking it. So a node that is flooded goes on
 *       with its own work.
 *   NH1  Without a handler thread nobody serves while no thread waits, and nothing comes that would
 *        have to be served: that is for who chooses the parts of the protocol (parts.h). Writes are
 *        waited for, and wake who sleeps on the receive queue. Who gives the progress lock up wakes
 *        those who sleep alone for a state; who is about to looks whether the progress lock is free
 *        after saying so. So one of those who wait sleeps on the receive queue, or is awake.
 *
 *                     progress_trylock                   fabric_rx_arm(APP), sleep
 *   handler asleep, armed ------------> a waiter polls <---------------------------> it sleeps
 *      ^    |                             |
 *      |    | woken by an event           | progress_unlock: arm for the handler,
 *      |    v                             v                  unlock, look again
 *   handler serves -------------->  handler asleep, armed
 */
#ifndef HLRC_PROGRESS_H
#define HLRC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/protocol/waits.h"

enum wait_kind {
    WAIT_EVENT, /* done() turns true by serving an event only: sleeps without limit */
    WAIT_STATE, /* done() turns true by a one-sided write or read: sleeps for bounded times */
};

/* Starts the handler thread, if there is to be one (NH1); 0 or a negative errno. */
int progress_start(bool with_handler);
void progress_stop(void);
double progress_handler_seconds(void); /* CPU time of the handler thread so far */

/* Waits until done(arg), serving meanwhile. The caller holds no spin lock. done() has no side
 * effect that serving could not repeat; it is called often. */
void progress_wait(struct wait_for what, bool (*done)(void *), void *arg, enum wait_kind kind);

/* The same for what another thread of this process, or the serving of an event, makes true: the
 * thread that did calls progress_changed(key) afterwards. Sleeps without limit. */
void progress_await(struct wait_for what, const void *key, bool (*done)(void *), void *arg);
/* a fence and a load when no thread waits; holding a spin lock is allowed */
void progress_changed(const void *key);

/* Serves what is pending, if the progress lock is free; does not wait. */
void progress_poll(void);

/* Returns when what had arrived before the call is served, by the thread that has the progress
 * lock. */
void progress_settle(void);

/* From now on every event (true), or only urgent ones (false), wakes the sleeping handler. */
void progress_wake_on_all(bool all);

#endif
