/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shm_queue.h - a node's receive queue in memory that all nodes map: many senders, one receiver at
 * a time.
 *
 * Invariants
 *   Q1  `tail` is advanced by senders with fetch_add; the sender that drew position p alone writes
 *       entry p mod size.
 *   Q2  an entry carries the lap of its position; the receiver takes it when the lap fits, which
 *       the sender's release store orders after the event's data (F1).
 *   Q3  senders never wait for room: the job bounds the outstanding events per pair
 *       (fabric_job.rx_depth), and the queue holds that many for every pair. A lap that is ahead
 *       proves that the bound was broken.
 *   Q4  `mode` leaves POLLING by the receiver alone, who then looks at the queue once more; a
 *       sender writes its entry, or the word of a write that wakes, before it looks at `mode`. Both
 *       sides put a full fence between, so that one of them sees the other (F8).
 *   Q5  A sender whose entry is in front of a later one, which may be urgent, wakes as an urgent
 *       one does: the later sender may have woken the receiver already, who found a gap here and
 *       went back to sleep. A sender looks at `tail` after it has written its entry; the sender
 *       that draws a later position after that look finds no gap.
 */
#ifndef FABRIC_SHM_QUEUE_H
#define FABRIC_SHM_QUEUE_H

#include <stdalign.h>

#include "fabric/fabric.h"

enum shm_mode { MODE_POLLING, MODE_HANDLER_URGENT, MODE_HANDLER_ALL, MODE_APP };

struct shm_queue {
    alignas(64) _Atomic uint64_t tail; /* senders */
    /* the receiver that holds the progress lock; read by who looks for work */
    alignas(64) _Atomic uint64_t head;
    uint64_t size;                     /* entries, a power of two; constant */
    alignas(64) _Atomic uint32_t mode; /* enum shm_mode; Q4 */
    /* futex words by enum fabric_sleeper; a wake raises the word first */
    alignas(64) _Atomic uint32_t bell[2];
    alignas(64) _Atomic uint64_t entry[];
};

size_t shm_queue_bytes(uint64_t size);
uint64_t shm_queue_size(uint64_t events); /* entries that hold `events` */
void shm_queue_init(struct shm_queue *q, uint64_t size);

/* Puts an event in, and wakes whom it has to wake; true when there was a sleeper. */
bool shm_queue_send(struct shm_queue *q, int from, uint32_t imm, bool urgent);
/* wakes any sleeper, without an event; true when there was one */
bool shm_queue_wake(struct shm_queue *q);

int shm_queue_poll(struct shm_queue *q, struct fabric_event *ev);
bool shm_queue_pending(const struct shm_queue *q);
bool shm_queue_arm(struct shm_queue *q, enum fabric_sleeper s, enum fabric_level level);
void shm_queue_sleep(struct shm_queue *q, enum fabric_sleeper s, uint32_t ticket,
                     int64_t timeout_ns);
void shm_queue_ring(struct shm_queue *q, enum fabric_sleeper s);

#endif
