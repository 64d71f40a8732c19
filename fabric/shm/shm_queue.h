/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm_queue.h - a node's receive queue in memory that all nodes map: many senders, one receiver at
 * a time.
 *
 * Invariants
 *   - `tail` is advanced by senders with fetch_add; only the sender that drew position p writes
 *     entry p mod size.
 *   - an entry carries the lap of its position; the receiver takes it when the lap matches. The
 *     sender's release store orders the lap after the event's data [fabric.write-order].
 *   - senders never wait for room: the job limits the outstanding events per pair
 *     (fabric_job.rx_depth), and the queue holds that many for every pair. A lap that is ahead
 *     proves that the limit was exceeded.
 *   [shm-queue.arm-then-test] only the receiver changes `mode` from POLLING, and then tests the
 *       queue once more; a sender writes its entry, or the word of a waking write, before it reads
 *       `mode`. Both sides have a full fence in between, so that at least one sees the other's
 *       write [fabric.armed-wake].
 *       - A sender whose entry precedes a later one, which may be urgent, wakes as an urgent one
 *         does: the later sender may have woken the receiver, which found a gap here and went back
 *         to sleep. A sender reads `tail` after it has written its entry; a sender that draws a
 *         later position after that read finds no gap.
 */
#ifndef FABRIC_SHM_QUEUE_H
#define FABRIC_SHM_QUEUE_H

#include <stdalign.h>

#include "fabric/fabric.h"

enum shm_mode { MODE_POLLING, MODE_HANDLER_URGENT, MODE_HANDLER_ALL, MODE_APP };

struct shm_queue {
    alignas(64) _Atomic uint64_t tail; /* senders */
    /* written by the holder of the progress lock; read by threads that test for work */
    alignas(64) _Atomic uint64_t head;
    uint64_t size;                     /* entries, a power of two; constant */
    alignas(64) _Atomic uint32_t mode; /* enum shm_mode; [shm-queue.arm-then-test] */
    /* futex words by enum fabric_sleeper; a wake raises the word first */
    alignas(64) _Atomic uint32_t bell[2];
    alignas(64) _Atomic uint64_t entry[];
};

size_t shm_queue_bytes(uint64_t size);
uint64_t shm_queue_size(uint64_t events); /* entries that hold `events` */
void shm_queue_init(struct shm_queue *q, uint64_t size);

/* Enqueues an event, and wakes the sleeper if necessary; true if there was one. */
bool shm_queue_send(struct shm_queue *q, int from, uint32_t imm, bool urgent);
/* wakes any sleeper, without an event; true if there was one */
bool shm_queue_wake(struct shm_queue *q);

int shm_queue_poll(struct shm_queue *q, struct fabric_event *ev);
bool shm_queue_pending(const struct shm_queue *q);
bool shm_queue_arm(struct shm_queue *q, enum fabric_sleeper s, enum fabric_level level);
void shm_queue_sleep(struct shm_queue *q, enum fabric_sleeper s, uint32_t ticket,
                     int64_t timeout_ns);
void shm_queue_ring(struct shm_queue *q, enum fabric_sleeper s);

#endif
