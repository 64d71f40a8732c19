/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fetches and prefetches of pages, with a protocol that is told what to answer, and no other node.
 * This is node 0; node 1 is home of the pages, and writes them. P1 to P9 are the invariants of
 * hlrc/memory/page.h, ND1 is of need.h, RN5 of renew.h, WD1
 * to WD4 of page_word.h.
 */
#include "hlrc/engine.h"
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

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGES   2048u
#define SOME    64u /* that one test is about; two batches of a prefetch */
#define NO_PAGE UINT32_MAX

static_assert(PAGES > PREFETCHES + SOME, "more pages than prefetches in flight");

/* ---- the protocol ---- */

enum answer { COMPLETE, REFUSED, TOO_OLD };

static enum answer answer;           /* to prefetches; other fetches wait for what they need */
static bool ready;                   /* whether prefetches have arrived */
static unsigned prefetched, fetched; /* calls of fetch_start */
static unsigned early;               /* of those, before all that is needed was known */
static uint64_t version;             /* of all pages at the home, and what is in them */
/* a page that another thread acquires during its fetch; or NO_PAGE */
static uint32_t acquired_meanwhile;
/* the intervals of both nodes that a copy has to have: what a fetch asks for */
static uint64_t wanted[PAGES][2];

static enum page_access_right initial(uint32_t page)
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

static bool woken; /* the home, for diffs of this node (I7); since the last fetch */

static void fetch_start(struct page_fetch *f, bool prefetch)
{
    uint64_t asked[2] = { 0 };

    assert_true(atomic_load(&page_at(f->page)->flags) & PAGE_BUSY);
    for (uint32_t i = 0; i < f->needs; i++)
        asked[version_writer(f->needed[i])] = version_interval(f->needed[i]);
    assert_memory_equal(asked, wanted[f->page], sizeof asked); /* P4 */
    assert_true(woken || asked[0] == 0);                       /* I7 */
    woken = false;
    prefetched += prefetch;
    fetched += !prefetch;
    early += f->early;
}

static bool fetch_ready(struct page_fetch *f)
{
    (void)f;
    return ready;
}

static bool fetch_finish(struct page_fetch *f, bool prefetch)
{
    bool covers = !prefetch || answer == COMPLETE;

    memset(f->dest, prefetch && answer != COMPLETE ? 0xee : (int)version, PAGE_SIZE);
    f->home = 1;
    f->versions[0] = UINT64_MAX;
    /* those of a refused one say nothing */
    f->versions[1] = covers || answer == REFUSED ? version : 0;
    if (f->page == acquired_meanwhile) {
        acquired_meanwhile = NO_PAGE;
        wanted[f->page][1] = ++version;
        page_invalidate(f->page, 1, 1, version);
    }
    return covers || answer == TOO_OLD;
}

static void reset(uint32_t first, uint32_t count)
{
    (void)first, (void)count;
}

static const struct page_protocol scripted = {
    .name = "scripted",
    .initial = initial,
    .claim = claim,
    .fetch_start = fetch_start,
    .fetch_ready = fetch_ready,
    .fetch_finish = fetch_finish,
    .reset = reset,
};

static void hand_on(void)
{
    woken = true;
}

static const struct diff_protocol quiet_diffs = { .name = "scripted", .hand_on = hand_on };

/* ---- what lies beside ---- */

enum { SPACE, CONTROL }; /* windows */

static int discard(struct fabric *f, int window, size_t off, size_t len)
{
    char *base = window == SPACE ? engine.mem : engine.control.base;

    (void)f;
    memset(base + off, 0, len);
    return 0;
}

static unsigned told[PAGES]; /* calls of progress_changed */

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

void __wrap_progress_wait(struct wait_for what, bool (*done)(void *), void *arg,
                          enum wait_kind kind);
void __wrap_progress_wait(struct wait_for what, bool (*done)(void *), void *arg,
                          enum wait_kind kind)
{
    (void)what, (void)kind;
    ready = true;
    assert_true(done(arg));
}

void __wrap_dirty_add(uint32_t page);
void __wrap_dirty_add(uint32_t page)
{
    assert_true(page < PAGES);
}

static int begin(void **state)
{
    static struct fabric fabric = { .ops = { .window_discard = discard } };
    int fd = memfd_create("test", MFD_CLOEXEC);

    (void)state;
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
    assert_int_equal(threads_init(4), 0);
    assert_int_equal(twins_init(PAGES), 0);
    assert_int_equal(pages_init(), 0);
    assert_int_equal(page_fetch_init(), 0);
    engine.neighbours = 1;
    assert_int_equal(copies_init(), 0);
    engine.config.diffs = DIFFS_HANDLER;
    answer = COMPLETE;
    ready = true;
    prefetched = fetched = 0;
    version = 0;
    memset(wanted, 0, sizeof wanted);
    acquired_meanwhile = NO_PAGE;
    memset(told, 0, sizeof told);
    return 0;
}

