/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * msg.h - requests that a handler serves, and their answers.
 *
 * A token is a request that this node can have outstanding: two per application thread (one for
 * calls, one for a condition variable), one for the barrier, one per prefetch. A request travels in
 * the slot of its (node, token) at every node that it visits; the answer arrives in the token's
 * reply slot at the node that asked.
 *
 * Invariants
 *   M1  A token has at most one request in the system; a request is at one node at a time. So its
 *       slots are free whenever they are written: requests, forwards and answers need no credits,
 *       and full queues cannot block them.
 *   M2  The node that holds a request passes it on (msg_forward) or answers it (msg_reply), exactly
 *       once. Until then the slot keeps the request: a server may put it aside and come back to it.
 *       (A condition variable's waiter is answered twice: on the token of its call, and on one on
 *       which it only expects something.)
 *   M3  A token is complete when the event of its answer has been served: then, and only then, its
 *       owner goes on. So every event is consumed before the next request is sent.
 *   M4  What all nodes can have outstanding at one fits into the receive queue of any adapter
 *       (FABRIC_EVENTS), up to as many nodes as the threads' tokens and the bulk slots allow:
 *       prefetches are what gives way (msg_prefetch_count).
 */
#ifndef HLRC_MSG_H
#define HLRC_MSG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "hlrc/protocol/request.h"
#include "hlrc/protocol/waits.h"

#define PREFETCHES_LEAST 14
#define REQUEST_SMALL    64 /* bytes of a slot without room for a vector time */

/* Tokens behind those of the threads, which have two each, those of the runtime itself (thread.h)
 * among them. */
uint32_t msg_token_barrier(void);
uint32_t msg_token_prefetch(uint32_t k);
uint32_t msg_token_count(uint32_t threads, uint32_t prefetches);

/*
 * Events that a node can have outstanding at another, of `tokens` and the bulk slots. Twice the
 * tokens: requests of all nodes' tokens may be at one node, with the answers to its own; the rest
 * is for wakes, of which a thread has two under way at most, since the receiver takes the first
 * before the event for which the thread waits.
 */
uint32_t msg_rx_depth(int nodes, uint32_t tokens);
uint32_t msg_prefetch_count(int nodes, uint32_t threads); /* PREFETCHES_LEAST to PREFETCHES (M4) */

int msg_init(void);
void msg_end(void);

/* Who serves requests of a type, holding the progress lock (progress.h S4); and who is told that
 * the barrier's token is complete, since no thread owns it. Before the first event is taken. */
void msg_handle(enum request_type type, void (*serve)(struct request *));
void msg_handle_barrier(void (*answered)(void));

/* Composes a request in this token's scratch; the caller fills the rest and sends it, which does
 * not wait (M1). */
struct request *msg_compose(uint32_t token, enum request_type type, uint32_t object);
void msg_send(struct request *req, int to, bool with_vec, bool urgent);
/* an answer will come without a request */
void msg_expect(uint32_t token, enum request_type type, uint32_t object);
bool msg_done(uint32_t token); /* its answer has been served (M3) */
/* Waits; the reply is valid until the token's next request. */
const struct reply *msg_wait(uint32_t token);
/* The same where the request's type does not tell what is waited for. */
const struct reply *msg_wait_as(uint32_t token, struct wait_for what);
static inline bool msg_token_done(void *token)
{
    return msg_done((uint32_t)(uintptr_t)token);
}

/* For those who serve; neither waits. vec, one u64 per node, may be NULL. */
void msg_forward(const struct request *req, enum request_type type, int to, const uint64_t *vec);
void msg_reply(const struct request *req, int64_t status, uint64_t arg, const uint64_t *vec);
/* the request of a token that is at this node */
struct request *msg_slot(int from, uint32_t token);

/* ASSUMPTION of both: the caller holds the progress lock. */
void msg_dispatch(const struct fabric_event *ev);
void msg_drained(void); /* nothing more is pending for now */

/* For bulk.c: the write that carries the event of a bulk slot. */
void msg_event_bulk(int to, size_t at, const void *data, size_t len, uint32_t slot, bool urgent,
                    struct fabric_op *op);

#endif
