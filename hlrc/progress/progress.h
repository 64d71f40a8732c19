/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress.h - which thread serves what arrives at this node, and how a thread waits.
 *
 * Invariants
 *   [progress.holder] While a thread holds the progress lock and is awake, senders wake no thread.
 *       A thread that releases the progress lock arms the queue for the handler thread, and polls
 *       the queue again after the release. So no event stays unserved.
 *       - Only the thread that holds the progress lock takes events from the receive queue.
 *       - A waiting thread may sleep without the progress lock while another thread holds it. The
 *         thread that then releases the progress lock arms the queue for all events, not only
 *         urgent ones, because the waiter's event may be non-urgent. A waiter counts itself before
 *         it tries the progress lock. The count is read after the progress lock is released, so one
 *         of the two sees the other.
 *       - A handler that was woken and finds the progress lock taken sets `missed` and tries once
 *         more before it sleeps. The wake may have used up the arming of the queue although another
 *         thread took its event. The thread that releases the progress lock reads `missed` after
 *         the release, and arms the queue again.
 *   - A waiting thread takes the progress lock when it is free. It then serves what arrives for it,
 *     and sleeps on the receive queue in place of the handler.
 *   - Serving never waits: not for a version, a credit, a lock held across a wait, or memory from
 *     malloc.
 *   [progress.sleep-test] Every wait spins for some round trips of the fabric, then yields, then
 *       sleeps until woken. If a node has more threads than cores, a spinning thread offers its
 *       core from time to time. It stops spinning if threads of this node take the core, since it
 *       may wait for them. If other programs take it, it makes no offers for a while. A wait for
 *       something that neither an event nor progress_changed announces sleeps for bounded times.
 *       - A wake without an event announces a write into this node's memory, which any thread may
 *         wait for. The woken sleeper, the handler or the holder of the progress lock, passes the
 *         wake on to the threads that sleep for a state without the progress lock. The holder does
 *         so after the queue is polled again, even if its sleep timed out, so it passes on every
 *         wake that found the queue armed. A wake that finds the queue polled reaches no thread;
 *         waiters for a state sleep for bounded times [progress.sleep-test].
 *   [progress.serve-limit] An application thread serves no longer than it waits. It tests its
 *       condition after a number of events. If more events come than it is willing to serve when it
 *       leaves, it passes the progress lock on by waking the handler. So a flooded node makes
 *       progress with its own work.
 *   [progress.settled] An event is served once the thread that took it has ended its drain. A
 *       thread that waits for this need not see the progress lock free: another one, which waits
 *       for an event, holds it for as long as events come.
 *   [progress.no-handler] Without a handler thread no thread serves while none waits, so nothing
 *       may arrive that has to be served; the choice of the parts of the protocol ensures that
 *       (parts.h). Writes are waited for, and wake the thread that sleeps on the receive queue. A
 *       thread that releases the progress lock wakes the threads that sleep for a state without it.
 *       A thread that is about to do so announces that, then tests whether the progress lock is
 *       free. So one of the waiting threads sleeps on the receive queue, or is awake.
 *
 *                     progress_trylock                   fabric_rx_arm(APP), sleep
 *   handler asleep, armed ------------> a waiter polls <---------------------------> it sleeps
 *      ^    |                             |
 *      |    | woken by an event           | progress_unlock: arm for the handler,
 *      |    v                             v                  unlock, poll again
 *   handler serves -------------->  handler asleep, armed
 */
#ifndef HLRC_PROGRESS_H
#define HLRC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/core/waits.h"

enum progress_wait {
    WAIT_EVENT, /* only serving an event makes done() true: sleeps without limit */
    WAIT_STATE, /* a one-sided write or read makes done() true: sleeps for bounded times */
};

/* Starts the handler thread if `with_handler` [progress.no-handler]. Returns 0 or a negative
 * errno. */
int progress_start(bool with_handler);
void progress_stop(void);

/* Waits until done(arg), and serves while it waits. The caller holds no spin lock. done() is
 * called often and has no side effect that serving could not repeat. */
void progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                   enum progress_wait kind);

/* The same for a condition that another thread of this process, or serving an event, makes true.
 * That thread calls progress_changed(key) afterwards. Sleeps without limit. */
void progress_await(struct waits_wait what, const void *key, bool (*done)(void *), void *arg);
/* Costs a fence and a load if no thread waits. The caller may hold a spin lock. */
void progress_changed(const void *key);

/* Serves pending events if the progress lock is free. Does not wait. */
void progress_poll(void);

/* Returns when everything that had arrived before the call is served, by whichever thread holds
 * the progress lock. */
void progress_settle(void);

/* From now on every event (true), or only urgent ones (false), wake the sleeping handler. */
void progress_wake_on_all(bool all);

#endif