static int end(void **state)
{
    (void)state;
    page_fetch_end();
    pages_end();
    twins_end();
    threads_end();
    munmap(engine.app, PAGES * PAGE_SIZE);
    munmap(engine.mem, PAGES * PAGE_SIZE);
    munmap(engine.control.base, engine.at.end);
    return 0;
}

/* The home's next interval, in which it has written these pages, is acquired. */
static void acquire(uint32_t first, uint32_t count)
{
    version++;
    for (uint32_t p = first; p < first + count; p++)
        wanted[p][1] = version;
    page_invalidate(first, count, 1, version);
}

/* This node's next interval, in which it has written this page, is closed. */
static void close_interval(uint32_t page, uint64_t interval)
{
    page_access(page, true);
    assert_int_equal(page_flush_begin(&page, 1, false), 1);
    wanted[page][0] = interval;
    page_flush_end(page, interval, true);
}

static void expect_lines(uint64_t n)
{
    uint64_t most;

    assert_int_equal(need_lines_used(&most), n);
    assert_true(most <= SOME);
}

static void expect_told(uint32_t first, uint32_t count, unsigned times)
{
    for (uint32_t p = first; p < first + count; p++)
        assert_int_equal(told[p], times);
    memset(told, 0, sizeof told);
}

/* Reads pages as the program does, after the faults of those that are closed. */
static void expect_contents(uint32_t first, uint32_t count)
{
    for (uint32_t p = first; p < first + count; p++) {
        page_access(p, false);
        const volatile char *at = engine.app + (size_t)p * PAGE_SIZE;
        assert_int_equal(at[0], (char)version);
        assert_int_equal(at[PAGE_SIZE - 1], (char)version);
        assert_int_equal(page_at(p)->need, 0); /* P4 */
        wanted[p][0] = wanted[p][1] = 0;
    }
}

/* As many prefetches can be under way as ever: no slot was lost. */
static void expect_all_slots(void)
{
    acquire(0, PAGES);
    ready = false;
    prefetched = 0;
    page_prefetch(0, PAGES);
    assert_int_equal(prefetched, PREFETCHES);
    ready = true;
    page_prefetch(0, PAGES);
    fetched = 0;
    expect_contents(0, PAGES);
    assert_int_equal(fetched, 0);
}

/* ---- the tests ---- */

static void a_prefetch_saves_the_fetch(void **state)
{
    (void)state;
    acquire(0, SOME);
    page_prefetch(0, SOME);
    assert_int_equal(prefetched, SOME);
    expect_contents(0, SOME);
    assert_int_equal(fetched, 0);
    expect_all_slots();
}

/* A copy that the home could not bring up to date is none, whatever lies in the place of its
 * versions. */
static void a_refused_prefetch_is_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        acquire(0, SOME);
        answer = round == 2 ? TOO_OLD : REFUSED;
        page_prefetch(0, SOME);
        for (uint32_t p = 0; p < SOME; p++) {
            assert_int_equal(page_at(p)->flags & (PAGE_STALE | PAGE_BUSY | PAGE_PREFETCH),
                             PAGE_STALE);
            assert_int_equal(page_at(p)->access, ACCESS_NONE); /* P2 */
        }
        fetched = 0;
        expect_contents(0, SOME);
        assert_int_equal(fetched, SOME);
        answer = COMPLETE;
        acquire(0, SOME);
        page_prefetch(0, SOME);
        expect_contents(0, SOME);
    }
}

static void refused_prefetches_use_nothing_up(void **state)
{
    const unsigned rounds = 5 * PREFETCHES / SOME;

    (void)state;
    acquire(0, SOME);
    answer = REFUSED;
    for (unsigned k = 1; k <= rounds; k++) {
        ready = k % 2;
        page_prefetch(0, SOME);
        ready = true;
        page_prefetch(0, SOME); /* those that arrive are refused, and asked for again */
    }
    assert_true(prefetched >= rounds * SOME);
    assert_int_equal(page_at(0)->flags & (PAGE_STALE | PAGE_BUSY), PAGE_STALE);
    answer = COMPLETE;
    page_prefetch(0, SOME);
    expect_contents(0, SOME);
    expect_all_slots();
}

