/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stream.h - a broadcast stream: bytes of one node that all others read, without a barrier between
 * pieces.
 *
 * The root copies its data, piece by piece, into a ring in its control window, and notifies each
 * node of the number of pieces so far. The others read the pieces one-sidedly, each at its own
 * pace, and notify the root of the number they have read. A slow node delays the others by at most
 * the length of the ring.
 *
 *   root       | copy piece k into slot k mod STREAM_SLOTS | told[root] = k + 1, at each node
 *   the others | read it into their own slot of that number, copy | taken[me] = k + 1, at the root
 *
 * Invariants
 *   - Pieces of a root are numbered from 0 over all its streams. A node reads piece k when
 *     told[root] > k, which the root has written after the copy.
 *   - The root copies piece k when taken[r] > k - STREAM_SLOTS for every other node r: no node
 *     still reads the slot.
 *   - A stream begins after a barrier, at which a node arrives after it has read all pieces of
 *     earlier streams. So the ring of a node that is not the root is read by no node, and receives
 *     the pieces that it reads.
 *   - No node needs a wake: told and taken are written one-sidedly, and a waiter sleeps for bounded
 *     times [progress.sleep-test]. Where wakes cost nothing the writer wakes. Elsewhere a node that
 *     is about to wait wakes, once, the nodes that it waits for.
 *   - Where the fabric has no reads the root writes each piece into that slot of all others, and
 *     then `told`: the root's wait for `taken` keeps it from writing into a slot in use.
 *   - checkpoint_partner.h uses the rings while all nodes are in hlrc_checkpoint.
 */
#ifndef HLRC_STREAM_H
#define HLRC_STREAM_H

#include <stddef.h>

/* Collective, after a barrier of all nodes: the root sends, the others receive. `len` in bytes, the
 * same on all. The buffers may be shared memory. Waits. */
void stream_send(const void *buf, size_t len);
void stream_receive(void *buf, size_t len, int root);

void stream_reset(void); /* the next piece of each root is the first */

#endif
