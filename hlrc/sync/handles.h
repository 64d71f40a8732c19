/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handles.h - numbers for locks, condition variables and atomic words that a node creates without
 * communication.
 *
 * Node n of N assigns numbers k from `first` on with k mod N = n: objects of number k are at node
 * k mod N, so at the node that created them. A number freed at any node is assigned again there.
 * The object it names is in its unused state when freed: a lock is free, a condition variable has
 * no waiter.
 *
 * A node publishes in its window how many numbers it has assigned. Other nodes read that when they
 * see a higher number, so that a number that was never assigned is found out.
 */
#ifndef HLRC_HANDLES_H
#define HLRC_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/spin.h"

enum handles_kind { HANDLES_LOCKS, HANDLES_CONDS, HANDLES_ATOMICS, HANDLES_KINDS };

struct handles {
    enum handles_kind kind;
    uint32_t lowest;                  /* as given to handles_init */
    spin_lock_word lock;              /* guards the rest */
    uint32_t first, limit;            /* numbers are in [first, limit) */
    uint64_t inverse;                 /* 2^64 / nodes */
    _Atomic uint32_t made[NODES_MAX]; /* by each node so far, as known here */
    uint32_t *returned;               /* a stack of numbers freed here */
    uint32_t count, room;
};

/* forgets all assigned numbers */
void handles_init(struct handles *h, enum handles_kind kind, uint32_t first, uint32_t per_node);
/* Whether the number was assigned at some time. Where the fabric has no reads, true for numbers of
 * other nodes. */
bool handles_assigned(struct handles *h, uint32_t number);
/* 0, or -ENOMEM when all are in use: then *number is unchanged */
int handles_take(struct handles *h, uint32_t *number);
void handles_give(struct handles *h, uint32_t number); /* may run on any node. Both spin */

/* For checkpoints, while no node assigns numbers. */
struct handles *handles_of(enum handles_kind kind);
uint32_t handles_end(const struct handles *h); /* all numbers that this node assigned are below */
/* All numbers below `end` have been assigned, in a job of any number of nodes. 0, or -ERANGE if
 * this one has fewer. */
int handles_resume(struct handles *h, uint32_t end);

#endif
