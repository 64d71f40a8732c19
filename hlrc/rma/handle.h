/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handle.h - pending operations: with a handle, or without one, counted by node only.
 *
 *          handle_take          handle_name: the program has it        hlrc_wait, hlrc_test
 *   FREE ---------------> TAKEN ----------------------------> UNDER WAY --------------> FREE
 *
 * Invariants
 *   - A handle names one operation: the entry of the table, and its use count. It is completed
 *     once: the completing call first exchanges the entry's name for none. A name recurs after 2^48
 *     operations of one entry; 0 is none.
 *   - A pending operation at a node raises the `pending` of an entry with that node, or of the
 *     node's own counter. So a fence that has seen all of them at 0 is after every operation
 *     started before it, by any thread. It may wait for later ones, too.
 */
#ifndef HLRC_HANDLE_H
#define HLRC_HANDLE_H

#include <stdint.h>

#include "fabric/fabric.h"

#define HANDLES 65536 /* pending at one node at most */

/* Only the owner, which has taken it, uses fields other than `op` and `name`. */
struct handle {
    struct fabric_op op;
    _Atomic int node;      /* target; -1: free */
    _Atomic uint64_t name; /* 0: not named */
    uint64_t uses;
    uint64_t begun; /* --trace-sim: items until then; 0: none */
};

int handle_start(void);
void handle_stop(void);

/* For an operation at this node: start it with handle->op, then return its name to the program.
 * Ends the job when all are in use. Spins. */
struct handle *handle_take(int node);
uint64_t handle_name(struct handle *h);
/* The handle of a complete operation. */
uint64_t handle_done(void);

/* For --trace-sim: an item was recorded for an operation left pending. */
void handle_left(void);

/* Counter of operations without a handle. */
struct fabric_op *handle_none(int node);

void handle_fence_all(void); /* waits for the network only */

#endif
