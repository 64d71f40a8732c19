/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* atomic.c - see atomic.h. */
#include "hlrc/sync/atomic.h"

#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/diag.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/handles.h"

enum atomic_operation { FETCH_ADD, COMPARE_EXCHANGE, EXCHANGE };

static struct handles created; /* numbers of words */

int atomic_words_init(void)
{
    handles_init(&created, HANDLES_ATOMICS, 0, ATOMIC_WORDS);
    msg_handle(REQUEST_ATOMIC, atomic_serve);
    return 0;
}

static int atomic_home_of(uint32_t word)
{
    return (int)(word % (uint32_t)engine.nodes);
}

static size_t atomic_word_at(uint32_t word)
{
    return engine.at.words + (size_t)(word / (uint32_t)engine.nodes) * 8;
}

_Atomic uint64_t *atomic_word_here(uint32_t word)
{
    return engine_control_at(atomic_word_at(word));
}

static uint64_t atomic_perform(uint32_t word, enum atomic_operation op, uint64_t a, uint64_t b)
{
    _Atomic uint64_t *w = atomic_word_here(word);
    if (op == FETCH_ADD)
        return atomic_fetch_add(w, a);
    if (op == EXCHANGE)
        return atomic_exchange(w, a);
    atomic_compare_exchange_strong(w, &a, b);
    return a;
}

void atomic_serve(struct request *req)
{
    msg_reply(req, 0,
              atomic_perform(req->object, (enum atomic_operation)req->flags, req->arg[0],
                             req->arg[1]),
              NULL);
}

static uint64_t atomic_by_fabric(uint32_t word, enum atomic_operation op, uint64_t a, uint64_t b)
{
    uint64_t old = 0;
    struct fabric_op done = FABRIC_OP_INIT;
    int win = engine.control.id, home = atomic_home_of(word);
    if (op == EXCHANGE)
        return fabric_exchange(engine.fabric, home, win, atomic_word_at(word), a, b);
    if (op == FETCH_ADD)
        fabric_fetch_add(engine.fabric, home, win, atomic_word_at(word), a, &old, &done);
    else
        fabric_cas(engine.fabric, home, win, atomic_word_at(word), a, b, &old, &done);
    fabric_wait(engine.fabric, &done);
    return old;
}

static uint64_t atomic_by_request(uint32_t word, enum atomic_operation op, uint64_t a, uint64_t b)
{
    uint32_t token = thread_self()->call_token;
    struct request *req = msg_compose(token, REQUEST_ATOMIC, word);
    req->flags = op;
    req->arg[0] = a;
    req->arg[1] = b;
    msg_send(req, atomic_home_of(word), false, true);
    return msg_wait(token)->arg;
}

/* rule 8: decided by the protocol, so the same on all nodes. */
static uint64_t atomic_access_word(uint32_t word, enum atomic_operation op, uint64_t a, uint64_t b)
{
    struct thread *t = thread_enter();
    bool fabric = engine.protocol.pages->caps & FABRIC_ATOMICS;
    PROBE(atomic_operation, atomic_home_of(word));
    uint64_t old = fabric ? atomic_by_fabric(word, op, a, b) : atomic_by_request(word, op, a, b);
    thread_leave(t);
    return old;
}

static void atomic_check(const char *call, hlrc_atomic_t word)
{
    call_check(call);
    if (!handles_assigned(&created, word.id))
        diag_fatal(1, "%s(%u): no such atomic word; use one that hlrc_atomic_create returned", call,
                   word.id);
}

int hlrc_atomic_create(hlrc_atomic_t *word, uint64_t value)
{
    call_check("hlrc_atomic_create");
    call_check_given("hlrc_atomic_create", "word", word);
    hlrc_atomic_t made;
    int rc = handles_take(&created, &made.id);
    if (rc)
        return rc;
    *word = made;
    hlrc_atomic_exchange(made, value);
    return 0;
}

void hlrc_atomic_destroy(hlrc_atomic_t word)
{
    atomic_check("hlrc_atomic_destroy", word);
    handles_give(&created, word.id);
}

uint64_t hlrc_atomic_load(hlrc_atomic_t word)
{
    atomic_check("hlrc_atomic_load", word);
    return atomic_access_word(word.id, FETCH_ADD, 0, 0);
}

uint64_t hlrc_atomic_fetch_add(hlrc_atomic_t word, uint64_t value)
{
    atomic_check("hlrc_atomic_fetch_add", word);
    return atomic_access_word(word.id, FETCH_ADD, value, 0);
}

uint64_t hlrc_atomic_exchange(hlrc_atomic_t word, uint64_t value)
{
    atomic_check("hlrc_atomic_exchange", word);
    return atomic_access_word(word.id, EXCHANGE, value, 0);
}

int hlrc_atomic_compare_exchange(hlrc_atomic_t word, uint64_t *expected, uint64_t desired)
{
    atomic_check("hlrc_atomic_compare_exchange", word);
    call_check_given("hlrc_atomic_compare_exchange", "expected", expected);
    uint64_t want = *expected;
    uint64_t seen = atomic_access_word(word.id, COMPARE_EXCHANGE, want, desired);
    if (seen != want)
        *expected = seen;
    return seen == want;
}
