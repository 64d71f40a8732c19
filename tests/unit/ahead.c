/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pages are opened beyond those of a thread's faults. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hlrc/memory/ahead.h"
#include "hlrc/policy/policy_readahead.h"
#include "tests/unit/unit.h"

#define MOST  32u
#define PAGES 4096u

/* The pages of an array that are open, for loads or stores. */
static bool open_now[2][PAGES];
static struct streams_table streams;

static void setup(void)
{
    memset(open_now, 0, sizeof open_now);
    memset(&streams, 0, sizeof streams);
}

/* One access; 1 when it faulted, and what was opened ahead is open from then on. */
static unsigned access_page(uint32_t page, bool write)
{
    int32_t stride = 0;
    if (open_now[write][page])
        return 0;
    open_now[write][page] = true;
    uint32_t steps = streams_ahead_next(&streams, page, write, MOST, &stride);
    assert_true(steps <= MOST);
    for (uint32_t k = 1; k <= steps; k++) {
        int64_t at = (int64_t)page + (int64_t)k * stride;
        if (at >= 0 && at < PAGES)
            open_now[write][at] = true;
    }
    return 1;
}

static unsigned opened(bool write)
{
    unsigned n = 0;
    for (uint32_t p = 0; p < PAGES; p++)
        n += open_now[write][p];
    return n;
}

/* Faults at 0 and 1, then behind 8, 16, 32, 32, ... pages. */
static void test_grows(void)
{
    static const uint32_t at[] = { 0, 1, 10, 27, 60, 93, 126 };
    unsigned n = 0;
    for (uint32_t p = 0; p < 150; p++)
        if (access_page(p, false)) {
            assert_true(n < sizeof at / sizeof at[0]);
            assert_int_equal(p, at[n++]);
        }
    assert_int_equal(n, sizeof at / sizeof at[0]);
    assert_int_equal(opened(true), 0);
}

static void test_backwards_and_strides(void)
{
    unsigned n = 0;
    for (uint32_t p = PAGES; p-- > PAGES - 128;)
        n += access_page(p, true);
    assert_in_range(n, 6, 8);
    n = 0;
    for (uint32_t p = 0; p < 1280; p += 10)
        n += access_page(p, true);
    assert_in_range(n, 7, 9);
    assert_int_equal(open_now[true][5], false); /* none between the steps */
}

/* Columns of a matrix whose rows are 100 pages long, of three matrices at once: the fourth fault in
 * a column of each opens 8 below it, those behind these 16, and so on. */
static void test_columns(void)
{
    unsigned n = 0;
    for (uint32_t row = 0; row < 13; row++)
        for (uint32_t matrix = 0; matrix < 3; matrix++)
            n += access_page(matrix * 1331 + row * 100, false);
    assert_int_equal(n, 3 * 5); /* 0 to 3, and 12 */
    assert_int_equal(open_now[false][50], false);
    n = 0;
    for (uint32_t row = 40; row-- > 0;)
        n += access_page(row * 100 + 1, true);
    assert_int_equal(n, 4 + 2); /* behind 8, and 16 */
}

/* Several rows at once, and stores beside the loads, as in a stencil. */
static void test_streams_interleaved(void)
{
    unsigned n = 0;
    for (uint32_t p = 0; p < 128; p++) {
        for (uint32_t row = 0; row < 3; row++)
            n += access_page(row * 1000 + p, false);
        n += access_page(2000 + p, true);
    }
    assert_in_range(n, 4 * 6, 4 * 8);
}

/* A stream that goes elsewhere is forgotten: it opens no more than it had. */
static void test_forgets(void)
{
    for (uint32_t p = 0; p < 12; p++)
        (void)access_page(p, false); /* 10 has opened 11 to 26 */
    assert_int_equal(opened(false), 27);
    assert_int_equal(access_page(2000, false), 1);
    assert_int_equal(access_page(3000, false), 1);
    assert_int_equal(opened(false), 29);
}

/* Rows of two pages each, far from each other and nowhere at equal distances: the first four are
 * taken for longer ones. */
