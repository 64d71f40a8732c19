/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* word.c - see word.h. */
#include "hlrc/sync/word.h"

#include <errno.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/page_word.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"
#include "hlrc/sync/change.h"
#include "hlrc/sync/combine.h"

struct word {
    uint32_t page;
    size_t at, bytes; /* in the page */
};

/* Encoding in a request's `flags`. */
#define FLAGS(at, c) \
    ((uint32_t)(at) | (uint32_t)(c)->type << 12 | (uint32_t)(c)->op << 20 | (c)->compares << 28)
#define FLAGS_AT(f)       ((f)&0xfff)
#define FLAGS_TYPE(f)     ((hlrc_type)((f) >> 12 & 0xff))
#define FLAGS_OP(f)       ((hlrc_op)((f) >> 20 & 0xff))
#define FLAGS_COMPARES(f) (((f) >> 28 & 1) != 0)

int word_init(void)
{
    msg_handle(REQUEST_WORD, word_serve);
    return 0;
}

/* The copy here, as last seen, is the first guess. */
static uint64_t word_by_fabric(struct word w, int home, const struct change *c)
{
    uint64_t guess = change_bytes(engine_page_mem(w.page) + w.at / 8 * 8, 8);
    uint32_t atomics;
    return change_by_fabric(home, engine.space.id, ((size_t)w.page << PAGE_SHIFT) + w.at, c, guess,
                            &atomics);
}

/* ---- by the home's handler ---- */

/* ASSUMPTION: the page is locked, and this node is its home (rule 8). */
static uint64_t word_perform_here(struct word w, const struct page *p, const struct change *c)
{
    uint64_t old = change_bytes(engine_page_mem(w.page) + w.at, w.bytes);
    uint64_t value = change_of(c, old);
    PROBE(word_read);
    if (change_stores(c, old))
        page_word_store(w.page, p, w.at, w.bytes, &value);
    return old;
}

/* The requester announces the page. If it was placed here, this node may not know that it is the
 * home. */
void word_serve(struct request *req)
{
    struct change c = { FLAGS_TYPE(req->flags), FLAGS_OP(req->flags), FLAGS_COMPARES(req->flags),
                        req->arg[0], req->arg[1] };
    struct word w = { req->object, FLAGS_AT(req->flags), combine_bytes(c.type) };
    struct page *p = page_lock(w.page);
    /* [home-migration.held]: the page is BUSY there */
    debug_assert(p->home == 0 || page_is_home(p, engine.node));
    uint64_t old = word_perform_here(w, p, &c);
    page_unlock(p);
    msg_reply(req, 0, old, NULL);
}

static uint64_t word_by_request(struct word w, int home, const struct change *c)
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

static bool word_atomics_are_the_way(void)
{
    return (engine.protocol.pages->caps & FABRIC_ATOMICS) &&
           !first_write_races_checked(); /* rule 8 */
}

static struct page *word_begin(struct word w)
{
    struct page *p;
    while (!(p = page_word_begin(w.page, w.at, w.bytes)))
        interval_close(true); /* [word.ordered] */
    return p;
}

/* Returns what the word was. */
static uint64_t word_perform_shared(struct word w, const struct change *c)
{
    struct probe_span span = PROBE_BEGIN(word_elsewhere);
    struct page *p = word_begin(w);
    bool fabric = word_atomics_are_the_way();
    uint64_t old;
    if (!fabric && page_word_is_here(p)) {
        old = word_perform_here(w, p, c);
        if (change_stores(c, old))
            page_word_note(w.page, p);
        page_unlock(p);
        return old;
    }
    int home = (int)p->home - 1;
    page_word_leave(p);
    old = fabric ? word_by_fabric(w, home, c) : word_by_request(w, home, c);
    uint64_t value = change_of(c, old);
    PROBE(word_performed);
    page_word_end(w.page, w.at, w.bytes, &value, change_stores(c, old));
    PROBE_END(word_elsewhere, span, w.page);
    return old;
}

#define PERFORM_ALONE(T)                                                                   \
    T seen = atomic_load_explicit((_Atomic T *)word, memory_order_relaxed);                \
    while (!atomic_compare_exchange_weak((_Atomic T *)word, &seen, (T)change_of(c, seen))) \
        ;                                                                                  \
    return seen

/* In a job of one node. */
static uint64_t word_perform_alone_4(void *word, const struct change *c)
{
    PERFORM_ALONE(uint32_t);
}

static uint64_t word_perform_alone_8(void *word, const struct change *c)
{
    PERFORM_ALONE(uint64_t);
}

int word_perform(void *word, const struct change *c, uint64_t *old)
{
    size_t bytes = combine_bytes(c->type);
    if (!engine_in_space(word) || (uintptr_t)word % bytes != 0)
        return -EINVAL;
    if (engine.alone) {
        *old = bytes == 8 ? word_perform_alone_8(word, c) : word_perform_alone_4(word, c);
        return 0;
    }
    if (bytes < 8 && word_atomics_are_the_way() && !(engine.fabric->caps & FABRIC_ATOMICS_NARROW))
        return -ENOTSUP;
    struct word w = { engine_page_of(word), (uintptr_t)word % PAGE_SIZE, bytes };
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(word);
    PROBE(word_operation, w.page);
    *old = word_perform_shared(w, c);
    PROBE_END(word, span, w.page);
    if (copies_over())
        copies_trim();
    thread_leave(t);
    return 0;
}
