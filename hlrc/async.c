/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * async.c - ASYNC, the base protocol: requests that the handler of a remote node serves (Noronha and Panda, section
 * 4.1; Rangarajan and Iftode, "Software Distributed Shared Memory over Virtual Interface Architecture").
 *
 * A node that faults asks the home, or the default home while it does not know the home; that one appoints the first
 * who asks, or forwards. The home's handler writes the page into the requester's window and then the answer, a
 * control word with the versions, which completes the requester's token.
 *
 * Invariants (DESIGN, section 6)
 *   H1  (7) pages of the default home are EXCLUSIVE there until the first foreign request: written without a fault. The
 *       handler takes that access away before it looks whether the page holds anything. It does: the default home is
 *       home. It does not: its copy is zero, so the requester's own zero copy is complete, and the requester becomes
 *       home.
 *   H2  (7) the directory, home words at the default home, changes from 0 once, under the directory's lock, and is
 *       never read by other nodes: they ask. A node to which a request was forwarded is the home, whether it knows
 *       or not; its copy was never fetched, hence holds zero and the diffs applied to it.
 *   H3  (4) a request that needs versions which have not been applied stays parked in its slot until they are; the
 *       handler goes on. Versions are read before the page is.
 *
 *   requester                 default home                          home
 *      | PAGE ---------------->  appoint ---- answer: you --------->  (requester)
 *      | PAGE ---------------->  forward ----------------------------> versions ok? page, then answer
 *      |                                                               no: parked until a diff is applied
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "base/perturb.h"
#include "hlrc/diag.h"
#include "hlrc/engine.h"
#include "hlrc/msg.h"
#include "hlrc/page.h"
#include "hlrc/serve.h"
#include "hlrc/space.h"
#include "hlrc/stats.h"
#include "hlrc/thread.h"

static spin_lock_word directory_lock; /* guards the home words of which this node is the default home (H2) */

/* Requests that wait for a diff, as references; written by the serving role alone. */
static uint32_t parked[ENGINE_NODES * 256];
static uint32_t parked_count;

static enum page_access_right async_initial(uint32_t page)
{
    return default_home(page) == engine.node ? ACCESS_WRITE : ACCESS_NONE;
}

static uint64_t *directory(uint32_t page)
{
    return control_at(home_at(page));
}

/* Only a default home holds a complete page without knowing its home: the handler is at this page just now, and
 * knows the home once it has left the directory; or has restored exclusive access, and there is none (-1). */
static int async_claim(uint32_t page, bool *assigned)
{
    (void)assigned;
    spin_take(&directory_lock);
    int home = (int)*directory(page) - 1;
    spin_drop(&directory_lock);
    return home;
}

/* ---- the requesting side ---- */

static void async_fetch_start(struct page_fetch *f, bool prefetch)
{
    fabric_window_prepare(engine.fabric, f->window, f->offset, PAGE_SIZE); /* the home writes there */
    struct request *req = msg_compose(f->token, REQUEST_PAGE, f->page);
    perturb(home_asking);
    req->flags = prefetch;
    req->arg[0] = (uint64_t)f->window << 56 | f->offset;
    for (int w = 0; w < engine.nodes; w++)
        req->vec[w] = atomic_load_explicit(&f->needed[w], memory_order_relaxed);
    msg_send(req, f->home >= 0 ? f->home : default_home(f->page), true, true);
}

static bool async_fetch_ready(struct page_fetch *f)
{
    return msg_done(f->token);
}

static bool async_fetch_finish(struct page_fetch *f, bool prefetch)
{
    (void)prefetch;
    const struct reply *rep = msg_wait(f->token);
    if (rep->status == 0)
        f->home = (int)rep->arg - 1;
    if (f->home != engine.node)
        protocol_count_round_trip();
    if (rep->status != 0)
        return false;
    if (f->home != engine.node)
        memcpy(f->versions, rep->vec, VT_BYTES(engine.nodes));
    else
        f->assigned = rep->vec[0];
    return true;
}

static int ask(enum request_type type, uint32_t page, int node, uint32_t token)
{
    struct request *req = msg_compose(token, type, page);
    req->arg[0] = (uint64_t)node;
    msg_send(req, default_home(page), false, true);
    return (int)msg_wait(token)->arg - 1;
}

static int async_home(uint32_t page, uint32_t token)
{
    return ask(REQUEST_HOME, page, 0, token);
}

static int async_place(uint32_t page, int node, uint32_t token)
{
    return ask(REQUEST_PLACE, page, node, token);
}

/* ---- the serving side ---- */

/* Memory that a fabric has registered is there without having been touched; then only its contents tell, and a copy
 * that is zero serves as well as none. */