static void test_short_rows(void)
{
    for (uint32_t row = 0; row < 40; row++)
        for (uint32_t p = 0; p < 2; p++)
            assert_int_equal(access_page(row * 70 + row * row % 41 + p, false), 1);
    /* a row is found to be over when three others have begun behind it, and the next one comes */
    assert_int_equal(opened(false), 80 + 4 * 8 + 4 + 2 + 1);
    for (uint32_t p = 0; p < 9; p++)
        assert_int_equal(access_page(4050 + p, false), 1); /* no row, in the end */
    for (uint32_t p = 9; p < 17; p++)
        assert_int_equal(access_page(4050 + p, false), 0);
    assert_int_equal(streams.doubt[false], 4);
    assert_int_equal(access_page(4050 + 17, false), 1); /* behind those */
    assert_int_equal(streams.doubt[false], 3);
    assert_int_equal(streams.doubt[true], 0);
}

/* Of pages in random order, few are opened that nobody has asked for. */
static void test_random_order(void)
{
    static uint32_t order[PAGES];
    uint64_t x = 88172645463325252u;
    unsigned faults = 0;
    for (uint32_t i = 0; i < PAGES; i++)
        order[i] = i;
    for (uint32_t i = PAGES - 1; i > 0; i--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        uint32_t k = (uint32_t)(x % (i + 1)), p = order[i];
        order[i] = order[k];
        order[k] = p;
    }
    for (uint32_t i = 0; i < 256; i++)
        faults += access_page(order[i], false);
    assert_true(opened(false) - faults < 256 / 8);
}

/* Pages that are open already do not end a stream; and a fault on one that was opened and closed
 * again opens nothing more. */
static void test_holes(void)
{
    int32_t stride;
    assert_int_equal(streams_ahead_next(&streams, 100, false, MOST, &stride), 0);
    assert_int_equal(streams_ahead_next(&streams, 101, false, MOST, &stride), 8);
    assert_int_equal(streams_ahead_next(&streams, 104, false, MOST, &stride), 0);
    assert_int_equal(streams_ahead_next(&streams, 113, false, MOST, &stride),
                     16); /* 110 to 112 were open */
    assert_int_equal(stride, 1);
    assert_int_equal(streams_ahead_next(&streams, 130, false, 4, &stride),
                     4); /* no more than allowed */
}

/* Stores to pages of which one in so many is left out: how many get a home ahead of them. */
static unsigned claimed(uint32_t left_out)
{
    unsigned n = 0;
    memset(&streams, 0, sizeof streams);
    for (uint32_t p = 0; p < 400; p++) {
        int32_t stride;
        uint32_t steps = 0, claims;
        if (p % left_out != left_out - 1)
            steps = streams_ahead_next(&streams, p, true, MOST, &stride);
        claims = steps ? streams_ahead_claims(&streams, p, steps) : 0;
        assert_true(claims <= p / AHEAD_SHARE + 1);
        n += claims;
        p += claims;
    }
    return n;
}

/* [readahead.dense-claims] */
static void test_homes_ahead(void)
{
    assert_in_range(claimed(1000), 200, 400);
    assert_int_equal(claimed(4), 0);
    assert_int_equal(claimed(30), 0);
}

/* [readahead.first-blocks]: blocks of pages that are written in turn, each as large as those before
 * it; elsewhere only the block of the page. No block leaves the space. */
static bool homes[PAGES];

static bool is_home(uint32_t page)
{
    assert_true(page < PAGES);
    return homes[page];
}

static void claim_block(uint32_t page, uint32_t first, uint32_t count)
{
    struct policy_readahead_run run = policy_readahead_block(page, PAGES - 3, is_home);
    assert_int_equal(run.first, first);
    assert_int_equal(run.count, count);
    assert_int_equal(run.claims, count);
    memset(homes + first, true, count);
}

static void test_first_blocks(void)
{
    memset(homes, 0, sizeof homes);
    claim_block(5, 0, 16);
    claim_block(16, 0, 32);
    claim_block(32, 0, 64);
    claim_block(1000, 992, 16);
    claim_block(64, 0, 128);
    claim_block(PAGES - 4, PAGES - 16, 13);
    memset(homes, true, 2048);
    claim_block(2050, 2048, 512);
}

UNIT_MAIN(setup, NULL, TEST(test_grows), TEST(test_backwards_and_strides), TEST(test_columns),
          TEST(test_streams_interleaved), TEST(test_forgets), TEST(test_short_rows),
          TEST(test_random_order), TEST(test_holes), TEST(test_homes_ahead),
          TEST(test_first_blocks))
