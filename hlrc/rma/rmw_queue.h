/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rmw_queue.h - atomic operations of hlrc_word_fetch_nb that this node has accepted and not
 * performed.
 *
 *   hlrc_word_fetch_nb -> queue -> performed together, when it is full, or before a wait
 *
 * Invariants
 *   - An operation leaves the queue complete. Every call that waits for operations flushes the
 *     queue before it waits, and a flush returns after each operation that any thread queued
 *     before it is complete.
 *   - Operations of a queue are unordered, also on one word. Each is atomic.
 *   - A queue that is performed stays where it is; others fill the second one. So the spin lock is
 *     not held across waits for the network.
 */
#ifndef HLRC_RMW_QUEUE_H
#define HLRC_RMW_QUEUE_H

#include <stdatomic.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "hlrc/rma/handle.h"

#define RMW_QUEUE 1024 /* operations that wait together */

extern _Atomic uint32_t rmw_queue_pending __attribute__((visibility("hidden")));

/* `win`: the fabric's window, the same for all operations. `h`: lowered on completion; NULL: only a
 * flush completes it. Waits for the network if the queue is full. Not within thread_enter. */
void rmw_queue_add(int win, const struct fabric_update *u, struct handle *h);
void rmw_queue_perform(void);

/* Not within thread_enter. */
static inline void rmw_queue_flush(void)
{
    if (atomic_load_explicit(&rmw_queue_pending, memory_order_acquire) != 0)
        rmw_queue_perform();
}

#endif
