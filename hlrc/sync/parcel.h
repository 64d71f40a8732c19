/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parcel.h - small messages that travel with a barrier of all nodes. Before it arrives each node
 * may send a parcel to any other, which reads it after the barrier.
 *
 *   parcel_room, filled | written to others, complete | barrier | parcel_from
 *
 * Invariants
 *   - A node arrives after its parcels are in their receivers' memory: the word that reports its
 *     arrival to another node may come through a third [fabric.target-order].
 *   - There are two slots for each sender, by parity of the step, which all nodes count alike. A
 *     sender writes a slot again in step k + 2, after the barrier of step k + 1, which all nodes
 *     have entered with their parcels of step k read. One barrier per step is therefore enough.
 */
#ifndef HLRC_PARCEL_H
#define HLRC_PARCEL_H

#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/meeting.h"

/* Bytes of a parcel in a job of this many nodes: a multiple of 64, larger with fewer nodes. */
static inline size_t parcel_bytes(int nodes)
{
    size_t bytes = (65536u / (size_t)nodes) & ~(size_t)63;
    return bytes < 128 ? 128 : bytes > 1024 ? 1024 : bytes;
}

void parcel_reset(void); /* the next step is the first */
uint64_t parcel_step(void);

/* Begins a step: returns the buffer for this node's parcel. */
void *parcel_begin(void);
/* Sends the first `len` bytes to a node, or to all others. Waits for the network only. */
void parcel_send(int node, size_t len);
void parcel_send_all(size_t len);
/* Ends the step: a barrier, in this call [collective.same-call]. Waits for all nodes. */
void parcel_meet(enum meeting call);
/* The parcel of a node to this one, or this node's own; valid until the next step ends. */
const void *parcel_from(int node);

#endif
