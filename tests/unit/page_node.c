/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* page_node.c - see page_node.h. [page.needed-versions] is an invariant of
 * [interval.quiet-diffs]. */
#include "tests/unit/page_node.h"

#include "hlrc/core/engine.h"
#include "hlrc/layout.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/need.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_fetch.h"
#include "hlrc/memory/page_move.h"
#include "hlrc/memory/page_word.h"
#include "hlrc/memory/renew.h"
#include "hlrc/memory/twin.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static_assert(PAGES > PREFETCHES + SOME, "more pages than prefetches in flight");

/* ---- the protocol ---- */

enum answer answer;
bool ready;
unsigned prefetched, fetched;
unsigned early;
uint64_t home_version;
uint32_t acquired_meanwhile;
uint64_t wanted[PAGES][2];

static enum protocol_access initial(uint32_t page)
{
    (void)page;
    return ACCESS_READ;
}

static int claim(uint32_t page, bool *assigned)
{
    (void)page;
    *assigned = false;
    return 1;
}

/* the home, for diffs of this node [interval.quiet-diffs]; since the last fetch */
static bool woken;

static void fetch_start(struct protocol_fetch *f, bool prefetch)
{
    uint64_t asked[2] = { 0 };

    assert_true(atomic_load(&page_at(f->page)->flags) & PAGE_BUSY);
    for (uint32_t i = 0; i < f->needs; i++)
        asked[protocol_version_writer(f->needed[i])] = protocol_version_interval(f->needed[i]);
    assert_memory_equal(asked, wanted[f->page], sizeof asked); /* [page.needed-versions] */
    assert_true(woken || asked[0] == 0);                       /* [interval.quiet-diffs] */
    woken = false;
    prefetched += prefetch;
    fetched += !prefetch;
    early += f->early;
}

static bool fetch_ready(struct protocol_fetch *f)
{
    (void)f;
    return ready;
}

static bool fetch_finish(struct protocol_fetch *f, bool prefetch)
{
    bool covers = !prefetch || answer == COMPLETE;

    memset(f->dest, prefetch && answer != COMPLETE ? 0xee : (int)home_version, PAGE_SIZE);
    f->home = 1;
    f->versions[0] = UINT64_MAX;
    /* those of a refused one say nothing */
    f->versions[1] = covers || answer == REFUSED ? home_version : 0;
    if (f->page == acquired_meanwhile) {
        acquired_meanwhile = NO_PAGE;
        wanted[f->page][1] = ++home_version;
        page_invalidate(f->page, 1, 1, home_version);
    }
    return covers || answer == TOO_OLD;
}

static void reset(uint32_t first, uint32_t count)
{
    (void)first, (void)count;
}

const struct protocol_pages scripted = {
    .reset = reset,
    .initial = initial,
    .claim = claim,
    .fetch_start = fetch_start,
    .fetch_ready = fetch_ready,
    .fetch_finish = fetch_finish,
};

static void hand_on(void)
{
    woken = true;
}

static const struct parts_diff quiet_diffs = { .hand_on = hand_on };

/* ---- what lies beside ---- */

static int discard(struct fabric *f, int window, size_t off, size_t len)
{
    char *base = window == SPACE ? engine.mem : engine.control.base;

    (void)f;
    memset(base + off, 0, len);
    return 0;
}

unsigned told[PAGES];

void __wrap_progress_changed(const void *what);
void __wrap_progress_changed(const void *what)
{
    const struct page *p = what;
    ptrdiff_t page = p - page_at(0);

    assert_true(page >= 0 && page < (ptrdiff_t)PAGES);
    /* or nothing has changed for who waits */
    assert_true((p->flags & (PAGE_BUSY | PAGE_PREFETCH)) != PAGE_BUSY);
    told[page]++;
}

void __wrap_progress_poll(void);
void __wrap_progress_poll(void)
{
}