static bool registered(void)
{
    return engine.fabric->ops.window_prepare != NULL;
}

static bool is_zero(const char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE_SIZE - 1) == 0;
}

/* The home of a page in this node's directory; `candidate` (>= 0) is appointed if nobody has touched it (H1). */
static int directory_lookup(uint32_t page, int candidate, bool *appointed)
{
    spin_take(&directory_lock);
    *appointed = false;
    int home = (int)*directory(page) - 1;
    if (home < 0) {
        bool exclusive = page_demote(page);
        bool touched = exclusive && space_touched(page) && !(registered() && is_zero(page_mem(page)));
        home = touched ? engine.node : candidate;
        if (home >= 0) {
            *directory(page) = (uint64_t)home + 1;
            perturb(home_appointed);
            page_set_home(page, home);
            *appointed = !touched;
            if (touched)
                stats_count(STAT_HOMES_ASSIGNED, 1);
        } else {
            page_restore_exclusive(page);
        }
    }
    spin_drop(&directory_lock);
    return home;
}

static bool versions_here(const struct request *req, uint64_t *versions)
{
    for (int w = 0; w < engine.nodes; w++) {
        versions[w] = atomic_load_explicit(applied_here(req->object, w), memory_order_acquire);
        if (versions[w] < req->vec[w])
            return false;
    }
    return true;
}

/* Sends page and answer, if all versions are here; else false (H3). */
static bool try_answer(struct request *req)
{
    uint64_t versions[ENGINE_NODES];
    if (!versions_here(req, versions))
        return false;
    /* without an operation: a handler need not wait until the page is there */
    fabric_write(engine.fabric, req->from, (int)(req->arg[0] >> 56), req->arg[0] & ((1ull << 56) - 1),
                 page_mem(req->object), PAGE_SIZE, NULL);
    msg_reply(req, 0, (uint64_t)engine.node + 1, versions); /* behind the page: fabric.h F1 */
    return true;
}

static void park(const struct request *req)
{
    if (parked_count == sizeof parked / sizeof parked[0])
        diag_fatal(1, "more than %u page requests wait at this node; lower --threads", parked_count);
    parked[parked_count++] = (uint32_t)req->from * engine.tokens + req->token;
}

static void serve_at_home(struct request *req)
{
    page_set_home(req->object, engine.node); /* H2: a forwarded request is how a placed home learns of it */
    if (try_answer(req))
        return;
    if (req->flags)
        msg_reply(req, -EAGAIN, 0, NULL); /* a prefetch does not wait */
    else {
        stats_count(STAT_FETCH_RETRIES, 1);
        park(req);
    }
}

static void serve_page(struct request *req)
{
    uint32_t page = req->object;
    if (default_home(page) != engine.node) {
        serve_at_home(req);
        return;
    }
    bool appointed;
    int home = directory_lookup(page, req->from, &appointed);
    if (home == engine.node) {
        serve_at_home(req);
    } else if (home == req->from) {
        uint64_t told[ENGINE_NODES] = { appointed };
        msg_reply(req, 0, (uint64_t)home + 1, told); /* its copy is complete but for diffs that it waits for itself */
    } else {
        msg_forward(req, REQUEST_PAGE, home, NULL);
    }
}

static void async_serve(struct request *req)
{
    bool appointed;
    int candidate = req->type == REQUEST_PLACE ? (int)req->arg[0] : -1;
    if (req->object >= engine.pages)
        diag_fatal(1, "node %d asks for page %u of %u; do all nodes run the same version?", (int)req->from, req->object,
                   engine.pages);
    if (req->type == REQUEST_PAGE)
        serve_page(req);
    else
        msg_reply(req, 0, (uint64_t)directory_lookup(req->object, candidate, &appointed) + 1, NULL);
}

/* A diff arrived: answers those parked requests for the page that it satisfies. */
static void async_applied(uint32_t page)
{
    for (uint32_t i = 0; i < parked_count;) {
        struct request *req = msg_slot((int)(parked[i] / engine.tokens), parked[i] % engine.tokens);
        if (req->object == page && try_answer(req))
            parked[i] = parked[--parked_count];
        else
            i++;
    }
}

static void async_reset(uint32_t first, uint32_t count)
{
    for (uint32_t page = first; page < first + count; page++)
        *directory(page) = 0;
}

const struct protocol protocol_async = {
    .name = "async",
    .caps = FABRIC_WRITE_IMM,
    .initial = async_initial,
    .claim = async_claim,
    .fetch_start = async_fetch_start,
    .fetch_ready = async_fetch_ready,
    .fetch_finish = async_fetch_finish,
    .home = async_home,
    .place = async_place,
    .serve = async_serve,
    .applied = async_applied,
    .reset = async_reset,
};
