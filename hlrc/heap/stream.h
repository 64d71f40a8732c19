/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stream.h - bytes of one node that all others read, without a barrier between piece and piece.
 *
 * The root copies what it sends, piece by piece, into a ring in its control window, and tells each
 * node how many pieces there have been. The others read them one-sidedly, each when it has come to
 * that piece, and tell the root how many they have read. Who is slow holds the others up by the
 * length of the ring at most.
 *
 *   root       | copy piece k into slot k mod STREAM_SLOTS | told[root] = k + 1, at each node
 *   the others | read it into the own slot of that number, copy it | taken[me] = k + 1, at the root
 *
 * Invariants
 *   ST1  Pieces of a root are numbered from 0 over all its streams. A node reads piece k when
 *        told[root] > k, which the root has written behind the copy.
 *   ST2  The root copies piece k when taken[r] > k - STREAM_SLOTS for every other node r: nobody
 *        reads the slot any more.
 *   ST3  A stream begins behind a barrier, at which a node arrives when it has read all pieces of
 *        the streams before: no node reads the ring of one that is not the root, and that one lands
 *        there what it reads.
 *   ST4  Nobody needs a wake: told and taken are written one-sidedly, and who waits for them sleeps
 *        for bounded times (progress.h S5). Where wakes cost nothing who writes one wakes, else who
 *        is about to wait wakes those that it waits for, once.
 *   ST5  Where the fabric has no reads the root writes each piece into that slot of all others, and
 *        then told: who waits for taken (ST2) writes into no slot that is in use.
 */
#ifndef HLRC_STREAM_H
#define HLRC_STREAM_H

#include <stddef.h>

/* Collective, behind a barrier of all nodes (ST3): the root sends, the others receive. `len` in
 * bytes, the same on all. The buffers may be shared memory. Waits. */
void stream_send(const void *buf, size_t len);
void stream_receive(void *buf, size_t len, int root);

void stream_reset(void); /* the next piece of each root is the first */

#endif