void __wrap_progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                          enum progress_wait kind);
void __wrap_progress_wait(struct waits_wait what, bool (*done)(void *), void *arg,
                          enum progress_wait kind)
{
    (void)what, (void)kind;
    ready = true;
    assert_true(done(arg));
}

uint32_t released_page;
unsigned waited;

void __wrap_progress_await(struct waits_wait what, const void *key, bool (*done)(void *),
                           void *arg);
void __wrap_progress_await(struct waits_wait what, const void *key, bool (*done)(void *), void *arg)
{
    (void)key;
    if (done(arg))
        return;
    assert_int_not_equal(released_page, NO_PAGE);
    assert_int_equal(what.what, WAITS_PAGE_MOVES);
    waited++;
    page_move_release(released_page);
    released_page = NO_PAGE;
    assert_true(done(arg));
}

unsigned listed;

void __wrap_dirty_add(uint32_t page);
void __wrap_dirty_add(uint32_t page)
{
    assert_true(page < PAGES);
    listed++;
}

void begin_node(void)
{
    static struct fabric fabric = { .ops = { .window_discard = discard } };
    int fd = memfd_create("test", MFD_CLOEXEC);

    engine.node = 0;
    engine.nodes = 2;
    engine.pages = PAGES;
    engine.fabric = &fabric;
    engine.space.id = SPACE;
    engine.control.id = CONTROL;
    engine.protocol.pages = &scripted;
    engine.protocol.diffs = &quiet_diffs;
    assert_int_equal(ftruncate(fd, PAGES * PAGE_SIZE), 0);
    engine.app = mmap(NULL, PAGES * PAGE_SIZE, PROT_NONE, MAP_SHARED, fd, 0);
    engine.mem = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    engine.prefetches = PREFETCHES;
    engine.tokens = msg_token_count(4, PREFETCHES);
    layout_init(&engine.at, 2, PAGES, engine.tokens, 0);
    engine.control.base = mmap(NULL, engine.at.end, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(engine.app != MAP_FAILED && engine.mem != MAP_FAILED &&
                engine.control.base != MAP_FAILED);
    close(fd);
    assert_int_equal(thread_init(4), 0);
    assert_int_equal(twin_init(PAGES), 0);
    assert_int_equal(page_init(), 0);
    assert_int_equal(page_fetch_init(), 0);
    engine.neighbours = 1;
    assert_int_equal(copies_init(), 0);
    engine.config.diffs = DIFFS_MESSAGE;
    answer = COMPLETE;
    ready = true;
    prefetched = fetched = 0;
    home_version = 0;
    memset(wanted, 0, sizeof wanted);
    acquired_meanwhile = released_page = NO_PAGE;
    waited = listed = 0;
    memset(told, 0, sizeof told);
}

void end_node(void)
{
    page_fetch_end();
    page_end();
    twin_end();
    thread_end();
    munmap(engine.app, PAGES * PAGE_SIZE);
    munmap(engine.mem, PAGES * PAGE_SIZE);
    munmap(engine.control.base, engine.at.end);
}

void acquire(uint32_t first, uint32_t count)
{
    home_version++;
    for (uint32_t p = first; p < first + count; p++)
        wanted[p][1] = home_version;
    page_invalidate(first, count, 1, home_version);
}

void close_interval(uint32_t page, uint64_t interval)
{
    page_access(page, true);
    assert_int_equal(page_flush_begin(&page, 1, false), 1);
    wanted[page][0] = interval;
    page_flush_end(page, interval, true);
}

void expect_contents(uint32_t first, uint32_t count)
{
    for (uint32_t p = first; p < first + count; p++) {
        page_access(p, false);
        const volatile char *at = engine.app + (size_t)p * PAGE_SIZE;
        assert_int_equal(at[0], (char)home_version);
        assert_int_equal(at[PAGE_SIZE - 1], (char)home_version);
        assert_int_equal(page_at(p)->need, 0); /* [page.needed-versions] */
        wanted[p][0] = wanted[p][1] = 0;
    }
}
