/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* msg.c - see msg.h for the invariants. */
#include "hlrc/progress/msg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

/* The immediate of a write: kind of event, and slot. */
enum msg_event_kind { EVENT_REQUEST, EVENT_REPLY, EVENT_BULK };
#define EVENT(kind, index) ((uint32_t)(kind) << 28 | (uint32_t)(index))
#define EVENT_KIND(imm)    ((imm) >> 28)
#define EVENT_INDEX(imm)   ((imm)&0xfffffffu)

/* by token; cleared by the owner before it sends, set by the serving thread */
static _Atomic uint8_t *complete;
static char *scratch; /* a request slot per token, for its owner to compose in */
/* by type; set before the first event is taken */
static void (*serves[REQUEST_TYPES])(struct request *);
static void (*barrier_answered)(void);

uint32_t msg_token_count(uint32_t threads, uint32_t prefetches)
{
    return 2 * (threads + THREADS_OWN) + 1 + prefetches;
}

uint32_t msg_rx_depth(int nodes, uint32_t tokens)
{
    return 2 * tokens + bulk_slots(nodes);
}

uint32_t msg_prefetch_count(int nodes, uint32_t threads)
{
    uint32_t share = FABRIC_EVENTS / (uint32_t)nodes,
             others = msg_rx_depth(nodes, msg_token_count(threads, 0));
    uint32_t room = share > others ? (share - others) / 2 : 0;
    return room < PREFETCHES_LEAST ? PREFETCHES_LEAST : room > PREFETCHES ? PREFETCHES : room;
}

uint32_t msg_token_barrier(void)
{
    return 2 * thread_max();
}

uint32_t msg_token_prefetch(uint32_t k)
{
    return 2 * thread_max() + 1 + k;
}

int msg_init(void)
{
    complete = calloc(engine.tokens, 1);
    scratch = calloc(engine.tokens, engine.at.request_size);
    return complete && scratch ? 0 : -ENOMEM;
}

void msg_end(void)
{
    free(complete);
    free(scratch);
    complete = NULL;
    scratch = NULL;
}

/* In the row of a sender: tokens of the threads' calls, of the barrier and of prefetches, then
 * tokens of conditions, which carry no vector time. */
static size_t msg_request_at(int from, uint32_t token)
{
    size_t row = engine.at.requests + (size_t)from * engine.at.request_row;
    uint32_t threads = engine.at.request_threads;
    if (token >= 2 * threads)
        return row + (token - threads) * engine.at.request_size;
    if (token % 2 == 0)
        return row + token / 2 * engine.at.request_size;
    return row + (engine.tokens - threads) * engine.at.request_size + token / 2 * REQUEST_SMALL;
}

static size_t msg_reply_at(uint32_t token)
{
    return engine.at.replies + token * engine.at.reply_size;
}

struct request *msg_slot(int from, uint32_t token)
{
    return engine_control_at(msg_request_at(from, token));
}

static struct request *msg_scratch_of(uint32_t token)
{
    return (struct request *)(void *)(scratch + token * engine.at.request_size);
}

struct request *msg_compose(uint32_t token, enum request_type type, uint32_t object)
{
    struct request *req = msg_scratch_of(token);
    *req = (struct request){
        .type = (uint16_t)type, .from = (uint16_t)engine.node, .token = token, .object = object
    };
    return req;
}

void msg_handle(enum request_type type, void (*serve)(struct request *))
{
    serves[type] = serve;
}

void msg_handle_barrier(void (*answered)(void))
{
    barrier_answered = answered;
}

static void msg_serve(struct request *req)
{
    if (req->type >= REQUEST_TYPES || !serves[req->type])
        diag_fatal(1,
                   "node %d sent a request of unknown type %u; do all nodes run the same version?",
                   (int)req->from, (unsigned)req->type);
    serves[req->type](req);
}

/* Puts a request into the slot of its token at `to`, to be served there. */
static void msg_deliver(const struct request *req, int to, size_t len, bool urgent)
{
    if (to == engine.node) {
        struct request *slot = msg_slot(req->from, req->token);
        if (slot != req)
            memcpy(slot, req, len);
        msg_serve(slot);
        return;
    }
    PROBE(message_posted);
    uint32_t index = (uint32_t)req->from * engine.tokens + req->token;
    fabric_write_imm_copied(engine.fabric, to, engine.control.id,
                            msg_request_at(req->from, req->token), req, len,
                            EVENT(EVENT_REQUEST, index), urgent);
}

void msg_send(struct request *req, int to, bool with_vec, bool urgent)
{
    atomic_store_explicit(&complete[req->token], 0, memory_order_relaxed);
    msg_deliver(req, to, sizeof *req + (with_vec ? VT_BYTES(engine.nodes) : 0), urgent);
}

void msg_expect(uint32_t token, enum request_type type, uint32_t object)
{
    msg_compose(token, type, object);
    atomic_store_explicit(&complete[token], 0, memory_order_relaxed);
}

