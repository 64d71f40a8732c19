/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* word.c - see word.h. */
#include "hlrc/sync/word.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/perturb.h"
#include "hlrc/call.h"
#include "hlrc/coherence/interval.h"
#include "hlrc/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/page_word.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/stats.h"
#include "hlrc/progress/thread.h"
#include "hlrc/progress/timeline.h"
#include "hlrc/sync/combine.h"

/* What is done to a word; values are its bytes, and zeros behind them. */
struct change {
    hlrc_type type;
    hlrc_op op; /* HLRC_REPLACE where `compares` */
    bool compares;
    uint64_t value, expected;
};

struct word {
    uint32_t page;
    size_t at, bytes; /* in the page */
};

/* As they travel, in a request's `flags`. */
#define FLAGS(at, c) \
    ((uint32_t)(at) | (uint32_t)(c)->type << 12 | (uint32_t)(c)->op << 20 | (c)->compares << 28)
#define FLAGS_AT(f)       ((f)&0xfff)
#define FLAGS_TYPE(f)     ((hlrc_type)((f) >> 12 & 0xff))
#define FLAGS_OP(f)       ((hlrc_op)((f) >> 20 & 0xff))
#define FLAGS_COMPARES(f) (((f) >> 28 & 1) != 0)

int words_init(void)
{
    msg_handle(REQUEST_WORD, word_serve);
    return 0;
}

static bool stores(const struct change *c, uint64_t old)
{
    return c->op != HLRC_NO_OP && (!c->compares || old == c->expected);
}

/* What becomes of the word that was `old`. */
static uint64_t changed(const struct change *c, uint64_t old)
{
    uint64_t result = old;
    if (!stores(c, old))
        return old;
    if (c->op == HLRC_REPLACE)
        return c->value;
    combine(c->type, c->op, &result, &c->value, 1);
    return result;
}

