/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mcs.h - a queue of nodes for a word at one of them, by remote atomics: no remote CPU takes part.
 *
 * It is the queue of Mellor-Crummey and Scott (Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors, 1991). Its home stores the tail, the name of the last queue node,
 * followed, where the queue has one, by the vector time of the last release to free. A queue node
 * lies at the node that waits with it: its successor's name, the grant word, and the vector time
 * of the grant. So a waiter polls local memory only, and a release writes to one other node.
 *
 *   free:    compare-and-swap of the tail, 0 -> me; read of the vector time
 *   taken:   exchange of the tail; my name to the predecessor; wait for my own word
 *   release: no successor: vector time to the home, compare-and-swap of the tail, me -> 0
 *            else:         vector time and word to the successor's queue node
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [mcs.node-clear] A queue node is clear before the tail names it, and belongs to its queue until
 *       its owner has released: at most one name and one grant are written into it, and the owner
 *       has seen both by then. So no late write hits it.
 *       - A node that exchanges the tail for its own name always notifies its predecessor. A
 *         releaser whose compare-and-swap shows that it is not the last waits for the successor's
 *         name.
 *   [mcs.time-first] (3) The vector time of a free queue is at the home before the tail is 0
 *       [fabric.atomic-order], and is read after the compare-and-swap that found 0 there. A
 *       releaser whose vector time equals the one it read there need not write it again.
 *       - (3) The vector time of a grant is in the queue node before the grant word
 *         [fabric.write-order], which wakes a sleeping waiter.
 */
#ifndef HLRC_MCS_H
#define HLRC_MCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hlrc/core/waits.h"

/* A queue: the tail lies in the control window of `home` at this offset. */
struct mcs {
    int home;
    size_t at;
    bool timed; /* a vector time follows the tail */
    /* wait states, with the number `object`: while acquiring, and while releasing */
    enum waits what, next;
    uint64_t object;
};

/* Of a queue node of this node. Other nodes know it by its name, which is never 0. */
uint64_t mcs_name(uint32_t k);
uint64_t *mcs_time(uint32_t k); /* room for a vector time */
int mcs_name_node(uint64_t name);
size_t mcs_name_next(uint64_t name); /* offset of its successor field in its node */

int mcs_init(void); /* 0 or -ENOMEM */
void mcs_end(void);

/* clear [mcs.node-clear]; ends the program if all are in use. Spins */
uint32_t mcs_take_node(void);
void mcs_give_node(uint32_t k);

/* If the queue is free, this node acquires it: returns true, and mcs_time(k) is its vector time.
 * Else *tail is the tail that was found, and nothing has changed. */
bool mcs_take_free(const struct mcs *q, uint32_t k, uint64_t *tail);
/* Waits until granted; results as for mcs_take_free. */
void mcs_acquire(const struct mcs *q, uint32_t k);
/* True if a successor is linked. */
bool mcs_awaited(uint32_t k);
/* Releases, with this vector time if the queue has one. May wait for the successor's name. Frees
 * the queue node. */
void mcs_release(const struct mcs *q, uint32_t k, const uint64_t *vt);

/* For a queue node whose name other nodes got by other means. mcs_await waits for its grant word.
 * mcs_grant writes that word, with a vector time [mcs.time-first], and returns the number of the
 * grant, if the timeline has one (timeline.h). The waiting thread finds that number in `granted`,
 * else `told`, unless that is 0. */
void mcs_await(uint32_t k, struct waits_wait what);
bool mcs_granted(uint32_t k); /* mcs_await would not wait */
uint64_t mcs_grant(uint64_t name, const uint64_t *vt, uint64_t told);

#endif
