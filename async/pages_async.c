/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pages_async.c - ASYNC, the base protocol: requests that the handler of a remote node serves
 * (Noronha and Panda, section 4.1; Rangarajan and Iftode, "Software Distributed Shared Memory over
 * Virtual Interface Architecture").
 *
 * A faulting node sends its request to the home, or to the default home if it does not know the
 * home. The default home appoints the first requester as home, or forwards the request. The home's
 * handler writes the page from its own copy into the requester's window, and after it a control
 * word, which the requester polls. A prefetch, and a query for a page's home, appoint no home.
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   [pages-async.first-request] (7) Pages of the default home are EXCLUSIVE (unshared) there until
 *       the first foreign request: written without a fault. The handler removes that access, then
 *       tests whether the page still has its initial contents. If not, the default home becomes the
 *       home. If so, the requester's copy has them too and is complete, and the requester becomes
 *       the home. A page that hlrc_touch opens for stores gets a home first, the default one if it
 *       has none, so no request removes that access.
 *   - (7) The directory, home words at the default home, changes from 0 once, under the directory's
 *     lock. Other nodes never read it, but send queries. A node that gets a forwarded request is
 *     the home, whether it knows or not. Its copy was never fetched, so it has the initial contents
 *     and the diffs applied to it.
 *   [pages-async.parked] (4) A request that needs versions which have not been applied stays parked
 *       in its slot until they are. The handler continues. Versions are read before the page.
 *
 *   - The answer to a request is one aligned word, written after the page [fabric.write-order]. It
 *     has the request's wait_seq (`ticket`), which differs from that of the token's last request,
 *     the outcome, and the home. The copy has at least the versions that the request named; other
 *     versions are not reported.
 *
 *   requester            default home                     home
 *      | PAGE ----------->  appoint --- word: you ------->  (requester)
 *      | PAGE ----------->  forward ----------------------> versions ok? page, then word
 *      | polls the word                                     no: parked until a diff is applied
 */
#include <stdatomic.h>
#include <string.h>

#include "base/diag.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/default_home.h"
#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/space.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

/* guards the home words at this node, the default home (rule 7) */
static spin_lock_word directory_lock;

/* Requests that wait for a diff, by node and token; guarded by the progress lock. */
static uint32_t parked[NODES_MAX * 256];
static uint32_t parked_count;

/* The word of an answer: ticket << 32 | outcome << 16 | home + 1. */
enum pages_async_outcome { COPIED, APPOINTED, REFUSED };
#define ANSWER(ticket, outcome, home) \
    ((uint64_t)(ticket) << 32 | (uint64_t)(outcome) << 16 | (uint64_t)((home) + 1))
#define ANSWER_TICKET(word)  ((uint32_t)((word) >> 32))
#define ANSWER_OUTCOME(word) ((enum pages_async_outcome)((word) >> 16 & 0xffff))
#define ANSWER_HOME(word)    ((int)((word)&0xffff) - 1)

static struct fabric_op pages_out; /* writes of pages from here; no thread waits for them */

static size_t pages_async_answer_at(uint32_t token)
{
    return engine.at.answers + (size_t)token * 8;
}

static _Atomic uint64_t *pages_async_answer_here(uint32_t token)
{
    return engine_control_at(pages_async_answer_at(token));
}

static enum protocol_access pages_async_initial(uint32_t page)
{
    return default_home_of(page) == engine.node ? ACCESS_WRITE : ACCESS_NONE;
}

static uint64_t *pages_async_directory(uint32_t page)
{
    return engine_control_at(engine_home_at(page));
}

/* Written here without a fault. A touched page was read, or has a home [races.tracked]. */
static bool pages_async_touched(uint32_t page)
{
    return !first_write_races_checked() && space_touched(page);
}

/* ---- the requesting side ---- */

static int pages_async_asked_of(const struct protocol_fetch *f)
{
    return f->home >= 0 ? f->home : default_home_of(f->page);
}

static void pages_async_fetch_start(struct protocol_fetch *f, bool prefetch)
{
    /* the home writes there */
    fabric_window_prepare(engine.fabric, f->window, f->offset, PAGE_SIZE);
    struct request *req = msg_compose(f->token, REQUEST_PAGE, f->page);
    PROBE(home_asking);
    req->flags = prefetch;
    req->arg[0] = (uint64_t)f->window << 56 | f->offset;
    f->ticket = ANSWER_TICKET(atomic_load(pages_async_answer_here(f->token))) + 1;
    req->arg[1] = f->ticket;
    memset(req->vec, 0, (size_t)engine.nodes * sizeof req->vec[0]);
    for (uint32_t i = 0; i < f->needs; i++)
        req->vec[protocol_version_writer(f->needed[i])] = protocol_version_interval(f->needed[i]);
    memcpy(f->versions, req->vec, (size_t)engine.nodes * sizeof req->vec[0]);
    msg_send(req, pages_async_asked_of(f), true, true);
}

static bool pages_async_answered(void *arg)
{
    const struct protocol_fetch *f = arg;
    /* orders the word before the reads of the page */
    return ANSWER_TICKET(atomic_load_explicit(pages_async_answer_here(f->token),
                                              memory_order_acquire)) == f->ticket;
}

static bool pages_async_fetch_ready(struct protocol_fetch *f)
{
    return pages_async_answered(f);
}

static bool pages_async_fetch_finish(struct protocol_fetch *f, bool prefetch)
{
    (void)prefetch;
    progress_wait((struct waits_wait){ WAITS_PAGE, f->page, pages_async_asked_of(f) },
                  pages_async_answered, f, WAIT_STATE);
    uint64_t word = atomic_load(pages_async_answer_here(f->token));
    bool got = ANSWER_OUTCOME(word) != REFUSED;
    if (got)
        f->home = ANSWER_HOME(word);
    if (f->home != engine.node)
        PROBE(fetch_round_trip);
    f->assigned = ANSWER_OUTCOME(word) == APPOINTED;
    return got;
}

static int pages_async_ask(enum request_type type, uint32_t page, int node, uint32_t token)
{
    struct request *req = msg_compose(token, type, page);
    req->arg[0] = (uint64_t)node;
    msg_send(req, default_home_of(page), false, true);
    return (int)msg_wait(token)->arg - 1;
}

static int pages_async_home(uint32_t page, uint32_t token)
{
    return pages_async_ask(REQUEST_HOME, page, 0, token);
}

static int pages_async_place(uint32_t page, int node, uint32_t token)
{
    return pages_async_ask(REQUEST_PLACE, page, node, token);
}

/* ---- the serving side ---- */

/* The home of a page in this node's directory. If no node has touched the page, `candidate` (>= 0)
 * is appointed [pages-async.first-request]. */
static int pages_async_directory_lookup(uint32_t page, int candidate, bool *appointed)
{
    spin_lock(&directory_lock);
    *appointed = false;
    int home = (int)*pages_async_directory(page) - 1;
    if (home < 0) {
        bool exclusive = page_demote(page);
        bool touched = exclusive && pages_async_touched(page);
        home = touched ? engine.node : candidate;
        if (home >= 0) {
            *pages_async_directory(page) = (uint64_t)home + 1;
            PROBE(home_appointed);
            page_set_home(page, home);
            *appointed = !touched;
            if (touched)
                PROBE(home_assigned);
        } else {
            page_restore_exclusive(page);
        }
    }
    spin_unlock(&directory_lock);
    return home;
}

/* Only a default home holds a complete page without knowing its home: an EXCLUSIVE page, or one
 * that the handler works on. It becomes the home if no other node is
 * [pages-async.first-request]. */
static int pages_async_claim(uint32_t page, bool *assigned)
{
    return pages_async_directory_lookup(page, engine.node, assigned);
}

/* Query without a change: the home, or this node if it has written the page. */
static int pages_async_directory_peek(uint32_t page)
{
    spin_lock(&directory_lock);
    int home = (int)*pages_async_directory(page) - 1;
    if (home < 0 && pages_async_touched(page))
        home = engine.node;
    spin_unlock(&directory_lock);
    return home;
}

/* [pages-async.parked]. The versions of a page's writers are contiguous. */
static bool pages_async_versions_here(const struct request *req)
{
    const _Atomic uint64_t *applied = engine_applied_here(req->object, 0);
    for (int w = 0, nodes = engine.nodes; w < nodes; w++)
        if (atomic_load_explicit(&applied[w], memory_order_acquire) < req->vec[w])
            return false;
    return true;
}

/* The requester polls. A wake is added if it costs nothing unless a thread sleeps. Otherwise it
 * would disturb the handler of a node that has its answer already; sleeping requesters sleep for
 * bounded times [progress.sleep-test]. */
static void pages_async_send_word(int to, size_t at, const uint64_t *word)
{
    if (engine.fabric->caps & FABRIC_SEES_SLEEPERS)
        fabric_write_wake(engine.fabric, to, engine.control.id, at, word, sizeof *word, NULL);
    else
        fabric_write(engine.fabric, to, engine.control.id, at, word, sizeof *word, NULL);
}

static void pages_async_wake(uint32_t token)
{
    struct thread *t = thread_of_token(token);
    if (t)
        thread_wake(t);
}

static void pages_async_answer(const struct request *req, enum pages_async_outcome outcome,
                               int home)
{
    uint64_t word = ANSWER(req->arg[1], outcome, home);
    if (req->from != engine.node) {
        pages_async_send_word(req->from, pages_async_answer_at(req->token), &word);
        return;
    }
    atomic_store_explicit(pages_async_answer_here(req->token), word, memory_order_release);
    pages_async_wake(req->token);
}

/* Sends page and answer if all versions are here; else returns false [pages-async.parked]. */
static bool pages_async_try_answer(struct request *req)
{
    if (!pages_async_versions_here(req))
        return false;
    exclusive_reader(req->object); /* [unshared.reader-mark] */
    /* from the page itself: diffs applied before it is read are included */
    fabric_write(engine.fabric, req->from, (int)(req->arg[0] >> 56),
                 req->arg[0] & ((1ull << 56) - 1), engine_page_mem(req->object), PAGE_SIZE,
                 &pages_out);
    pages_async_answer(req, COPIED, engine.node); /* after the page: [fabric.write-order] */
    return true;
}

static void pages_async_park(const struct request *req)
{
    if (parked_count == sizeof parked / sizeof parked[0])
        diag_fatal(1, "more than %u page requests wait at this node; lower --threads",
                   parked_count);
    parked[parked_count++] = (uint32_t)req->from * engine.tokens + req->token;
}

static void pages_async_serve_at_home(struct request *req)
{
    /* rule 7: a forwarded request is how a placed home learns of it */
    page_set_home(req->object, engine.node);
    if (pages_async_try_answer(req))
        return;
    if (req->flags)
        pages_async_answer(req, REFUSED, engine.node); /* a prefetch does not wait */
    else {
        PROBE(fetch_retried);
        pages_async_park(req);
    }
}

static void pages_async_serve_page(struct request *req)
{
    uint32_t page = req->object;
    if (default_home_of(page) != engine.node) {
        pages_async_serve_at_home(req);
        return;
    }
    bool appointed;
    int home = pages_async_directory_lookup(page, req->flags ? -1 : req->from, &appointed);
    if (home == engine.node)
        pages_async_serve_at_home(req);
    else if (home < 0)
        pages_async_answer(req, REFUSED, home); /* a prefetch of a page that no node has touched */
    else if (home == req->from) /* its copy lacks only diffs that it waits for itself */
        pages_async_answer(req, appointed ? APPOINTED : COPIED, home);
    else
        msg_forward(req, REQUEST_PAGE, home, NULL);
}

static void pages_async_serve(struct request *req)
{
    bool appointed;
    if (req->object >= engine.pages)
        diag_fatal(1, "node %d requested page %u of %u; do all nodes run the same version?",
                   (int)req->from, req->object, engine.pages);
    if (req->type == REQUEST_PAGE)
        pages_async_serve_page(req);
    else if (req->type == REQUEST_PLACE)
        msg_reply(req, 0,
                  (uint64_t)pages_async_directory_lookup(req->object, (int)req->arg[0],
                                                         &appointed) +
                      1,
                  NULL);
    else
        msg_reply(req, 0, (uint64_t)pages_async_directory_peek(req->object) + 1, NULL);
}

/* Called after a diff was applied to the page: answers its parked requests that have all versions
 * now. */
static void pages_async_applied(uint32_t page)
{
    for (uint32_t i = 0; i < parked_count;) {
        struct request *req = msg_slot((int)(parked[i] / engine.tokens), parked[i] % engine.tokens);
        if (req->object == page && pages_async_try_answer(req))
            parked[i] = parked[--parked_count];
        else
            i++;
    }
}

static void pages_async_move(uint32_t page, int home)
{
    if (default_home_of(page) != engine.node)
        return;
    spin_lock(&directory_lock);
    *pages_async_directory(page) = (uint64_t)home + 1;
    spin_unlock(&directory_lock);
}

static void pages_async_reset(uint32_t first, uint32_t count)
{
    for (uint32_t page = first; page < first + count; page++)
        *pages_async_directory(page) = 0;
}

const struct protocol_pages protocol_async = {
    .caps = FABRIC_WRITE_IMM,
    .initial = pages_async_initial,
    .claim = pages_async_claim,
    .fetch_start = pages_async_fetch_start,
    .fetch_ready = pages_async_fetch_ready,
    .fetch_finish = pages_async_fetch_finish,
    .home = pages_async_home,
    .place = pages_async_place,
    .serve = pages_async_serve,
    .applied = pages_async_applied,
    .move = pages_async_move,
    .reset = pages_async_reset,
};
