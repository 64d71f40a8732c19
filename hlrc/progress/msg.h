/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * msg.h - requests that a handler serves, and their answers.
 *
 * A token is a request that this node can have outstanding: two per application thread (one for
 * calls, one for a condition variable), one for the barrier, one per prefetch. A request travels
 * in the slot of its (node, token) at every node that it visits. The answer arrives in the token's
 * reply slot at the requester.
 *
 * Invariants
 *   - A token has at most one request in the system, and a request is at one node at a time. So its
 *     slots are free whenever they are written: requests, forwards and answers need no credits, and
 *     full queues cannot block them.
 *   - The node that holds a request forwards it (msg_forward) or answers it (msg_reply), exactly
 *     once. Until then the slot keeps the request, so a server may put it aside and serve it later.
 *     (A condition variable's waiter is answered twice: on the token of its call, and on a token
 *     that only expects an answer.)
 *   - A token is complete once the event of its answer has been served. Only then does its owner
 *     continue. So every event is consumed before the next request is sent.
 *   - The requests that all nodes can have outstanding at one node fit into the receive queue of
 *     any adapter (FABRIC_EVENTS), up to as many nodes as the threads' tokens and the bulk slots
 *     allow. The number of prefetches is reduced to fit (msg_prefetch_count).
 */
#ifndef HLRC_MSG_H
#define HLRC_MSG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "hlrc/core/request.h"
#include "hlrc/core/waits.h"

#define PREFETCHES_LEAST 14
#define REQUEST_SMALL    64 /* bytes of a slot without a vector time */

/* Tokens after the two of each thread, including the runtime's own (thread.h). */
uint32_t msg_token_barrier(void);
uint32_t msg_token_prefetch(uint32_t k);
uint32_t msg_token_count(uint32_t threads, uint32_t prefetches);

/*
 * Events that a node can have outstanding at another, from `tokens` and the bulk slots. Twice the
 * tokens: requests of all nodes' tokens may be at one node, with the answers to its own. The rest
 * is for wakes. A thread has at most two wakes under way, since the receiver takes the first one
 * before the event for which the thread waits.
 */
uint32_t msg_rx_depth(int nodes, uint32_t tokens);
uint32_t msg_prefetch_count(int nodes, uint32_t threads); /* PREFETCHES_LEAST to PREFETCHES */

int msg_init(void);
void msg_end(void);

/* msg_handle registers the function that serves requests of a type with the progress lock held
 * (progress.h). msg_handle_barrier registers a function for the completion of the barrier's token,
 * which no thread owns. Both are called before the first event is taken. */
void msg_handle(enum request_type type, void (*serve)(struct request *));
void msg_handle_barrier(void (*answered)(void));

/* Composes a request in this token's scratch. The caller fills the rest and sends it, which does
 * not wait. */
struct request *msg_compose(uint32_t token, enum request_type type, uint32_t object);
void msg_send(struct request *req, int to, bool with_vec, bool urgent);
/* an answer will arrive without a request */
void msg_expect(uint32_t token, enum request_type type, uint32_t object);
bool msg_done(uint32_t token); /* its answer has been served */
/* Waits; the reply is valid until the token's next request. */
const struct request_reply *msg_wait(uint32_t token);
/* The same if the type of the request does not determine the wait. */
const struct request_reply *msg_wait_as(uint32_t token, struct waits_wait what);
static inline bool msg_token_done(void *token)
{
    return msg_done((uint32_t)(uintptr_t)token);
}

/* For servers. Neither waits. vec, one u64 per node, may be NULL. */
void msg_forward(const struct request *req, enum request_type type, int to, const uint64_t *vec);
void msg_reply(const struct request *req, int64_t status, uint64_t arg, const uint64_t *vec);
/* the request of a token, at this node */
struct request *msg_slot(int from, uint32_t token);

/* ASSUMPTION of both: the caller holds the progress lock. */
void msg_dispatch(const struct fabric_event *ev);
void msg_drained(void); /* no more events are pending for now */

/* For bulk.c: the write that carries the event of a bulk slot. */
void msg_event_bulk(int to, size_t at, const void *data, size_t len, uint32_t slot, bool urgent,
                    struct fabric_op *op);

#endif
