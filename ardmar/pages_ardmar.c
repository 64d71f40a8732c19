/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pages_ardmar.c - ARDMAR (Atomic and RDMA Read): fetches pages without any remote CPU (Noronha and
 * Panda, "Designing High Performance DSM Systems using InfiniBand", section 4.2).
 *
 * The home word of page x is at x's default home, initially unassigned. The node that writes the
 * page first performs CAS(default home, &home[x], unassigned, me). If it fails, the returned old
 * value names the home. A needed page is fetched by two RDMA Reads, of its versions and of the
 * page, repeated until the versions are recent enough.
 *
 * Invariants (in brackets the rules of doc/design.md)
 *   - (7) Until a node writes a page its home word is 0, and all copies are equal and readable. So
 *     the winner of the CAS has the page, and a loser may keep its copy and its writes.
 *   - (7) The CAS decides, not the read of the home word that is posted with it, which may be
 *     older.
 *   [pages-ardmar.versions-first] (4) Needed versions are read before the page. If the fabric keeps
 *       reads in order both are posted at once, and a fetch takes one round trip. Otherwise the
 *       page is read after the versions have arrived, which takes two. A prefetch posts what
 *       follows an answer when a thread tests whether it is ready, so that many pages' operations
 *       are under way together.
 *   - (8) Home words are changed only by fabric atomics, also at their default home, and by reset
 *     in a collective.
 *
 *                     write, or fetch: CAS + read             versions + page
 *   home unknown here ------------------------> home known <-----------------> copy
 */
#include <stddef.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/memory/default_home.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"

static uint64_t pages_ardmar_home_value(int node)
{
    return (uint64_t)node + 1;
}

static enum protocol_access pages_ardmar_initial(uint32_t page)
{
    (void)page;
    return ACCESS_READ; /* rule 7 */
}

/* CAS(0 -> node) on the home word (rule 8), with a read. Returns the resulting home. */
static int pages_ardmar_assign(uint32_t page, int node, bool *assigned)
{
    struct fabric *f = engine.fabric;
    struct fabric_op op = FABRIC_OP_INIT;
    int at = default_home_of(page), win = engine.control.id;
    uint64_t old = 0, beside = 0;
    PROBE(home_asking);
    fabric_cas(f, at, win, engine_home_at(page), 0, pages_ardmar_home_value(node), &old, &op);
    fabric_read(f, at, win, engine_home_at(page), &beside, sizeof beside, &op);
    fabric_wait(f, &op);
    *assigned = old == 0;
    return old ? (int)old - 1 : node; /* rule 7 */
}

static int pages_ardmar_claim(uint32_t page, bool *assigned)
{
    return pages_ardmar_assign(page, engine.node, assigned);
}

/* [unshared.reader-mark]. The atomic is performed after the write [fabric.atomic-order], and the
 * page is read after it: reads are ordered, or wait for the operations of this fetch
 * [pages-ardmar.versions-first]. */
static void pages_ardmar_introduce(struct protocol_fetch *f)
{
    static const uint32_t mark = 1;
    struct fabric *fabric = engine.fabric;
    int win = engine.control.id;
    fabric_write(fabric, f->home, win, engine_has_readers_at(f->page), &mark, sizeof mark, &f->op);
    fabric_fetch_add(fabric, f->home, win, engine.at.arrivals, 1, &f->arrivals, &f->op);
    f->introduce = false;
}

/* Reads the range of the needed versions; the others stay 0. For an early fetch, all. */
static void pages_ardmar_read_versions(struct protocol_fetch *f)
{
    int first = f->early ? 0 : engine.nodes, last = f->early ? engine.nodes - 1 : -1;
    for (uint32_t i = 0; i < f->needs; i++) {
        int writer = protocol_version_writer(f->needed[i]);
        first = writer < first ? writer : first;
        last = writer > last ? writer : last;
    }
    if (last >= 0)
        fabric_read(engine.fabric, f->home, engine.control.id,
                    engine_applied_at(f->page, 0) + (size_t)first * 8, f->versions + first,
                    (size_t)(last - first + 1) * 8, &f->op);
}

static void pages_ardmar_read_page(struct protocol_fetch *f)
{
    f->page_started = true;
    fabric_read(engine.fabric, f->home, engine.space.id, engine_page_at(f->page), f->dest, 4096,
                &f->op);
}

/* Of a prefetch: the answer is awaited by fetch_ready or fetch_finish, so that many pages' are
 * under way together. */
static void pages_ardmar_ask_home(struct protocol_fetch *f)
{
    f->asks_home = true;
    PROBE(home_asking);
    fabric_cas(engine.fabric, default_home_of(f->page), engine.control.id, engine_home_at(f->page),
               0, pages_ardmar_home_value(engine.node), &f->home_word, &f->op);
    PROBE(fetch_round_trip);
}

/* To the home, which is known. */
static void pages_ardmar_request_page(struct protocol_fetch *f)
{
    if (f->home == engine.node)
        return;
    bool first = f->needs == 0 && !f->introduce && !f->early; /* the page is read first */
    memset(f->versions, 0, (size_t)engine.nodes * sizeof f->versions[0]);
    if (f->introduce)
        pages_ardmar_introduce(f);
    pages_ardmar_read_versions(f);
    PROBE(fetch_round_trip);
    /* [pages-ardmar.versions-first], [unshared.reader-mark] */
    if (first || (engine.fabric->caps & FABRIC_READ_ORDERED))
        pages_ardmar_read_page(f);
}

