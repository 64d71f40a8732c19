/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handle.h - operations that are under way: by handle, or without one, known by their node alone.
 *
 *          handle_take          handle_name: the program has it        hlrc_wait, hlrc_test
 *   FREE ---------------> TAKEN ----------------------------> UNDER WAY --------------> FREE
 *
 * Invariants
 *   RH1  A handle names one operation: the entry of the table, and how often that has been used. It
 *        is ended once: who ends it exchanges the entry's name for none first. A name comes again
 *        after 2^48 operations of one entry; 0 is none.
 *   RH2  What is under way at a node raises the `pending` of an entry with that node, or of the
 *        node's own. So a fence that has seen all of them at 0 is behind every operation that was
 *        started before it, by whichever thread. It may wait for later ones, too.
 */
#ifndef HLRC_HANDLE_H
#define HLRC_HANDLE_H

#include <stdint.h>

#include "fabric/fabric.h"

#define HANDLES 65536 /* under way at one node at most */

/* All but `op` and `name` is its owner's, who has taken it. */
struct handle {
    struct fabric_op op;
    _Atomic int node;      /* at which it is under way; -1: free */
    _Atomic uint64_t name; /* 0: nobody has it (RH1) */
    uint64_t uses;
    uint64_t begun; /* --trace-sim: items until then; 0: it has none */
};

int handles_start(void);
void handles_stop(void);

/* For an operation at this node: start it with handle->op, then tell the program its name. Ends the
 * job when all are in use. Spins. */
struct handle *handle_take(int node);
uint64_t handle_name(struct handle *h);
/* One that is over. */
uint64_t handle_done(void);

/* For --trace-sim: an item has been noted of what is left under way. */
void handle_left(void);

/* What operations without a handle raise (RH2). */
struct fabric_op *handle_none(int node);

void handles_fence_all(void); /* waits for the network alone */

#endif
