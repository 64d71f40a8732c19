/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operations on words of copies in every state, of one node whose pages lie at another one
 * (page_node.h). The invariants are those of hlrc/memory/page_word.h, and of [home-migration.held],
 * [page.needed-versions].
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

/* An operation on a word waits until the home has what this node has sent, and is not made where
 * this node has stored to it [word.ordered]; its result is here [word.copy]; the page does not move
 * [home-migration.held] before it was announced, with an empty diff [word.announced]. */
static void what_is_operated_on_is_announced(void)
{
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

static unsigned char *bytes_of(uint32_t page)
{
    return (unsigned char *)engine.mem + (size_t)page * PAGE_SIZE;
}

/* An operation that leaves `value` there. Its page was ready. */
static void operate(uint32_t page, size_t at, size_t bytes, uint64_t value)
{
    struct page *p = page_word_begin(page, at, bytes);
    assert_non_null(p);
    assert_false(p->flags & (PAGE_BUSY | PAGE_STALE));
    page_word_leave(p);
    page_word_end(page, at, bytes, &value, true);
}

/* The next closing of the page, which is announced: the bytes of its diff are these, in order, and
 * no others. */
static void expect_diff(uint32_t page, uint64_t interval, const size_t *at, size_t count)
{
    static char diff[DIFF_MAX];
    uint64_t mask[DIFF_MASK_WORDS];
    assert_int_equal(page_flush_begin(&page, 1, false), 1);
    assert_true(diff_mask(diff, page_flush_diff(page, diff), mask));
    for (size_t i = 0, k = 0; i < PAGE_SIZE; i++) {
        bool expected = k < count && at[k] == i;
        k += expected;
        assert_int_equal(mask[i / 64] >> i % 64 & 1, expected);
    }
    wanted[page][0] = interval;
    page_flush_end(page, interval, count > 0);
    assert_int_equal(page_at(page)->worded, 0);
}

/* With diffs by remote writes a stale copy needs nothing that a fetch asks for [need.dropped]. */
static void acquire_asked(uint32_t page)
{
    acquire(page, 1);
    if (engine.config.diffs == DIFFS_WRITE)
        wanted[page][1] = 0;
}

/* [word.ordered]: a stale copy is fetched before the operation, whether it is clean or dirty. What
 * was stored to other words stays, and is all that the diff has [word.copy]. */
static void operate_on_stale(uint32_t page)
{
    const size_t stored[] = { 0, 100, PAGE_SIZE - 1 };
    acquire_asked(page);
    fetched = 0;
    operate(page, 8, 8, 70);
    assert_int_equal(fetched, 1);
    assert_int_equal(bytes_of(page)[8], 70);
    assert_int_equal(bytes_of(page)[16], home_version);
    assert_int_equal(page_at(page)->need, 0); /* [page.needed-versions] */
    wanted[page][0] = wanted[page][1] = 0;
    expect_diff(page, 1, NULL, 0);
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
        acquire_asked(page);
        page_access(page, true); /* and needs nothing, not even of this node's own */
        wanted[page][0] = wanted[page][1] = 0;
        for (size_t i = 0; i < 3; i++)
            engine.app[(size_t)page * PAGE_SIZE + stored[i]] = (char)(200 + bytes);
        acquire_asked(page); /* revokes the dirty page */
        assert_true(page_at(page)->flags & PAGE_STALE);
        fetched = 0;
        operate(page, 40, bytes, UINT64_C(0x0101010101010101) * (80 + bytes));
        assert_int_equal(fetched, 1);
        wanted[page][0] = wanted[page][1] = 0;
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(bytes_of(page)[stored[i]], 200 + bytes);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(bytes_of(page)[40 + i], i < bytes ? 80 + bytes : home_version);
        expect_diff(page, 1 + bytes, stored, 3);
    }
}

static void a_word_of_a_stale_copy(void)
{
    operate_on_stale(7);
    engine.config.diffs = DIFFS_WRITE;
    operate_on_stale(8);
}

/* An acquire that comes during the operation makes the copy stale: the result is in a page that is
 * dirty, in its twin as well, and in no diff [word.copy]. A clean one is fetched by the next
 * access. */
static void stale_during_an_operation(void)
{
    const uint32_t page = 9;
    const size_t stored[] = { 100 };
    uint64_t value = 33;
    page_access(page, true);
    engine.app[(size_t)page * PAGE_SIZE + 100] = 1;
    page_word_leave(page_word_begin(page, 8, 8));
    acquire(page, 1);
    page_word_end(page, 8, 8, &value, true);
    assert_true(page_at(page)->flags & PAGE_STALE);
    assert_memory_equal(bytes_of(page) + 8, &value, 8);
    expect_diff(page, 1, stored, 1);
    wanted[page][0] = 1;
    fetched = 0;
    page_access(page, false);
    assert_int_equal(fetched, 1);
    wanted[page][0] = wanted[page][1] = 0;
    page_word_leave(page_word_begin(page, 8, 8));
    acquire(page, 1);
    page_word_end(page, 8, 8, &value, true);
    fetched = 0;
    expect_contents(page, 1);
    assert_int_equal(fetched, 1);
}

