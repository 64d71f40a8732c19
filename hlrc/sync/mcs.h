/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mcs.h - a queue of nodes for a word of one of them, by remote atomics: no remote CPU takes part.
 *
 * It is the queue of Mellor-Crummey and Scott (Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors, 1991). At its home lies the tail, which names the queue node of
 * the last that came, and behind it, where the queue has one, the vector time that it had when it
 * became free. A queue node lies at the node that waits with it: its successor's name, the word
 * that says that it is its turn, and the vector time that came with that. So who waits looks at its
 * own memory only, and who lets go writes to one other node.
 *
 *   free:    compare-and-swap of the tail, 0 -> me; read of the vector time
 *   taken:   exchange of the tail; my name to the one before; wait for my own word
 *   let go:  nobody behind me: vector time to the home, compare-and-swap of the tail, me -> 0
 *            else:             vector time and word to the queue node behind me
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   MQ1  A queue node is clear before the tail names it, and belongs to its queue until its owner
 *        has let go: one name and one grant are written into it at most, and the owner has seen
 *        both by then. So nothing is written into it late.
 *   MQ2  Who exchanges the tail for its own name tells the one that was there, always; who finds by
 *        its compare-and-swap that it is not the last waits for that name.
 *   MQ3  (3) The vector time of a free queue is at the home before the tail is 0 (fabric.h F2), and
 *        is read behind the compare-and-swap that found 0 there. Who lets go with the one that it
 *        has read there need not write it again.
 *   MQ4  (3) That of one that is handed on is in the queue node before the word (F1), which wakes
 *        who sleeps for it.
 */
#ifndef HLRC_MCS_H
#define HLRC_MCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/protocol/waits.h"

/* A queue: the tail lies in the control window of `home` at this offset. */
struct mcs {
    int home;
    size_t at;
    bool timed; /* a vector time lies behind the tail */
    /* with the number `object`: what a thread waits for to get it, and amid letting go */
    enum waits what, next;
    uint64_t object;
};

/* Of a queue node of this node's. The name is what other nodes know it by, never 0. */
uint64_t mcs_name(uint32_t k);
uint64_t *mcs_time(uint32_t k); /* room for a vector time */
int mcs_name_node(uint64_t name);
size_t mcs_name_next(uint64_t name); /* where in that node's control window its successor's lies */

int mcs_init(void); /* 0 or -ENOMEM */
void mcs_end(void);

uint32_t mcs_take_node(void); /* clear (MQ1); ends the program when all are in use. Spins */
void mcs_give_node(uint32_t k);

/* If it is nobody's, this node has the queue: true, and mcs_time(k) is its vector time. Else *tail
 * is what was there, and nothing has changed. */
bool mcs_take_free(const struct mcs *q, uint32_t k, uint64_t *tail);
/* Waits for its turn; the same then. */
void mcs_acquire(const struct mcs *q, uint32_t k);
/* Another node waits, as far as this one knows. */
bool mcs_awaited(uint32_t k);
/* Lets go, with this vector time if the queue has one. May wait for the name of the next. The queue
 * node is free afterwards. */
void mcs_release(const struct mcs *q, uint32_t k, const uint64_t *vt);

/* A queue node that others have learnt of by other ways: waits for its word; writes it, with a
 * vector time (MQ4), and tells the number of the grant, if the timeline has one (timeline.h TL4),
 * which the thread that waited finds as `granted`; else it finds `told` there, if that is not 0. */
void mcs_await(uint32_t k, struct wait_for what);
uint64_t mcs_grant(uint64_t name, const uint64_t *vt, uint64_t told);

#endif