/* P4: what is acquired while a copy is under way is not in it. */
static void a_copy_is_compared_again(void **state)
{
    (void)state;
    for (uint32_t p = 1; p < 5; p++) {
        acquire(p, 1);
        acquired_meanwhile = p;
        if (p % 2)
            page_prefetch(p, 1);
        fetched = 0;
        expect_contents(p, 1);
        assert_int_equal(fetched, p % 2 ? 1 : 2);
    }
    acquire(8, SOME);
    ready = false;
    page_prefetch(8, SOME);
    acquire(8, SOME);
    version--; /* the home had the version before when it answered */
    page_prefetch(8, SOME);
    ready = true;
    page_prefetch_finish(8);
    version++;
    expect_contents(8, SOME);
    expect_all_slots();
}

/* Whoever needs a page that is being prefetched finishes the prefetch. */
static void a_fault_finishes_a_prefetch(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        acquire(0, SOME);
        ready = false;
        page_prefetch(0, SOME);
        assert_int_equal(page_at(5)->flags & (PAGE_BUSY | PAGE_PREFETCH),
                         PAGE_BUSY | PAGE_PREFETCH);
        answer = k % 3 == 0 ? REFUSED : COMPLETE;
        fetched = 0;
        expect_contents(0, SOME);
        assert_int_equal(fetched, k % 3 == 0 ? SOME : 0);
        answer = COMPLETE;
    }
    expect_all_slots();
}

/* Whoever waits for a page is told of every end of work on it, and of a prefetch that somebody has
 * to finish. */
static void who_waits_is_told(void **state)
{
    uint32_t list[SOME];

    (void)state;
    for (uint32_t p = 0; p < SOME; p++) {
        page_access(p, true); /* claims */
        list[p] = p;
    }
    expect_told(0, SOME, 1);
    for (uint32_t n = 0; n < SOME;)
        n += page_flush_begin(list + n, SOME - n, false);
    for (uint32_t p = 0; p < SOME; p++) {
        wanted[p][0] = 1;
        page_flush_end(p, 1, true);
    }
    expect_told(0, SOME, 1);
    page_touch(SOME, SOME, true); /* claims as well */
    expect_told(SOME, SOME, 1);
    acquire(0, SOME);
    expect_contents(0, SOME); /* fetches */
    expect_told(0, SOME, 1);
    acquire(0, SOME);
    ready = false;
    page_prefetch(0, SOME);
    expect_told(0, SOME, 1);
    ready = true;
    page_prefetch_finish(0);
    page_prefetch(0, SOME);
    expect_told(0, SOME, 1);
    acquire(0, SOME);
    answer = REFUSED;
    page_prefetch(0, SOME);
    expect_told(0, SOME, 2);
}

/* An acquire for which the home has written a page, or none. */
static void acquire_renewing(uint32_t occasion, uint32_t page)
{
    renew_expected(occasion);
    if (page != NO_PAGE)
        acquire(page, 1);
    renew_all();
    memset(wanted, 0, sizeof wanted); /* all that was needed has come */
}

/* RN5: a page is under way before its notice is taken, where that has been right before; it is
 * compared all the same, and not for ever. */
static void what_was_renewed_is_expected(void **state)
{
    static const struct notice_protocol read = { .read = true };
    struct page_protocol pages = scripted;
    const struct renewal *r = &page_at(3)->renewal;

    (void)state;
    pages.caps = FABRIC_READ;
    engine.protocol.pages = &pages;
    engine.protocol.notices = &read;
    engine.config.renew = 32;
    early = 0;
    assert_int_equal(renew_init(), 0);
    acquire(3, 1);
    expect_contents(3, 1);
    page_at(3)->renewal.left = 20;
    prefetched = fetched = 0;
    acquire_renewing(7, 3);
    assert_int_equal(prefetched, 1);
    renew_expected(7);
    assert_int_equal(prefetched, 2);
    assert_true(r->pending && (page_at(3)->flags & PAGE_STALE)); /* RN1 */
    acquire(3, 1);
    renew_all();
    memset(wanted, 0, sizeof wanted);
    assert_int_equal(prefetched, 2);
    assert_int_equal(r->left, 18);
    acquire_renewing(8, NO_PAGE);
    assert_int_equal(prefetched, 2);
    expect_contents(3, 1);
    assert_int_equal(fetched, 0);
    acquire_renewing(7, NO_PAGE);
    acquire_renewing(7, 3);
    acquire_renewing(7, NO_PAGE);
    acquire_renewing(7, NO_PAGE);
    assert_int_equal(prefetched, 6);
    assert_int_equal(r->left, 17);
    acquire_renewing(7, NO_PAGE);
    assert_int_equal(prefetched, 6);
    assert_int_equal(early, 5);
    acquire_renewing(7, 3);
    renew_expected(7);
    acquire(3, 1);
    version--; /* the home had the version before when it answered: P4 */
    renew_all();
    version++;
    assert_true(page_at(3)->access == ACCESS_NONE && (page_at(3)->flags & PAGE_STALE));
    expect_contents(3, 1);
    renew_end();
    expect_all_slots();
}