void msg_forward(const struct request *req, enum request_type type, int to, const uint64_t *vec)
{
    uint64_t copy[(sizeof *req + VT_BYTES(NODES_MAX)) / 8];
    struct request *next = (struct request *)(void *)copy;
    memcpy(next, req, engine.at.request_size < sizeof copy ? engine.at.request_size : sizeof copy);
    next->type = (uint16_t)type;
    if (vec)
        memcpy(next->vec, vec, VT_BYTES(engine.nodes));
    msg_deliver(next, to, sizeof *next + VT_BYTES(engine.nodes), true);
}

static void msg_token_complete(uint32_t token)
{
    PROBE(reply_written);
    /* orders the contents of the reply slot before the owner reads them */
    atomic_store_explicit(&complete[token], 1, memory_order_release);
    struct thread *t = thread_of_token(token);
    if (t)
        thread_wake(t);
    else if (token == msg_token_barrier())
        barrier_answered();
}

void msg_reply(const struct request *req, int64_t status, uint64_t arg, const uint64_t *vec)
{
    uint64_t copy[(sizeof(struct request_reply) + VT_BYTES(NODES_MAX)) / 8];
    struct request_reply *rep = (struct request_reply *)(void *)copy;
    size_t len = sizeof *rep + (vec ? VT_BYTES(engine.nodes) : 0);
    rep->status = status;
    rep->arg = arg;
    if (vec)
        memcpy(rep->vec, vec, VT_BYTES(engine.nodes));
    if (req->from == engine.node) {
        memcpy(engine_control_at(msg_reply_at(req->token)), rep, len);
        msg_token_complete(req->token);
        return;
    }
    fabric_write_imm_copied(engine.fabric, req->from, engine.control.id, msg_reply_at(req->token),
                            rep, len, EVENT(EVENT_REPLY, req->token), true);
}

bool msg_done(uint32_t token)
{
    return atomic_load_explicit(&complete[token], memory_order_acquire);
}

/* What the owner of a token waits for, by request type. */
static const enum waits awaited[REQUEST_TYPES] = {
    [REQUEST_HOME] = WAITS_HOME,       [REQUEST_PLACE] = WAITS_PLACE,
    [REQUEST_LOCK] = WAITS_LOCK,       [REQUEST_TRY] = WAITS_TRY,
    [REQUEST_BARRIER] = WAITS_BARRIER, [REQUEST_COND_WAIT] = WAITS_COND,
    [REQUEST_LOG_DRAIN] = WAITS_LOG,   [REQUEST_ATOMIC] = WAITS_ATOMIC,
    [REQUEST_WORD] = WAITS_WORD,       [REQUEST_SITE] = WAITS_SITE,
    [REQUEST_SERVED] = WAITS_SERVED,
};

const struct request_reply *msg_wait_as(uint32_t token, struct waits_wait what)
{
    progress_wait(what, msg_token_done, (void *)(uintptr_t)token, WAIT_EVENT);
    return engine_control_at(msg_reply_at(token));
}

const struct request_reply *msg_wait(uint32_t token)
{
    const struct request *req = msg_scratch_of(token);
    return msg_wait_as(token,
                       (struct waits_wait){ awaited[req->type], req->object, (int)req->object });
}

void msg_event_bulk(int to, size_t at, const void *data, size_t len, uint32_t slot, bool urgent,
                    struct fabric_op *op)
{
    uint32_t imm = EVENT(EVENT_BULK, slot);
    PROBE(message_posted);
    if (op)
        fabric_write_imm(engine.fabric, to, engine.control.id, at, data, len, imm, urgent, op);
    else
        fabric_write_imm_copied(engine.fabric, to, engine.control.id, at, data, len, imm, urgent);
}

/* Reads the fields first: once the request is served, the slot is no longer this node's. */
static void msg_serve_request(struct request *req)
{
    struct probe_span span = PROBE_BEGIN(request);
    unsigned type = req->type;
    uint32_t object = req->object;
    int from = req->from;
    msg_serve(req);
    PROBE_END(request, span, type, object, from);
}

void msg_dispatch(const struct fabric_event *ev)
{
    uint32_t index = EVENT_INDEX(ev->imm);
    switch (EVENT_KIND(ev->imm)) {
    case EVENT_REQUEST:
        msg_serve_request(msg_slot((int)(index / engine.tokens), index % engine.tokens));
        return;
    case EVENT_REPLY:
        msg_token_complete(index);
        return;
    case EVENT_BULK:
        bulk_serve(ev->from, index);
        return;
    default:
        diag_fatal(1,
                   "node %d sent an event of unknown kind %u; do all nodes run the same version?",
                   ev->from, (unsigned)EVENT_KIND(ev->imm));
    }
}

void msg_drained(void)
{
    bulk_return_credits();
}
