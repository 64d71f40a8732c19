/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parcel.h - a few bytes that come with a barrier of all nodes: each node may send some to any
 * other before it arrives, and finds those of the others behind it.
 *
 *   parcel_room, filled | written to others, complete | barrier | parcel_from
 *
 * Invariants
 *   PC1  A node arrives when its parcels are in the memory of those that they go to: the word that
 *        tells another node of its arrival may come by way of a third (fabric.h F4).
 *   PC2  There are two slots for each sender, by parity of the step, which all nodes count alike. A
 *        sender writes one again in step k + 2, behind the barrier of step k + 1, which all nodes
 *        have entered with their parcels of step k read. One barrier a step is therefore enough.
 */
#ifndef HLRC_PARCEL_H
#define HLRC_PARCEL_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/protocol/meeting.h"

/* Bytes of one in a job of so many nodes: a multiple of 64. Of few nodes each may be long. */
static inline size_t parcel_bytes(int nodes)
{
    size_t bytes = (65536u / (size_t)nodes) & ~(size_t)63;
    return bytes < 128 ? 128 : bytes > 1024 ? 1024 : bytes;
}

void parcel_reset(void); /* the next step is the first */
uint64_t parcel_step(void);

/* Begins a step: where this node's parcel is to be put together. */
void *parcel_begin(void);
/* Sends the first `len` bytes to a node, or to all others. Waits for the network alone. */
void parcel_send(int node, size_t len);
void parcel_send_all(size_t len);
/* Ends the step: a barrier, in this call (ME1). Waits for all nodes. */
void parcel_meet(enum meeting call);
/* What a node has sent to this one, or this one's own; until the next step ends. */
const void *parcel_from(int node);

#endif