/* P4: what is asked for is the latest of each writer, until a copy has come that has it. ND1: not
 * once more then. */
static void what_is_needed_is_asked_for_once(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SOME; p++) {
        close_interval(p, 1);
        close_interval(p, 2);
        assert_int_equal(page_at(p)->flags & PAGE_STALE, 0);
    }
    expect_lines(0);
    acquire(0, SOME);
    acquire(SOME, SOME);
    acquire(0, 2 * SOME);
    expect_lines(SOME);
    answer = REFUSED;
    page_prefetch(SOME, SOME); /* of those that are clean */
    answer = COMPLETE;
    fetched = 0;
    expect_contents(0, 2 * SOME);
    assert_int_equal(fetched, 2 * SOME);
    expect_lines(0);
    acquired_meanwhile = 0;
    acquire(0, SOME); /* of version alone: what this node wrote was found there */
    expect_contents(0, SOME);
    assert_int_equal(fetched, 3 * SOME + 1);
    expect_lines(0);
}

/* Diffs that are written are there before they are told of (DW1): only a copy that is under way
 * then may lack them (ND1). */
static void what_is_written_is_there(void **state)
{
    (void)state;
    engine.config.diffs = DIFFS_WRITE;
    acquire(0, SOME);
    memset(wanted, 0, sizeof wanted); /* and fetches ask for nothing */
    page_prefetch(0, SOME / 2);
    expect_contents(0, SOME);
    acquire(0, SOME);
    memset(wanted, 0, sizeof wanted);
    ready = false;
    page_prefetch(0, SOME);
    acquire(0, SOME);
    expect_lines(0);
    version--; /* of the copies that are under way */
    ready = true;
    fetched = 0;
    page_prefetch_finish(0);
    page_prefetch_finish(SOME / 2);
    version++;
    assert_int_equal(fetched, 0);
    expect_contents(0, SOME);
    assert_int_equal(fetched, SOME);
}

/* What is given back needs nothing in its next life. */
static void a_reset_forgets_what_is_needed(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SOME; p++)
        close_interval(p, 1);
    acquire(0, SOME);
    expect_lines(SOME);
    page_reset(0, SOME);
    expect_lines(0);
    memset(wanted, 0, sizeof wanted);
    acquire(0, SOME);
    expect_contents(0, SOME);
}

/* An operation on a word waits until the home has what this node has sent, and is not made where
 * this node has stored to it (WD2); its result is here (WD3); the page does not move (MV1) before
 * it was announced, with an empty diff (WD4). */
static void what_is_operated_on_is_announced(void **state)
{
    (void)state;
    uint32_t page = 5;
    uint64_t value = 7;
    char diff[DIFF_MAX], *word = engine.mem + (size_t)page * PAGE_SIZE + 8;
    close_interval(page, 1);
    fetched = 0;
    page_word_leave(page_word_begin(page, 8, 8));
    assert_int_equal(fetched, 1);
    page_word_end(page, 8, 8, &value, true);
    assert_memory_equal(word, &value, 8);
    page_move_hold(page);
    assert_false(page_move_settled(page));
    assert_int_equal(page_flush_begin(&page, 1, false), 1);
    assert_int_equal(page_flush_diff(page, diff), 0);
    page_flush_end(page, 2, false);
    assert_true(page_move_settled(page));
    page_move_release(page);
    wanted[page][0] = 2;
    page_access(page, true);
    word[16] = 1;
    assert_null(page_word_begin(page, 24, 8));
    page_unlock(page_word_begin(page, 16, 8)); /* beside it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_prefetch_saves_the_fetch, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_prefetch_is_nothing, begin, end),
        cmocka_unit_test_setup_teardown(refused_prefetches_use_nothing_up, begin, end),
        cmocka_unit_test_setup_teardown(a_copy_is_compared_again, begin, end),
        cmocka_unit_test_setup_teardown(a_fault_finishes_a_prefetch, begin, end),
        cmocka_unit_test_setup_teardown(who_waits_is_told, begin, end),
        cmocka_unit_test_setup_teardown(what_was_renewed_is_expected, begin, end),
        cmocka_unit_test_setup_teardown(what_is_needed_is_asked_for_once, begin, end),
        cmocka_unit_test_setup_teardown(what_is_written_is_there, begin, end),
        cmocka_unit_test_setup_teardown(a_reset_forgets_what_is_needed, begin, end),
        cmocka_unit_test_setup_teardown(what_is_operated_on_is_announced, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