static uint64_t bytes_at(const void *from, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

/* ---- by the fabric's atomics ---- */

/* `whole`: the 8 bytes that the word lies in. */
static uint64_t part_of(uint64_t whole, struct word w)
{
    return bytes_at((char *)&whole + w.at % 8, w.bytes);
}

static uint64_t with_part(uint64_t whole, struct word w, uint64_t value)
{
    memcpy((char *)&whole + w.at % 8, &value, w.bytes);
    return whole;
}

static uint64_t fetch_add(int home, size_t off, uint64_t add)
{
    uint64_t old = 0;
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_fetch_add(engine.fabric, home, engine.space.id, off, add, &old, &op);
    fabric_wait(engine.fabric, &op);
    return old;
}

static uint64_t read_word(int home, size_t off)
{
    uint64_t value = 0;
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_read(engine.fabric, home, engine.space.id, off, &value, sizeof value, &op);
    fabric_wait(engine.fabric, &op);
    return value;
}

/* The copy here, which is what was there last time, is the first guess. */
static uint64_t by_swaps(struct word w, int home, size_t off, const struct change *c)
{
    uint64_t guess = bytes_at(page_mem(w.page) + w.at / 8 * 8, 8);
    for (;;) {
        uint64_t seen = 0, old = part_of(guess, w);
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_cas(engine.fabric, home, engine.space.id, off, guess,
                   with_part(guess, w, changed(c, old)), &seen, &op);
        fabric_wait(engine.fabric, &op);
        if (seen == guess)
            return old;
        guess = seen;
    }
}

static uint64_t by_fabric(struct word w, int home, const struct change *c)
{
    size_t off = ((size_t)w.page << PAGE_SHIFT) + w.at / 8 * 8;
    if (c->op == HLRC_NO_OP)
        return part_of(read_word(home, off), w);
    if (c->op == HLRC_SUM && w.bytes == 8 && c->type != HLRC_DOUBLE)
        return fetch_add(home, off, c->value);
    return by_swaps(w, home, off, c);
}

/* ---- by the home's handler ---- */

/* ASSUMPTION: the page is locked, and this node's own (WD1). */
static uint64_t perform_here(struct word w, const struct page *p, const struct change *c)
{
    uint64_t old = bytes_at(page_mem(w.page) + w.at, w.bytes);
    uint64_t value = changed(c, old);
    if (stores(c, old))
        page_word_store(w.page, p, w.at, w.bytes, &value);
    return old;
}

/* The node that asks announces the page. Where it was placed here, this node may not know it. */
void word_serve(struct request *req)
{
    struct change c = { FLAGS_TYPE(req->flags), FLAGS_OP(req->flags), FLAGS_COMPARES(req->flags),
                        req->arg[0], req->arg[1] };
    struct word w = { req->object, FLAGS_AT(req->flags), combine_bytes(c.type) };
    struct page *p = page_lock(w.page);
    debug_assert(p->home == 0 || page_is_home(p, engine.node)); /* MV1: the page is BUSY there */
    uint64_t old = perform_here(w, p, &c);
    page_unlock(p);
    msg_reply(req, 0, old, NULL);
}

static uint64_t by_request(struct word w, int home, const struct change *c)
{
    uint32_t token = thread_self()->call_token;
    struct request *req = msg_compose(token, REQUEST_WORD, w.page);
    req->flags = FLAGS(w.at, c);
    req->arg[0] = c->value;
    req->arg[1] = c->expected;
    msg_send(req, home, false, true);
    return msg_wait(token)->arg;
}

/* ---- the calls ---- */

static bool atomics_are_the_way(void)
{
    return engine.protocol.pages->caps & FABRIC_ATOMICS; /* WD1 */
}

static struct page *begin(struct word w)
{
    struct page *p;
    while (!(p = page_word_begin(w.page, w.at, w.bytes)))
        interval_close(true); /* WD2 */
    return p;
}

/* Returns what the word was. */
static uint64_t perform(struct word w, const struct change *c)
{
    struct page *p = begin(w);
    bool fabric = atomics_are_the_way();
    uint64_t old;
    if (!fabric && page_word_is_here(p)) {
        old = perform_here(w, p, c);
        if (stores(c, old))
            page_word_note(w.page, p);
        page_unlock(p);
        return old;
    }
    int home = (int)p->home - 1;
    page_word_leave(p);
    old = fabric ? by_fabric(w, home, c) : by_request(w, home, c);
    uint64_t value = changed(c, old);
    perturb(word_performed);
    page_word_end(w.page, w.at, w.bytes, &value, stores(c, old));
    return old;
}

#define PERFORM_ALONE(T)                                                                 \
    T seen = atomic_load_explicit((_Atomic T *)word, memory_order_relaxed);              \
    while (!atomic_compare_exchange_weak((_Atomic T *)word, &seen, (T)changed(c, seen))) \
        ;                                                                                \
    return seen

/* In a job of one. */
static uint64_t perform_alone_4(void *word, const struct change *c)
{
    PERFORM_ALONE(uint32_t);
}

static uint64_t perform_alone_8(void *word, const struct change *c)
{
    PERFORM_ALONE(uint64_t);
}

/* 0, and what the word was; or a negative errno value. */
static int operate(void *word, const struct change *c, uint64_t *old)
{
    size_t bytes = combine_bytes(c->type);
    if (!in_space(word) || (uintptr_t)word % bytes != 0)
        return -EINVAL;
    if (engine.alone) {
        *old = bytes == 8 ? perform_alone_8(word, c) : perform_alone_4(word, c);
        return 0;
    }
    if (bytes < 8 && atomics_are_the_way() && !(engine.fabric->caps & FABRIC_ATOMICS_NARROW))
        return -ENOTSUP;
    struct word w = { page_of(word), (uintptr_t)word % PAGE_SIZE, bytes };
    struct thread *t = thread_enter();
    int64_t begin = timeline_begin();
    *old = perform(w, c);
    stats_count(STAT_WORD_OPS, 1);
    timeline_end(TIMELINE_WORD, begin, w.page, -1, 0);
    if (copies_over())
        copies_trim(); /* CP4 */
    thread_leave(t);
    return 0;
}

int hlrc_fetch_op(void *word, const void *value, void *old, hlrc_type type, hlrc_op op)
{
    call_check("hlrc_fetch_op");
    bool plain = op == HLRC_REPLACE || op == HLRC_NO_OP;
    if (!combine_knows(type, plain ? HLRC_SUM : op))
        return -EINVAL;
    struct change c = { .type = type, .op = op };
    if (op != HLRC_NO_OP)
        c.value = bytes_at(value, combine_bytes(type));
    uint64_t was = 0;
    int rc = operate(word, &c, &was);
    if (rc == 0 && old)
        memcpy(old, &was, combine_bytes(type));
    return rc;
}

int hlrc_compare_swap(void *word, void *expected, const void *desired, hlrc_type type)
{
    call_check("hlrc_compare_swap");
    if (!combine_knows(type, HLRC_SUM))
        return -EINVAL;
    size_t bytes = combine_bytes(type);
    struct change c = { .type = type,
                        .op = HLRC_REPLACE,
                        .compares = true,
                        .value = bytes_at(desired, bytes),
                        .expected = bytes_at(expected, bytes) };
    uint64_t was = 0;
    int rc = operate(word, &c, &was);
    if (rc)
        return rc;
    if (was != c.expected)
        memcpy(expected, &was, bytes);
    return was == c.expected;
}
