/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_rma.c - put, get, accumulate and atomics in windows (hlrc/rma/transfer.c, section.c,
 * accumulate.c, rmw.c), and atomic words, which reside at a node (rule 8): replay.h.
 */
#include <stdlib.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define TRIES_MOST 65536

static struct replay_node *replay_rma_other(const struct replay_node *n, const struct script_op *op)
{
    return &n->r->node[op->arg[0] % n->r->nodes];
}

static uint64_t replay_rma_at_most(uint64_t count, uint64_t most)
{
    return count < most ? count : most;
}

/* Bytes of operation i when BYTES are split about equally. */
static uint64_t replay_rma_share(uint64_t bytes, uint64_t operations, uint64_t i)
{
    return bytes / operations + (i < bytes % operations);
}

/* ---- operations in progress after a call ---- */

/* The operations of one item. */
struct replay_rma_left {
    struct replay_rma_left *next, **from;
    struct replay_node *node, *to;
    uint64_t number;
    uint32_t under_way; /* plus 1 while it is posted */
    bool awaited;
};

static struct replay_rma_left *replay_rma_left_begin(struct replay_node *n, struct replay_node *to)
{
    struct replay_rma_left *l =
        FAIL_NEW(struct replay_rma_left, n->left, &n->left, n, to, ++n->left_begun, 1, false);

    if (n->left != NULL)
        n->left->from = &l->next;
    n->left = l;
    return l;
}

static void replay_rma_left_end(void *self, uint64_t arg)
{
    struct replay_rma_left *l = self;
    struct replay_node *n = l->node;

    (void)arg;
    if (--l->under_way > 0)
        return;
    *l->from = l->next;
    if (l->next != NULL)
        l->next->from = l->from;
    if (l->awaited && --n->left_awaited == 0) {
        n->left_over = true;
        replay_wake(n);
    }
    free(l);
}

/* Like replay_written. */
static void replay_rma_left_written(void *self, uint64_t arg)
{
    struct replay *r = ((struct replay_rma_left *)self)->node->r;

    (void)arg;
    event_after(&r->loop, r->m.latency_ns * SIM_NS, replay_rma_left_end, self, 0);
}

/* handle.c hlrc_wait, fence */
void replay_fence(struct replay_node *n, const struct script_op *op)
{
    uint64_t last = n->left_begun - replay_rma_at_most(op->arg[1], n->left_begun);

    replay_settle(n);
    n->left_awaited = 0;
    n->left_over = false;
    for (struct replay_rma_left *l = n->left; l != NULL; l = l->next) {
        l->awaited = l->number <= last && (op->arg[0] == 0 || l->to->id + 1 == op->arg[0]);
        n->left_awaited += l->awaited;
    }
    if (n->left_awaited == 0)
        return;
    replay_await(n, &n->left_over);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

/* ---- put and get ---- */

/* Adds an operation to LEFT. False: LEFT is NULL, as the node itself waits. */
static bool replay_rma_post(struct replay_node *n, struct replay_rma_left *left)
{
    if (left == NULL)
        return false;
    replay_post(n, 1);
    left->under_way++;
    return true;
}

static void replay_rma_post_write(struct replay_node *n, struct replay_node *to, uint64_t bytes,
                                  struct replay_rma_left *left)
{
    if (replay_rma_post(n, left))
        replay_write(n, to, bytes, replay_rma_left_written, left, 0);
    else
        replay_post_write(n, to, bytes);
}

static void replay_rma_post_read(struct replay_node *n, struct replay_node *from, uint64_t bytes,
                                 struct replay_rma_left *left)
{
    if (replay_rma_post(n, left))
        replay_read(n, from, bytes, false, NULL, replay_rma_left_end, left, 0);
    else
        replay_post_read(n, from, bytes);
}

void replay_transfer(struct replay_node *n, const struct script_op *op)
{
    uint64_t operations = replay_rma_at_most(op->arg[3], RECORD_PIECES);
    struct replay_node *at = replay_rma_other(n, op);
    struct replay_rma_left *left = op->arg[2] == RECORD_LEFT ? replay_rma_left_begin(n, at) : NULL;

    for (uint64_t i = 0; i < operations; i++)
        if (op->kind == RECORD_PUT)
            replay_rma_post_write(n, at, replay_rma_share(op->arg[1], operations, i), left);
        else
            replay_rma_post_read(n, at, replay_rma_share(op->arg[1], operations, i), left);
    if (left != NULL)
        replay_rma_left_end(left, 0);
    if (op->arg[2] == RECORD_AWAITED)
        replay_await_all(n);
}

/* ---- accumulate ---- */

static void replay_rma_read_pieces(struct replay_node *n, const struct script_op *op,
                                   uint64_t pieces)
{
    for (uint64_t i = 0; i < pieces; i++)
        replay_post_read(n, replay_rma_other(n, op), replay_rma_share(op->arg[1], pieces, i));
}

/* accumulate.c replay_rma_lock_and_read. If reads are ordered they go with the first try, which
 * finds the same as the last one. */
static void replay_rma_lock_and_read(struct replay_node *n, const struct script_op *op,
                                     uint64_t pieces)
{
    bool together = n->r->m.reads_ordered;
    uint64_t tries = replay_rma_at_most(op->arg[3], TRIES_MOST);

    for (uint64_t i = 0; i < tries; i++) {
        replay_post_atomic(n, replay_rma_other(n, op));
        if (i == 0 && together)
            replay_rma_read_pieces(n, op, pieces);
        replay_await_reads(n);
        n->debt += n->r->m.complete_ns * SIM_NS;
    }
    if (together && tries <= 1)
        return;
    replay_rma_read_pieces(n, op, pieces);
    replay_await_reads(n);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

/* accumulate.c batch_end, accumulate_change */
void replay_accumulate(struct replay_node *n, const struct script_op *op)
{
    uint64_t pieces = replay_rma_at_most(op->arg[2] >> 1, RECORD_PIECES);
    struct replay_node *at = replay_rma_other(n, op);
    struct replay_rma_left *left = NULL;

    replay_rma_lock_and_read(n, op, pieces);
    if (op->arg[2] & 1)
        left = replay_rma_left_begin(n, at);
    for (uint64_t i = 0; i < pieces; i++)
        replay_rma_post_write(n, at, replay_rma_share(op->arg[1], pieces, i), left);
    if (replay_rma_post(n, left)) {
        replay_read(n, at, 8, true, NULL, replay_rma_left_end, left, 0);
        replay_rma_left_end(left, 0);
    } else {
        replay_post_atomic(n, at);
        replay_await_all(n);
    }
}

/* rmw.c, change.c change_by_fabric */
void replay_change(struct replay_node *n, const struct script_op *op)
{
    uint64_t atomics = replay_rma_at_most(op->arg[1], TRIES_MOST);

    for (uint64_t i = 0; i < atomics; i++)
        replay_atomic(n, replay_rma_other(n, op), NULL, NULL);
    if (atomics > 0)
        return;
    replay_post_read(n, replay_rma_other(n, op), 8);
    replay_await_all(n);
}

/* ---- atomic words ---- */

/* atomic.c atomic_serve */
static void replay_rma_serve(void *self, uint64_t home)
{
    struct replay_node *n = self;

    replay_message(&n->r->node[home], n, 16, replay_answered, n, 0);
}

void replay_atomic_word(struct replay_node *n, unsigned home)
{
    if (n->r->protocol == REPLAY_ASYNC)
        replay_ask(n, home, replay_rma_serve);
    else
        replay_atomic(n, &n->r->node[home], NULL, NULL);
}
