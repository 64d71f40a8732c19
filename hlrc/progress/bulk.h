/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bulk.h - large one-way messages: diffs, and signals of condition variables.
 *
 * A ring of slots per ordered pair of nodes, in the receiver's control window. The sender counts
 * what it sent; the receiver writes back how many slots it has emptied.
 *
 * Invariants
 *   - sent - emptied <= bulk_slots: a slot is not written before its last contents were served.
 *   [bulk.order] Messages of one pair are served in the order in which bulk_send was called
 *       [fabric.event-order]. Flushes of a node are serialised [interval.covers-dirty], so diffs of
 *       one (page, writer) land in interval order.
 *   - Only application threads send. They wait for a credit without a spin lock, and serve while
 *     they wait. The receiver returns credits without waiting. So two full rings empty each other.
 *   - A thread that waits for a credit wakes the receiver first, since non-urgent messages may lie
 *     there unserved.
 */
#ifndef HLRC_BULK_H
#define HLRC_BULK_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"

#define BULK_SLOT_BYTES 8192 /* or the size of a vector time if that is larger */

/* Slots of a ring, a power of two. Fewer for many nodes, so that all rings together take 32 MiB of
 * a node's window, or 64 KiB each. */
static inline uint32_t bulk_slots(int nodes)
{
    uint32_t slots = 64;
    while (slots > 8 && slots * (uint32_t)nodes > 4096)
        slots /= 2;
    return slots;
}

enum bulk_type { BULK_DIFFS, BULK_SIGNAL, BULK_TYPES };

struct bulk {
    uint32_t type;  /* enum bulk_type */
    uint32_t bytes; /* of the payload */
    /* BULK_DIFFS: of the sender. BULK_SIGNAL: condition variable << 1 | broadcast, and with
     * --trace-sim the number of the signal << 33. */
    uint64_t interval;
    unsigned char payload[];
};

static_assert(sizeof(struct bulk) == 16, "sent between nodes as raw bytes");
#define BULK_PAYLOAD (BULK_SLOT_BYTES - sizeof(struct bulk))

int bulk_init(void);

/* Sends a composed message. Its memory is in use until fabric_wait(op), or is copied if op is
 * NULL. Waits for room at the receiver. */
void bulk_send(int to, const struct bulk *msg, bool urgent, struct fabric_op *op);

/* Registers the function that serves messages of a type with the progress lock held (progress.h).
 * Called before the first event is taken. */
void bulk_handle(enum bulk_type type, void (*serve)(int from, const struct bulk *msg));

/* ASSUMPTION of both: the caller holds the progress lock. */
void bulk_serve(int from, uint32_t slot);
void bulk_return_credits(void);

#endif
