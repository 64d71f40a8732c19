/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shm_queue.c - see shm_queue.h for the invariants. */
#include "fabric/shm/shm_queue.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/futex.h"
#include "base/perturb.h"

#define LAP_BITS 15

static uint64_t shm_queue_lap_of(const struct shm_queue *q, uint64_t pos)
{
    /* never 0: an unused entry matches no lap */
    return ((pos / q->size) & ((1u << LAP_BITS) - 1)) + 1;
}

uint64_t shm_queue_size(uint64_t events)
{
    uint64_t size = 64;
    while (size < events)
        size *= 2;
    return size;
}

size_t shm_queue_bytes(uint64_t size)
{
    return sizeof(struct shm_queue) + size * sizeof(uint64_t);
}

void shm_queue_init(struct shm_queue *q, uint64_t size)
{
    q->size = size;
}

/* Enqueues an event; returns its position. */
static uint64_t shm_queue_push(struct shm_queue *q, int from, uint32_t imm)
{
    uint64_t pos = atomic_fetch_add_explicit(&q->tail, 1, memory_order_relaxed);
    uint64_t e = shm_queue_lap_of(q, pos) << 48 | (uint64_t)(uint16_t)from << 32 | imm;
    perturb(queue_drawn);
    /* orders the event's data before the entry that the receiver takes */
    atomic_store_explicit(&q->entry[pos & (q->size - 1)], e, memory_order_release);
    return pos;
}

void shm_queue_ring(struct shm_queue *q, enum fabric_sleeper s)
{
    atomic_fetch_add(&q->bell[s], 1);
    futex_wake_shared(&q->bell[s], 1);
}

/* True if a sleeper was woken; there is none while the receiver polls [progress.holder]. */
static bool shm_queue_alert(struct shm_queue *q, bool urgent)
{
    uint32_t mode = atomic_load_explicit(&q->mode, memory_order_relaxed);
    if (mode == MODE_POLLING || (mode == MODE_HANDLER_URGENT && !urgent))
        return false;
    perturb(queue_alerting);
    /* only one of several senders wakes; on failure the receiver changed mode itself and tests the
     * queue after that */
    if (!atomic_compare_exchange_strong(&q->mode, &mode, MODE_POLLING))
        return false;
    shm_queue_ring(q, mode == MODE_APP ? FABRIC_APP : FABRIC_HANDLER);
    return true;
}

bool shm_queue_send(struct shm_queue *q, int from, uint32_t imm, bool urgent)
{
    uint64_t pos = shm_queue_push(q, from, imm);
    perturb(queue_filled);
    /* orders the entry's write before the reads of tail [shm-queue.arm-then-test] and mode
     * [shm-queue.arm-then-test] */
    atomic_thread_fence(memory_order_seq_cst);
    bool overtaken = atomic_load_explicit(&q->tail, memory_order_relaxed) != pos + 1;
    return shm_queue_alert(q, urgent || overtaken);
}

bool shm_queue_wake(struct shm_queue *q)
{
    /* orders what the caller wrote before the read of mode [shm-queue.arm-then-test] */
    atomic_thread_fence(memory_order_seq_cst);
    return shm_queue_alert(q, true);
}

#ifdef HLRC_DEBUG
/* For the receiver. */
static void shm_queue_assert_state(const struct shm_queue *q)
{
    uint64_t tail = atomic_load(&q->tail);
    assert((q->size & (q->size - 1)) == 0);
    assert(tail - q->head <= q->size);
    assert(atomic_load(&q->mode) <= MODE_APP);
}
#else
#    define shm_queue_assert_state(q) ((void)0)
#endif

bool shm_queue_pending(const struct shm_queue *q)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    uint64_t e = atomic_load_explicit(&q->entry[head & (q->size - 1)], memory_order_acquire);
    return e >> 48 == shm_queue_lap_of(q, head);
}

static _Noreturn void shm_queue_overrun(void)
{
    static const char text[] = "hlrc: shm fabric: receive queue overrun (rx_depth too small)\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    abort();
}

int shm_queue_poll(struct shm_queue *q, struct fabric_event *ev)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    uint64_t e = atomic_load_explicit(&q->entry[head & (q->size - 1)], memory_order_acquire);
    shm_queue_assert_state(q);
    if (e >> 48 != shm_queue_lap_of(q, head)) {
        if (e >> 48 == shm_queue_lap_of(q, head + q->size))
            shm_queue_overrun();
        return 0;
    }
    /* orders the acquisition of the progress lock before it: a thread that sees the event taken
     * also sees that it is being served */
    atomic_store_explicit(&q->head, head + 1, memory_order_release);
    ev->from = (int)(e >> 32 & 0xffff);
    ev->imm = (uint32_t)e;
    return 1;
}

bool shm_queue_arm(struct shm_queue *q, enum fabric_sleeper s, enum fabric_level level)
{
    uint32_t mode = s == FABRIC_APP       ? MODE_APP
                    : level == FABRIC_ALL ? MODE_HANDLER_ALL
                                          : MODE_HANDLER_URGENT;
    atomic_store_explicit(&q->mode, mode, memory_order_relaxed);
    perturb(queue_armed);
    /* orders the write of mode before the last test of the queue [shm-queue.arm-then-test] */
    atomic_thread_fence(memory_order_seq_cst);
    if (!shm_queue_pending(q))
        return true;
    atomic_store_explicit(&q->mode, MODE_POLLING, memory_order_relaxed);
    return false;
}

void shm_queue_sleep(struct shm_queue *q, enum fabric_sleeper s, uint32_t ticket,
                     int64_t timeout_ns)
{
    perturb(queue_sleeping);
    /* the word differs from the ticket if a sender has raised it: then this returns at once */
    futex_wait_shared(&q->bell[s], ticket, timeout_ns);
}
