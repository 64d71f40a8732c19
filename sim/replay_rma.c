/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay_rma.c - put, get, accumulate and atomics in windows (hlrc/rma/transfer.c, section.c,
 * accumulate.c, rmw.c), and atomic words, which reside at a node (rule 8): replay.h.
 */
#include <stdlib.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define TRIES_MOST 65536

static struct replay_node *other(const struct replay_node *n, const struct script_op *op)
{
    return &n->r->node[op->arg[0] % n->r->nodes];
}

static uint64_t at_most(uint64_t count, uint64_t most)
{
    return count < most ? count : most;
}

/* Bytes of operation i when BYTES are split about equally. */
static uint64_t share(uint64_t bytes, uint64_t operations, uint64_t i)
{
    return bytes / operations + (i < bytes % operations);
}

/* ---- operations in progress after a call ---- */

/* The operations of one item. */
struct left {
    struct left *next, **from;
    struct replay_node *node, *to;
    uint64_t number;
    uint32_t under_way; /* plus 1 while it is posted */
    bool awaited;
};

static struct left *left_begin(struct replay_node *n, struct replay_node *to)
{
    struct left *l = sim_new(1, sizeof *l);

    *l = (struct left){ n->left, &n->left, n, to, ++n->left_begun, 1, false };
    if (n->left != NULL)
        n->left->from = &l->next;
    n->left = l;
    return l;
}

static void left_end(void *self, uint64_t arg)
{
    struct left *l = self;
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
static void left_written(void *self, uint64_t arg)
{
    struct replay *r = ((struct left *)self)->node->r;

    (void)arg;
    event_after(&r->loop, r->m.latency_ns * SIM_NS, left_end, self, 0);
}

/* handle.c hlrc_wait, fence */
void replay_fence(struct replay_node *n, const struct script_op *op)
{
    uint64_t last = n->left_begun - at_most(op->arg[1], n->left_begun);

    replay_settle(n);
    n->left_awaited = 0;
    n->left_over = false;
    for (struct left *l = n->left; l != NULL; l = l->next) {
        l->awaited = l->number <= last && (op->arg[0] == 0 || l->to->id + 1 == op->arg[0]);
        n->left_awaited += l->awaited;
    }
    if (n->left_awaited == 0)
        return;
    replay_await(n, &n->left_over);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

/* ---- put and get ---- */

/* Adds an operation to LEFT. Elsewhere LEFT is NULL if the node itself waits. */
static void post(struct replay_node *n, struct left *left)
{
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    left->under_way++;
}

static void post_write(struct replay_node *n, struct replay_node *to, uint64_t bytes,
                       struct left *left)
{
    if (left == NULL) {
        replay_post_write(n, to, bytes);
        return;
    }
    post(n, left);
    replay_write(n, to, bytes, left_written, left, 0);
}

static void post_read(struct replay_node *n, struct replay_node *from, uint64_t bytes,
                      struct left *left)
{
    if (left == NULL) {
        replay_post_read(n, from, bytes);
        return;
    }
    post(n, left);
    replay_read(n, from, bytes, false, NULL, left_end, left, 0);
}

static void await_all(struct replay_node *n)
{
    replay_await_written(n);
    replay_await_reads(n);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

static void transfer(struct replay_node *n, const struct script_op *op, bool put)
{
    uint64_t operations = at_most(op->arg[3], RECORD_PIECES);
    struct replay_node *at = other(n, op);
    struct left *left = op->arg[2] == RECORD_LEFT ? left_begin(n, at) : NULL;

    for (uint64_t i = 0; i < operations; i++)
        if (put)
            post_write(n, at, share(op->arg[1], operations, i), left);
        else
            post_read(n, at, share(op->arg[1], operations, i), left);
    if (left != NULL)
        left_end(left, 0);
    if (op->arg[2] == RECORD_AWAITED)
        await_all(n);
}

void replay_put(struct replay_node *n, const struct script_op *op)
{
    transfer(n, op, true);
}

void replay_get(struct replay_node *n, const struct script_op *op)
{
    transfer(n, op, false);
}

/* ---- accumulate ---- */

static void read_pieces(struct replay_node *n, const struct script_op *op, uint64_t pieces)
{
    for (uint64_t i = 0; i < pieces; i++)
        replay_post_read(n, other(n, op), share(op->arg[1], pieces, i));
}

/* accumulate.c lock_and_read. If reads are ordered they go with the first try, which finds the same
 * as the last one. */
static void lock_and_read(struct replay_node *n, const struct script_op *op, uint64_t pieces)
{
    bool together = n->r->m.reads_ordered;
    uint64_t tries = at_most(op->arg[3], TRIES_MOST);

    for (uint64_t i = 0; i < tries; i++) {
        replay_post_atomic(n, other(n, op));
        if (i == 0 && together)
            read_pieces(n, op, pieces);
        replay_await_reads(n);
        n->debt += n->r->m.complete_ns * SIM_NS;
    }
    if (together && tries <= 1)
        return;
    read_pieces(n, op, pieces);
    replay_await_reads(n);
    n->debt += n->r->m.complete_ns * SIM_NS;
}

/* accumulate.c batch_end, accumulate_change */
void replay_accumulate(struct replay_node *n, const struct script_op *op)
{
    uint64_t pieces = at_most(op->arg[2] >> 1, RECORD_PIECES);
    struct replay_node *at = other(n, op);
    struct left *left = NULL;

    lock_and_read(n, op, pieces);
    if (op->arg[2] & 1)
        left = left_begin(n, at);
    for (uint64_t i = 0; i < pieces; i++)
        post_write(n, at, share(op->arg[1], pieces, i), left);
    if (left == NULL) {
        replay_post_atomic(n, at);
        await_all(n);
        return;
    }
    post(n, left);
    replay_read(n, at, 8, true, NULL, left_end, left, 0);
    left_end(left, 0);
}

/* rmw.c, change.c change_by_fabric */
void replay_change(struct replay_node *n, const struct script_op *op)
{
    uint64_t atomics = at_most(op->arg[1], TRIES_MOST);

    for (uint64_t i = 0; i < atomics; i++)
        replay_atomic(n, other(n, op), NULL, NULL);
    if (atomics > 0)
        return;
    replay_post_read(n, other(n, op), 8);
    await_all(n);
}

/* ---- atomic words ---- */

static void take_answer(void *self, uint64_t arg)
{
    struct replay_node *n = self;

    (void)arg;
    n->answered = true;
    replay_wake(n);
}

/* atomic.c atomic_serve */
static void serve(void *self, uint64_t home)
{
    struct replay_node *n = self;

    replay_message(&n->r->node[home], n, 16, take_answer, n, 0);
}

void replay_atomic_word(struct replay_node *n, unsigned home)
{
    struct replay_node *to = &n->r->node[home];

    if (n->r->protocol != REPLAY_ASYNC) {
        replay_atomic(n, to, NULL, NULL);
        return;
    }
    n->answered = false;
    n->debt += n->r->m.post_ns * SIM_NS;
    replay_settle(n);
    COUNT(n, messages, to != n);
    replay_message(n, to, 64, serve, n, home);
    replay_await(n, &n->answered);
}
