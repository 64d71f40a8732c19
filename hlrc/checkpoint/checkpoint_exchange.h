/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_exchange.h - the nodes agree about a checkpoint while the program runs: by remote
 * writes to slots in the control window, apart from the program's barriers and broadcasts.
 *
 * Each node has two slots of each other node, used in turn. A node writes its part to the slot of
 * the round at all others, and then the number of the round. It waits until it has that number of
 * all.
 *
 *   - The part is visible before the number [fabric.write-order].
 *   - A node writes the slot of round r again in round r + 2, after round r + 1: the others have
 *     entered that one, so they have copied round r.
 *   - One thread of a node calls at a time: the one that writes the checkpoint, or one in
 *     hlrc_checkpoint while none does [checkpoint.one-at-a-time].
 */
#ifndef HLRC_CHECKPOINT_EXCHANGE_H
#define HLRC_CHECKPOINT_EXCHANGE_H

#include <stddef.h>

#define CHECKPOINT_EXCHANGE_MOST 48 /* bytes of one node */

/* Room in the control window; 0: none is needed. */
size_t checkpoint_exchange_room(int nodes);

void checkpoint_exchange_reset(void);
/* Collective: gathers `len` bytes of each node into all[nodes * len]. Sleeps while it waits. */
void checkpoint_exchange(const void *mine, size_t len, void *all);
/* Writes from here to the control window of another node; it has landed when this returns. By any
 * thread: one of the program is guarded from its signal handlers. */
void checkpoint_exchange_write(int node, size_t at, const void *from, size_t len);

#endif