/* A page that lacks a version was written, so it has a home: no fetch assigns one. */
static void pages_ardmar_fetch_start(struct protocol_fetch *f, bool prefetch)
{
    f->page_started = f->asks_home = false; /* a page from an earlier try is too old */
    if (f->home < 0 && prefetch) {
        pages_ardmar_ask_home(f);
        return;
    }
    if (f->home < 0) {
        bool assigned;
        f->home = pages_ardmar_assign(f->page, engine.node, &assigned);
        PROBE(fetch_round_trip);
    }
    pages_ardmar_request_page(f);
}

static void pages_ardmar_home_arrived(struct protocol_fetch *f)
{
    f->asks_home = false;
    f->home = f->home_word ? (int)f->home_word - 1 : engine.node;
    pages_ardmar_request_page(f);
}

static void pages_ardmar_read_page_behind(struct protocol_fetch *f)
{
    pages_ardmar_read_page(f);
    PROBE(fetch_round_trip);
}

static bool pages_ardmar_fetch_ready(struct protocol_fetch *f)
{
    if (!fabric_test(engine.fabric, &f->op))
        return false;
    if (f->asks_home) {
        pages_ardmar_home_arrived(f);
        if (!fabric_test(engine.fabric, &f->op))
            return false;
    }
    if (f->page_started || f->home == engine.node || !protocol_covers(f))
        return true;
    pages_ardmar_read_page_behind(f);
    return fabric_test(engine.fabric, &f->op);
}

static bool pages_ardmar_versions_arrived(void *arg)
{
    struct protocol_fetch *f = arg;
    pages_ardmar_read_versions(f);
    PROBE(fetch_round_trip);
    fabric_wait(engine.fabric, &f->op);
    return protocol_covers(f);
}

static bool pages_ardmar_fetch_finish(struct protocol_fetch *f, bool prefetch)
{
    struct fabric *fabric = engine.fabric;
    if (f->asks_home) {
        fabric_wait(fabric, &f->op);
        pages_ardmar_home_arrived(f);
    }
    if (f->home == engine.node)
        return true;
    fabric_wait(fabric, &f->op);
    if (!protocol_covers(f)) {
        if (prefetch)
            return false;
        /* the diff was sent, and wakes the home [interval.diff-first], [interval.quiet-diffs] */
        PROBE(fetch_retried);
        progress_wait((struct waits_wait){ WAITS_PAGE_DIFFS, f->page, f->home },
                      pages_ardmar_versions_arrived, f, WAIT_STATE);
        f->page_started = false;
    }
    if (!f->page_started) {
        pages_ardmar_read_page_behind(f); /* [pages-ardmar.versions-first] */
        fabric_wait(fabric, &f->op);
    }
    return true;
}

static int pages_ardmar_home(uint32_t page, uint32_t token)
{
    (void)token;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t word = 0;
    fabric_read(engine.fabric, default_home_of(page), engine.control.id, engine_home_at(page),
                &word, sizeof word, &op);
    fabric_wait(engine.fabric, &op);
    return (int)word - 1;
}

static int pages_ardmar_place(uint32_t page, int node, uint32_t token)
{
    (void)token;
    bool assigned;
    /* a home must be in memory that the network reaches */
    fabric_window_require(engine.fabric, node, engine.space.id, engine_page_at(page), PAGE_SIZE);
    return pages_ardmar_assign(page, node, &assigned);
}

/* rule 8 */
static void pages_ardmar_set_home_word(uint32_t page, uint64_t to)
{
    struct fabric *f = engine.fabric;
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t word = 0, old = 0;
    do {
        word = old;
        fabric_cas(f, engine.node, engine.control.id, engine_home_at(page), word, to, &old, &op);
        fabric_wait(f, &op);
    } while (old != word);
}

static void pages_ardmar_move(uint32_t page, int home)
{
    if (default_home_of(page) == engine.node)
        pages_ardmar_set_home_word(page, pages_ardmar_home_value(home));
}

/* Each node clears the words of its default homes. The barriers around a collective order that
 * (rule 8). */
static void pages_ardmar_reset(uint32_t first, uint32_t count)
{
    for (uint32_t page = first; page < first + count; page++)
        if (default_home_of(page) == engine.node)
            pages_ardmar_set_home_word(page, 0);
}

const struct protocol_pages protocol_ardmar = {
    .caps = FABRIC_READ | FABRIC_ATOMICS,
    .initial = pages_ardmar_initial,
    .claim = pages_ardmar_claim,
    .fetch_start = pages_ardmar_fetch_start,
    .fetch_ready = pages_ardmar_fetch_ready,
    .fetch_finish = pages_ardmar_fetch_finish,
    .home = pages_ardmar_home,
    .place = pages_ardmar_place,
    .move = pages_ardmar_move,
    .reset = pages_ardmar_reset,
};
