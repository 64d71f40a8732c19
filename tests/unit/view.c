/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the application's view allows at start, without a view: space_protect writes into a table,
 * one entry for each page, which is compared with what the protocol says of each page by itself.
 * A page is readable where its default home is. Default homes change from block to block, and
 * blocks have two lengths (hlrc/core/engine.h).
 */
#include "hlrc/core/engine.h"
#include "hlrc/memory/default_home.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/memory/space.h"
#include "tests/unit/unit.h"

#include <string.h>

#define MOST (5 * HOME_NEAR)

static unsigned char allowed[MOST];
static unsigned calls;

static enum protocol_access initial(uint32_t page)
{
    return default_home_of(page) == engine.node ? ACCESS_READ : ACCESS_NONE;
}

/* as ASYNC */
static enum protocol_access alone(uint32_t page)
{
    return default_home_of(page) == engine.node ? ACCESS_WRITE : ACCESS_NONE;
}

static struct protocol_pages scripted = { .initial = initial };

int __wrap_space_protect(uint32_t first, uint32_t count, enum protocol_access right);
int __wrap_space_protect(uint32_t first, uint32_t count, enum protocol_access right)
{
    assert_true(count > 0 && first < engine.pages && count <= engine.pages - first);
    memset(allowed + first, (int)right, count);
    calls++;
    return 0;
}

static void space(uint32_t pages, uint32_t home_shift, uint32_t near, uint32_t far_shift)
{
    engine.protocol.pages = &scripted;
    engine.pages = pages;
    engine.home_shift = home_shift;
    engine.home_near = near;
    engine.far_shift = far_shift;
    memset(allowed, ACCESS_NONE, sizeof allowed);
    calls = 0;
}

/* Every page, whichever node this is; blocks of more nodes than one are never in one call. */
static void check(uint32_t pages, uint32_t home_shift, uint32_t near, uint32_t far_shift)
{
    for (engine.nodes = 2; engine.nodes <= 5; engine.nodes += 3)
        for (engine.node = 0; engine.node < engine.nodes; engine.node++) {
            uint32_t runs = 0;
            space(pages, home_shift, near, far_shift);
            assert_int_equal(page_init(), 0);
            for (uint32_t p = 0; p < pages; p++) {
                assert_int_equal(allowed[p], initial(p));
                runs += initial(p) == ACCESS_READ && (p == 0 || initial(p - 1) == ACCESS_NONE);
            }
            assert_int_equal(calls, runs);
            page_end();
        }
}

static void one_length(void)
{
    check(1, 0, 0, 0);
    check(1000, 0, 900, 0);
    check(HOME_NEAR, 5, 4096, 5);
}

static void two_lengths(void)
{
    check(2 * HOME_NEAR + 77, 5, 4096, 8);
    check(3 * HOME_NEAR, 5, 12352, 11);             /* amid a block */
    check(5 * HOME_NEAR - 1, 5, 4 * HOME_NEAR, 10); /* at the end */
    check(HOME_NEAR + 1, 5, HOME_NEAR + 1 - 32, 5);
}

/* From anywhere in a block to anywhere in another one. */
static void again(void)
{
    engine.nodes = 3;
    engine.node = 1;
    space(3 * HOME_NEAR, 5, 12352, 11);
    assert_int_equal(page_init(), 0);
    for (uint32_t first = 3; first + 5000 < engine.pages; first += 4099) {
        memset(allowed, ACCESS_NONE, sizeof allowed);
        for (uint32_t p = first; p < first + 4500; p++) {
            page_lock(p)->access = ACCESS_NONE;
            page_unlock(page_at(p));
        }
        page_view_reset(first, 4500);
        for (uint32_t p = 0; p < engine.pages; p++)
            assert_int_equal(allowed[p], p - first < 4500 ? initial(p) : ACCESS_NONE);
    }
    page_end();
}

/* [page.unshared-block]: what may be written unseen is closed at first. */
static void opened_when_touched(void)
{
    engine.nodes = 2;
    engine.node = 0;
    space(HOME_NEAR, 5, 4096, 5);
    scripted.initial = alone;
    assert_int_equal(page_init(), 0);
    assert_int_equal(calls, 0);
    for (uint32_t p = 0; p < 64; p++) {
        const struct page *page = page_lock(p);
        assert_int_equal(page->access, ACCESS_NONE);
        assert_int_equal(!!(page->flags & PAGE_EXCLUSIVE), p < 32);
        page_unlock(page_at(p));
    }
    (void)page_access(20, true);
    for (uint32_t p = 0; p < 64; p++)
        assert_int_equal(allowed[p], p < 32 ? ACCESS_WRITE : ACCESS_NONE);
    assert_int_equal(calls, 1);
    page_end();
    scripted.initial = initial;
}

/* What a collapse looks through: up to the highest page that was used, and no further. */
static void met(void)
{
    engine.nodes = 2;
    engine.node = 0;
    space(HOME_NEAR, 5, 4096, 5);
    assert_int_equal(page_init(), 0);
    assert_int_equal(page_met(), 0);
    page_unlock(page_lock(700));
    page_unlock(page_lock(20));
    assert_int_equal(page_met(), 701);
    page_unlock(page_lock_unmet(900));
    assert_int_equal(page_met(), 701);
    page_unlock(page_lock(900));
    assert_int_equal(page_met(), 901);
    page_end();
}

UNIT_MAIN(NULL, NULL, TEST(one_length), TEST(two_lengths), TEST(again), TEST(opened_when_touched),
          TEST(met))
