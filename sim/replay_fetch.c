/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_fetch.c - fetches of pages: async/pages_async.c, [pages-async.first-request], rule 7,
 * [pages-async.parked] and ardmar/pages_ardmar.c, rule 7, [pages-ardmar.versions-first], rule 8. */
#include <stdlib.h>

#include "sim/fail.h"
#include "sim/replay.h"

#define PAGE_BYTES 4096

static struct replay_node *replay_fetch_home_node(const struct replay_fetch *f)
{
    return &f->node->r->node[f->home];
}

static void replay_fetch_finish(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    f->done = true;
    replay_wake(f->node);
}

/* ---- at the home ---- */

static bool replay_fetch_covered(const struct replay_fetch *f)
{
    return versions_cover(&f->copy->shared->applied, &f->needed);
}

/* The versions that the copy is known to have: those named by the request, or those read by
 * pages_ardmar.c read_versions. */
static void replay_fetch_note_versions(struct replay_fetch *f)
{
    const struct versions *needed = &f->needed, *applied = &f->copy->shared->applied;
    /* page_fetch.c home_current, or fetched with the notices */
    bool own = f->home == (int)f->node->id || f->early;
    uint32_t first = own ? 0 : UINT32_MAX, last = own ? UINT32_MAX : 0;

    f->had.count = 0;
    for (uint32_t i = 0; i < needed->count; i++) {
        first = needed->at[i].writer < first ? needed->at[i].writer : first;
        last = needed->at[i].writer > last ? needed->at[i].writer : last;
    }
    if (f->node->r->protocol == REPLAY_ASYNC && !own) {
        for (uint32_t i = 0; i < needed->count; i++)
            versions_raise(&f->had, needed->at[i].writer, needed->at[i].interval);
        return;
    }
    for (uint32_t i = 0; i < applied->count; i++)
        if (applied->at[i].writer >= first && applied->at[i].writer <= last)
            versions_raise(&f->had, applied->at[i].writer, applied->at[i].interval);
}

static void replay_fetch_read_page(struct replay_fetch *f);

/* [pages-async.parked], or a read repeated until the versions suffice. */
static void replay_fetch_park(struct replay_fetch *f)
{
    f->copy->shared->parked = FAIL_NEW(struct replay_parked, f->copy->shared->parked, f);
}

void replay_note_reader(struct replay_node *home, struct replay_shared *s)
{
    if (!s->readers)
        home->arrivals++;
    s->readers = true;
}

static void replay_fetch_note_reader(struct replay_fetch *f)
{
    if (f->node->r->set[RECORD_SET_exclusive] == 0 && !f->copy->introduced)
        replay_note_reader(replay_fetch_home_node(f), f->copy->shared);
}

static void replay_fetch_send_page(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    replay_write_wake(replay_fetch_home_node(f), f->node, PAGE_BYTES, replay_fetch_finish, f, 0);
}

static void replay_fetch_answer_page(struct replay_fetch *f)
{
    struct replay_node *home = replay_fetch_home_node(f);

    replay_fetch_note_reader(f);
    if (!f->copy->in_memory)
        replay_serve_on(home, home->r->m.clear_page_ns * SIM_NS, replay_fetch_send_page, f, 0);
    else
        replay_fetch_send_page(f, 0);
}

static void replay_fetch_page_there(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    replay_fetch_note_reader(f);
}

static void replay_fetch_read_page(struct replay_fetch *f)
{
    replay_read(f->node, replay_fetch_home_node(f), PAGE_BYTES, false, replay_fetch_page_there,
                replay_fetch_finish, f, 0);
}

