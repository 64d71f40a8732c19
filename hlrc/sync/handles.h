/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handles.h - numbers for locks, condition variables and atomic words that a node creates without
 * asking another node.
 *
 * Node n of N hands out first + n, first + n + N, ...; a number given back anywhere is handed out
 * again there. What the number stands for is then in its unused state already: a lock is free, a
 * condition variable has no waiter.
 */
#ifndef HLRC_HANDLES_H
#define HLRC_HANDLES_H

#include <stdint.h>

#include "base/spin.h"

struct handles {
    spin_lock_word lock;   /* guards the rest */
    uint32_t first, limit; /* numbers are in [first, limit) */
    uint32_t made;         /* by this node so far */
    uint32_t *returned;    /* a stack of numbers given back here */
    uint32_t count, room;
};

/* what was handed out before is forgotten */
void handles_init(struct handles *h, uint32_t first, uint32_t per_node);
int handles_take(struct handles *h, uint32_t *number); /* 0, or -ENOMEM when all are in use */
void handles_give(struct handles *h, uint32_t number); /* by any node. Both spin */

#endif