/* [word.ordered]: each byte of the word counts, and no byte beside it. */
static void a_word_that_is_unsent(void)
{
    const uint32_t page = 11;
    page_access(page, true);
    for (size_t bytes = 4; bytes <= 8; bytes += 4)
        for (size_t at = 0; at < PAGE_SIZE; at = at == 0    ? 64
                                                 : at == 64 ? PAGE_SIZE - bytes
                                                            : PAGE_SIZE)
            for (size_t i = at < 2 ? 0 : at - 2; i < at + bytes + 2 && i < PAGE_SIZE; i++) {
                bytes_of(page)[i] ^= 0x40;
                struct page *p = page_word_begin(page, at, bytes);
                assert_true((p == NULL) == (i >= at && i < at + bytes));
                if (p)
                    page_unlock(p);
                bytes_of(page)[i] ^= 0x40;
            }
    struct page *p = page_word_begin(page, 64, 8); /* as it was before: nothing to send */
    assert_non_null(p);
    page_unlock(p);
}

/* [word.announced]: the page is on the dirty list once, however many operations there were, by the
 * next one after a closing again, and not by one that has changed nothing. What was on the list for
 * a store is `worded` as well: a closing that finds the page as its twin is announces it. */
static void operations_are_noted_once(void)
{
    const uint32_t page = 13;
    uint64_t value = 1;
    page_access(page, false);
    page_set_home(page, 1); /* or the first operation opens the page for stores */
    page_word_leave(page_word_begin(page, 8, 8));
    page_word_end(page, 8, 8, &value, false);
    assert_int_equal(listed, 0);
    assert_int_equal(page_at(page)->worded, 0);
    for (uint64_t interval = 1; interval <= 3; interval++) {
        listed = 0;
        for (uint64_t k = 0; k < 4; k++)
            operate(page, 8 * k, 8, k);
        assert_int_equal(listed, 1);
        assert_int_equal(page_at(page)->worded, 1);
        expect_diff(page, interval, NULL, 0);
    }
    listed = 0;
    page_access(page, true);
    assert_int_equal(listed, 1);
    operate(page, 8, 8, 5);
    assert_int_equal(listed, 1);
    assert_int_equal(page_at(page)->worded, 1);
    expect_diff(page, 4, NULL, 0);
}

/* [home-migration.held]: no operation begins while the page is held. */
static void a_word_of_a_held_page(void)
{
    const uint32_t page = 15;
    page_access(page, false);
    for (unsigned k = 1; k <= 2; k++) {
        page_move_hold(page);
        released_page = page;
        operate(page, 8, 8, k);
        assert_int_equal(waited, k);
        assert_false(page_at(page)->held);
    }
}

/* ---- where the home's versions can be read ([word.ordered]: settle) ---- */

static uint64_t own_there;        /* the version that the home has of this node */
static uint32_t acquired_reading; /* a page that is acquired while that is read; or NO_PAGE */
static unsigned versions_read;

static void read_version(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                         struct fabric_op *op)
{
    (void)f, (void)off, (void)op;
    assert_int_equal(peer, 1);
    assert_int_equal(win, CONTROL);
    assert_int_equal(len, sizeof own_there);
    memcpy(dst, &own_there, len);
    assert_true(++versions_read < 100);
    if (acquired_reading == NO_PAGE)
        return;
    uint32_t page = acquired_reading;
    acquired_reading = NO_PAGE;
    assert_true(page_at(page)->flags & PAGE_BUSY);
    acquire(page, 1);
}

static void wait_nothing(struct fabric *f, struct fabric_op *op)
{
    (void)f, (void)op;
}

/* This node has published `interval` of the page; the home has `there`. Whether the operation that
 * follows has to fetch the page. */
static void expect_settled(uint32_t page, uint64_t interval, uint64_t there, bool fetches)
{
    close_interval(page, interval);
    fetched = versions_read = 0;
    own_there = there;
    memset(told, 0, sizeof told);
    operate(page, 8, 8, interval);
    assert_int_equal(versions_read, 1);
    assert_int_equal(fetched, fetches);
    assert_int_equal(page_at(page)->need, 0);
    assert_int_equal(told[page], 2); /* who waits for it: behind both */
    wanted[page][0] = wanted[page][1] = 0;
    operate(page, 8, 8, interval); /* nothing is needed any more */
    assert_int_equal(versions_read, 1);
    assert_int_equal(fetched, fetches);
    expect_diff(page, interval + 1, NULL, 0);
    wanted[page][0] = wanted[page][1] = 0;
    page_access(page, true);
    need_drop(&page_at(page)->need);
}

static void what_the_home_has_is_not_fetched(void)
{
    struct protocol_pages readable = scripted;
    const uint32_t page = 17;
    readable.caps = FABRIC_READ;
    engine.protocol.pages = &readable;
    engine.fabric->ops.read = read_version;
    engine.fabric->ops.wait = wait_nothing;
    acquired_reading = NO_PAGE;
    expect_settled(page, 10, 10, false);
    expect_settled(page, 20, 21, false);
    expect_settled(page, 30, 29, true);
    expect_settled(page, 40, 0, true);
    acquired_reading = page;
    expect_settled(page, 50, 50, true);
    assert_int_equal(bytes_of(page)[16], home_version);
    engine.protocol.pages = &scripted;
}

UNIT_MAIN(begin_node, end_node, TEST(what_is_operated_on_is_announced),
          TEST(a_word_of_a_stale_copy), TEST(stale_during_an_operation),
          TEST(a_word_that_is_unsent), TEST(operations_are_noted_once), TEST(a_word_of_a_held_page),
          TEST(what_the_home_has_is_not_fetched))
