/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fetches and prefetches of pages, with a protocol that is told what to answer, and no other node.
 * This is node 0; node 1 is home of the pages, and writes them. The invariants are those of
 * hlrc/memory/page.h, and of need.h.
 */
#include "tests/unit/page_node.h"

#include "hlrc/core/engine.h"
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

static void a_prefetch_saves_the_fetch(void)
{
    acquire(0, SOME);
    page_prefetch(0, SOME);
    assert_int_equal(prefetched, SOME);
    expect_contents(0, SOME);
    assert_int_equal(fetched, 0);
    expect_all_slots();
}

/* A copy that the home could not bring up to date is none, whatever lies in the place of its
 * versions. */
static void a_refused_prefetch_is_nothing(void)
{
    for (int round = 0; round < 3; round++) {
        acquire(0, SOME);
        answer = round == 2 ? TOO_OLD : REFUSED;
        page_prefetch(0, SOME);
        for (uint32_t p = 0; p < SOME; p++) {
            assert_int_equal(page_at(p)->flags & (PAGE_STALE | PAGE_BUSY | PAGE_PREFETCH),
                             PAGE_STALE);
            assert_int_equal(page_at(p)->access, ACCESS_NONE); /* [page.open-not-stale] */
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

static void refused_prefetches_use_nothing_up(void)
{
    const unsigned rounds = 5 * PREFETCHES / SOME;

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

/* [page.needed-versions]: what is acquired while a copy is under way is not in it. */
static void a_copy_is_compared_again(void)
{
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
    home_version--; /* the home had the version before when it answered */
    page_prefetch(8, SOME);
    ready = true;
    page_prefetch_finish(8);
    home_version++;
    expect_contents(8, SOME);
    expect_all_slots();
}

/* Whoever needs a page that is being prefetched finishes the prefetch. */
static void a_fault_finishes_a_prefetch(void)
{
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
static void who_waits_is_told(void)
{
    uint32_t list[SOME];

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

/* A page is under way before its notice is taken, where that has been right before; it is compared
 * all the same, and not for ever. */
static void what_was_renewed_is_expected(void)
{
    static const struct parts_notice read = { .read = true };
    struct protocol_pages pages = scripted;
    const struct policy_update *r = &page_at(3)->renewal;

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
    assert_true(r->pending && (page_at(3)->flags & PAGE_STALE)); /* [update.pending] */
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
    home_version--; /* the home had the version before when it answered: [page.needed-versions] */
    renew_all();
    home_version++;
    assert_true(page_at(3)->access == ACCESS_NONE && (page_at(3)->flags & PAGE_STALE));
    expect_contents(3, 1);
    renew_end();
    expect_all_slots();
}

static bool release(struct fabric *f, int window, size_t off, size_t len)
{
    (void)f, (void)window, (void)off, (void)len;
    return true;
}

/* The home has written all pages, the acquire would update them, and the program reads them. */
static void excess_copies_are_not_updated(void)
{
    struct protocol_pages pages = scripted;
    pages.caps = FABRIC_READ;
    engine.protocol.pages = &pages;
    engine.fabric->ops.window_release = release;
    engine.config.renew = 32;
    engine.config.cache_size = (uint64_t)COPIES_LEAST * PAGE_SIZE;
    copies_end();
    assert_int_equal(copies_init(), 0);
    assert_int_equal(renew_init(), 0);
    acquire(0, SOME);
    expect_contents(0, SOME); /* without the fault handler, which would evict some */
    assert_true(copies_over());
    for (uint32_t p = 0; p < SOME; p++)
        page_at(p)->renewal.left = 20;
    acquire(0, SOME);
    renew_all();
    for (uint32_t p = 0; p < SOME; p++)
        if (page_at(p)->access == ACCESS_NONE) {
            page_access(p, false);
            copies_trim();
        }
    assert_false(copies_over());
    renew_end();
    engine.config.cache_size = 0;
}

/* [page.needed-versions]: what is asked for is the latest of each writer, until a copy has come
 * that has it. [need.dropped]: not once more then. */
static void what_is_needed_is_asked_for_once(void)
{
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

/* Diffs that are written are there before they are told of [diffs-write.visible]: only a copy that
 * is under way then may lack them [need.dropped]. */
static void what_is_written_is_there(void)
{
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
    home_version--; /* of the copies that are under way */
    ready = true;
    fetched = 0;
    page_prefetch_finish(0);
    page_prefetch_finish(SOME / 2);
    home_version++;
    assert_int_equal(fetched, 0);
    expect_contents(0, SOME);
    assert_int_equal(fetched, SOME);
}

/* What is given back needs nothing in its next life. */
static void a_reset_forgets_what_is_needed(void)
{
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

UNIT_MAIN(begin_node, end_node, TEST(a_prefetch_saves_the_fetch),
          TEST(a_refused_prefetch_is_nothing), TEST(refused_prefetches_use_nothing_up),
          TEST(a_copy_is_compared_again), TEST(a_fault_finishes_a_prefetch),
          TEST(who_waits_is_told), TEST(what_was_renewed_is_expected),
          TEST(excess_copies_are_not_updated), TEST(what_is_needed_is_asked_for_once),
          TEST(what_is_written_is_there), TEST(a_reset_forgets_what_is_needed))