void replay_applied(struct replay *r, struct replay_shared *s, uint32_t writer, uint32_t interval)
{
    versions_raise(&s->applied, writer, interval);
    for (struct replay_parked **at = &s->parked; *at != NULL;) {
        struct replay_parked *p = *at;
        struct replay_fetch *f = p->fetch;
        if (!replay_fetch_covered(f)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free(p);
        replay_fetch_note_versions(f);
        if (f->home == (int)f->node->id)
            replay_fetch_finish(f, 0);
        else if (r->protocol == REPLAY_ASYNC)
            replay_fetch_answer_page(f);
        else
            replay_fetch_read_page(f);
    }
}

/* ---- async ---- */

static void replay_fetch_serve_at_home(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    if (replay_fetch_covered(f)) {
        replay_fetch_note_versions(f);
        replay_fetch_answer_page(f);
    } else if (f->hint) {
        f->refused = true;
        replay_write_wake(replay_fetch_home_node(f), f->node, 8, replay_fetch_finish, f, 0);
    } else {
        COUNT(replay_fetch_home_node(f), fetch_retries, 1);
        replay_fetch_park(f);
    }
}

/* Whether a default home write-protects the page to determine its home. */
static bool replay_fetch_closes_first(const struct replay_copy *c)
{
    return c->shared->home == 0 && c->flags & COPY_EXCLUSIVE && c->access == OPEN_STORES;
}

/* [pages-async.first-request]: if the default home has written the page without a fault, it becomes
 * the home. `candidate` -1: query only. */
static int replay_fetch_directory_lookup(struct replay_node *at, struct replay_copy *c,
                                         int candidate, bool *appointed)
{
    struct replay_shared *s = c->shared;
    int home = (int)s->home - 1;

    *appointed = false;
    if (home >= 0)
        return home;
    bool exclusive = c->flags & COPY_EXCLUSIVE, touched = exclusive && c->touched;
    home = touched ? (int)at->id : candidate;
    if (exclusive && c->access == OPEN_STORES)
        c->access = OPEN_LOADS; /* page_demote; page_restore does not reopen it */
    if (home < 0)
        return home;
    c->flags &= (uint8_t)~COPY_EXCLUSIVE;
    s->home = c->home = (uint16_t)(home + 1);
    *appointed = !touched;
    COUNT(at, homes_assigned, touched);
    return home;
}

static void replay_fetch_find_home(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;
    struct replay_node *at = &f->node->r->node[arg];
    bool appointed;
    int home = replay_fetch_directory_lookup(at, replay_copy_of(at, f->copy->page),
                                             f->hint ? -1 : (int)f->node->id, &appointed);

    if (home == (int)at->id) {
        f->home = home;
        replay_fetch_serve_at_home(f, 0);
    } else if (home < 0 || home == (int)f->node->id) {
        f->refused = home < 0;
        f->assigned = appointed;
        f->home = home;
        replay_write_wake(at, f->node, 8, replay_fetch_finish, f, 0);
    } else {
        f->home = home;
        COUNT(at, messages, 1);
        replay_message_page(at, replay_fetch_home_node(f), 64, f->copy->shared,
                            replay_fetch_serve_at_home, f, 0);
    }
}

static void replay_fetch_serve_page(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;
    struct replay *r = f->node->r;
    struct replay_node *at = &r->node[arg];

    if (replay_default_home(r, f->copy->page) != at->id) {
        f->home = (int)at->id;
        replay_fetch_serve_at_home(f, 0);
    } else if (replay_fetch_closes_first(replay_copy_of(at, f->copy->page))) {
        replay_serve_on(at, r->m.split_ns * SIM_NS, replay_fetch_find_home, f, arg);
    } else {
        replay_fetch_find_home(f, arg);
    }
}

static void replay_fetch_start_async(struct replay_fetch *f)
{
    struct replay *r = f->node->r;
    unsigned to = f->home >= 0 ? (unsigned)f->home : replay_default_home(r, f->copy->page);

    replay_post(f->node, 1);
    COUNT(f->node, messages, to != f->node->id);
    replay_message_page(f->node, &r->node[to], 64 + 8 * (uint64_t)r->nodes, f->copy->shared,
                        replay_fetch_serve_page, f, to);
}

/* ---- ardmar ---- */

struct replay_fetch_claim {
    struct replay_node *node;
    struct replay_shared *shared;
    unsigned home;
    bool assigned;
};

/* rule 7 */
static void replay_fetch_compare_and_swap(void *self, uint64_t arg)
{
    struct replay_fetch_claim *c = self;
    uint16_t traced = c->shared->traced > 0 ? c->shared->traced : c->shared->tried;

    (void)arg;
    if (c->shared->home == 0)
        c->shared->home = traced > 0 ? traced : (uint16_t)(c->node->id + 1);
    c->home = c->shared->home - 1u;
    c->assigned = c->home == c->node->id && !c->shared->claimed;
    c->shared->claimed = c->shared->claimed || c->assigned;
}

unsigned replay_claim(struct replay_node *n, struct replay_copy *c, bool *assigned)
{
    struct replay *r = n->r;
    unsigned at = replay_default_home(r, c->page);
    struct replay_fetch_claim claim = { .node = n, .shared = c->shared };

    if (r->protocol == REPLAY_ASYNC) { /* only a default home holds a page without a home */
        n->debt += replay_fetch_closes_first(c) ? r->m.split_ns * SIM_NS : 0;
        return (unsigned)replay_fetch_directory_lookup(n, c, (int)n->id, assigned);
    }
    COUNT(n, rdma_reads, 1);
    replay_atomic(n, &r->node[at], replay_fetch_compare_and_swap, &claim);
    *assigned = claim.assigned;
    return claim.home;
}

static void replay_fetch_versions_there(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    f->refused = !replay_fetch_covered(f);
    replay_fetch_note_versions(f);
}

static void replay_fetch_versions_back(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    if (!f->refused) {
        replay_fetch_read_page(f);
    } else if (f->hint) {
        replay_fetch_finish(f, 0);
    } else {
        COUNT(f->node, fetch_retries, 1);
        f->refused = false;
        if (replay_fetch_covered(f)) {
            replay_fetch_note_versions(f);
            replay_fetch_read_page(f);
        } else {
            replay_fetch_park(f);
        }
    }
}

/* Both reads have completed: [pages-ardmar.versions-first]. */
static void replay_fetch_both_back(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    if (f->refused)
        replay_fetch_versions_back(f, arg);
    else
        replay_fetch_finish(f, 0);
}

static void replay_fetch_start_ardmar(struct replay_fetch *f)
{
    struct replay_node *n = f->node;
    const struct machine *m = &n->r->m;
    bool assigned;

    replay_post(n, f->needed.count > 0 ? 2 : 1);
    if (f->home < 0)
        f->home = (int)replay_claim(n, f->copy, &assigned);
    if (f->home == (int)n->id) {
        f->done = true;
        return;
    }
    if (!f->copy->introduced && n->r->set[RECORD_SET_exclusive] == 0) {
        COUNT(n, rdma_writes, 1);
        COUNT(n, atomics, 1);
    }
    if (f->needed.count == 0 && f->copy->introduced && !f->early) {
        replay_fetch_read_page(f);
    } else if (m->reads_ordered) {
        COUNT(n, rdma_reads, f->needed.count > 0 || f->early);
        replay_read(n, replay_fetch_home_node(f), PAGE_BYTES, false, replay_fetch_versions_there,
                    replay_fetch_both_back, f, 0);
        replay_fetch_note_reader(f);
    } else {
        replay_fetch_note_reader(f);
        replay_read(n, replay_fetch_home_node(f), 8 * f->needed.count, false,
                    replay_fetch_versions_there, replay_fetch_versions_back, f, 0);
    }
}

/* ---- both ---- */

static struct replay_fetch *replay_fetch_new(struct replay_node *n, struct replay_copy *c,
                                             bool hint)
{
    struct replay_fetch *f =
        FAIL_NEW(struct replay_fetch, .node = n, .copy = c, .home = (int)c->home - 1, .hint = hint);

    for (uint32_t i = 0; i < c->need.count; i++)
        versions_raise(&f->needed, c->need.at[i].writer, c->need.at[i].interval);
    return f;
}

static void replay_fetch_free(struct replay_fetch *f)
{
    free(f->needed.at);
    free(f->had.at);
    free(f);
}

static void replay_fetch_start(struct replay_fetch *f)
{
    if (f->node->r->protocol == REPLAY_ASYNC)
        replay_fetch_start_async(f);
    else
        replay_fetch_start_ardmar(f);
}

/* page_fetch.c install: false if another version became needed during the fetch. */
static bool replay_fetch_install(struct replay_fetch *f)
{
    struct replay_copy *c = f->copy;

    if (f->home >= 0)
        c->home = (uint16_t)(f->home + 1);
    if (!versions_cover(&f->had, &c->need)) /* [page.needed-versions] */
        return false;
    c->need.count = 0;
    if (f->home != (int)f->node->id) {
        c->introduced = true;
        if (f->node->r->protocol != REPLAY_ASYNC && !c->in_memory)
            f->node->debt += f->node->r->m.clear_page_ns * SIM_NS;
        c->in_memory = true;
        f->node->debt += (c->flags & COPY_DIRTY ? 2 : 0) * f->node->r->m.copy_page_ns * SIM_NS;
    }
    c->flags &= (uint8_t) ~(COPY_STALE | COPY_BUSY);
    COUNT(f->node, renewed_pages, c->renewal.pending);
    c->renewal.pending = false;
    return true;
}

static void replay_fetch_count_outcome(const struct replay_fetch *f)
{
    if (f->home != (int)f->node->id)
        COUNT(f->node, page_fetches, 1);
    else if (f->assigned)
        COUNT(f->node, homes_assigned, 1);
}

static void replay_fetch_await_own(struct replay_fetch *f)
{
    f->done = replay_fetch_covered(f);
    if (f->done)
        replay_fetch_note_versions(f);
    else
        replay_fetch_park(f);
    replay_await(f->node, &f->done);
}

static void replay_fetch_diff_back(void *self, uint64_t arg)
{
    struct replay_fetch *f = self;

    (void)arg;
    f->diffs_back = --f->diffs == 0;
    if (f->diffs_back)
        replay_wake(f->node);
}

/* [replay-system.reads] */
static void replay_fetch_read_diffs(struct replay_fetch *f)
{
    struct replay_node *n = f->node;

    for (uint32_t i = 0; n->r->system.reads && i < f->needed.count; i++) {
        uint32_t writer = f->needed.at[i].writer;
        if (writer == n->id || (int)writer == f->home)
            continue;
        f->diffs++;
        replay_post(n, 1);
        replay_read(n, &n->r->node[writer], f->copy->shared->diff_bytes, false, NULL,
                    replay_fetch_diff_back, f, 0);
        n->debt += n->r->m.apply_ns * SIM_NS;
    }
    f->diffs_back = f->diffs == 0;
    if (!f->diffs_back)
        replay_await(n, &f->diffs_back);
}

bool replay_fetch(struct replay_node *n, struct replay_copy *c)
{
    sim_time begun = replay_settle(n);
    bool assigned = false, done = false;

    c->flags |= COPY_BUSY;
    while (!done) {
        struct replay_fetch *f = replay_fetch_new(n, c, false);
        if (f->home != (int)n->id) {
            replay_fetch_start(f);
            replay_await(n, &f->done);
            replay_fetch_count_outcome(f);
        }
        assigned = assigned || f->assigned;
        if (f->home == (int)n->id)
            replay_fetch_await_own(f);
        replay_fetch_read_diffs(f);
        done = replay_fetch_install(f);
        replay_fetch_free(f);
    }
    n->debt += n->r->m.complete_ns * SIM_NS;
    n->spent[SPENT_PAGES] += n->r->loop.now - begun;
    return assigned;
}

bool replay_fetch_ahead(struct replay_node *n, struct replay_copy *c, bool early)
{
    uint8_t out = c->renewal.pending ? COPY_BUSY : COPY_BUSY | COPY_DIRTY;

    if ((c->flags & (COPY_STALE | out)) != COPY_STALE || replay_copy_is_home(c, n))
        return false;
    c->flags |= COPY_BUSY;
    c->fetch = replay_fetch_new(n, c, true);
    c->fetch->early = early;
    replay_fetch_start(c->fetch);
    return true;
}

bool replay_arrived(const struct replay_copy *c)
{
    return c->fetch != NULL && c->fetch->done;
}

void replay_finish(struct replay_node *n, struct replay_copy *c)
{
    struct replay_fetch *f = c->fetch;

    if (f == NULL)
        return;
    replay_await(n, &f->done);
    c->fetch = NULL;
    if (!f->refused)
        replay_fetch_count_outcome(f);
    if (f->home == (int)n->id)
        replay_fetch_note_versions(f);
    if (f->refused || (f->home == (int)n->id && !replay_fetch_covered(f)) ||
        !replay_fetch_install(f))
        c->flags &= (uint8_t)~COPY_BUSY;
    replay_fetch_free(f);
}
