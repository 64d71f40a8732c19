/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The queues of copies (hlrc/memory/copies.h), with an array for the pages and no memory behind
 * them. What is evicted, and in which order, is compared with the order in which the test has added
 * the pages. The invariants are there. This is node 0; node 1 is home.
 */
#include "hlrc/memory/copies.h"
#include "base/headroom.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/page_view.h"
#include "tests/unit/rng.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#define PAGES 4000u

static struct page pages[PAGES];
static uint32_t evicted[4 * PAGES], evictions; /* in this order, within a batch ascending */
static bool kernel_refuses;                    /* changes of protection */
static bool memory_stays;                      /* what is released, as on some networks */
static unsigned mended, closings;

/* ---- what lies beside ---- */

struct page *__wrap_page_at(uint32_t page);
struct page *__wrap_page_at(uint32_t page)
{
    assert_true(page < PAGES);
    return &pages[page];
}

struct page *__wrap_page_lock(uint32_t page);
struct page *__wrap_page_lock(uint32_t page)
{
    assert_true(page < PAGES);
    assert_int_equal(pages[page].lock, 0);
    pages[page].lock = 1;
    return &pages[page];
}

void __wrap_page_unlock(struct page *p);
void __wrap_page_unlock(struct page *p)
{
    assert_int_equal(p->lock, 1);
    p->lock = 0;
}

bool __wrap_page_held(uint32_t page);
bool __wrap_page_held(uint32_t page)
{
    (void)page;
    return false;
}

int __wrap_page_view_change_marked(uint32_t first, uint32_t count, const bool *marked,
                                   enum protocol_access right);
int __wrap_page_view_change_marked(uint32_t first, uint32_t count, const bool *marked,
                                   enum protocol_access right)
{
    if (kernel_refuses)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        if (marked[i])
            pages[first + i].access = right;
    return 0;
}

void __wrap_page_view_mend(uint32_t first, uint32_t count);
void __wrap_page_view_mend(uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pages[first + i].lock, 0);
        pages[first + i].access = ACCESS_NONE;
    }
    mended++;
}

void __wrap_progress_changed(const void *what);
void __wrap_progress_changed(const void *what)
{
    (void)what;
}

struct headroom __wrap_headroom_now(void);
struct headroom __wrap_headroom_now(void)
{
    return (struct headroom){ INT64_MAX, INT64_MAX };
}

/* [copies.evict-clean] */
static bool release(struct fabric *f, int win, size_t off, size_t len)
{
    (void)f, (void)win;
    for (size_t page = off / PAGE_SIZE; page < (off + len) / PAGE_SIZE; page++) {
        assert_true((pages[page].flags & (PAGE_BUSY | PAGE_DIRTY)) == PAGE_BUSY);
        assert_int_equal(pages[page].access, ACCESS_NONE);
        assert_int_equal(pages[page].home, 2);
        evicted[evictions++] = (uint32_t)page;
    }
    return !memory_stays;
}

static void close_interval(void)
{
    closings++;
    for (uint32_t p = 0; p < PAGES; p++)
        pages[p].flags &= (uint8_t)~PAGE_DIRTY;
}

/* ---- the pages ---- */

/* With room for so many copies. */
static void begin(uint32_t most)
{
    static struct fabric fabric;
    fabric.ops.window_release = release;
    engine.fabric = &fabric;
    engine.node = 0;
    engine.nodes = 2;
    engine.neighbours = 1;
    engine.pages = PAGES;
    engine.config.cache_size = (uint64_t)most * PAGE_SIZE;
    memset(pages, 0, sizeof pages);
    for (uint32_t p = 0; p < PAGES; p++)
        pages[p].home = 2;
    evictions = mended = closings = 0;
    kernel_refuses = memory_stays = false;
    assert_int_equal(copies_init(), 0);
    copies_on_crowd(close_interval);
}

static void end(void)
{
    copies_end();
}

/* The page is fetched, and open or not afterwards. */
static void add(uint32_t page, enum protocol_access access)
{
    struct page *p = __wrap_page_lock(page);
    p->flags &= (uint8_t)~PAGE_STALE;
    p->access = access;
    copies_add(page, p);
    __wrap_page_unlock(p);
}

static uint32_t queued(void)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < PAGES; p++)
        n += pages[p].copy != 0;
    return n;
}

/* None is BUSY or locked; what is gone is stale and in no queue, and there are as many in the
 * queues as the pages say. */
static void check(uint32_t most)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        assert_int_equal(pages[i].lock, 0);
        assert_false(pages[i].flags & PAGE_BUSY);
        assert_false(pages[i].copy && (pages[i].flags & PAGE_STALE));
    }
    assert_true(copies_over() == (queued() > most));
}

/* A page other than all that were used so far; a permutation, no two neighbours. */

static uint32_t scattered(uint32_t k)
{
    return k * 1999 % PAGES;
}

/* What was evicted is the first part of `order`, of n pages. Those that go together from one queue
 * or the other do so by address, so a page may be less than `near` places away. */
static void check_order(const uint32_t *order, uint32_t n, uint32_t near)
{
    assert_true(evictions <= n);
    for (uint32_t i = 0; i < evictions; i++) {
        uint32_t at = i < near ? 0 : i - near + 1;
        while (at < n && at < i + near && order[at] != evicted[i])
            at++;
        assert_true(at < n && at < i + near);
    }
}

/* ---- the tests ---- */

/* Pages that no thread uses go in the order in which they came, and none stays over. */
static void first_in_first_out(void)
{
    static const uint32_t mosts[] = { 1, 2, 3, 4, 7, 8, 9, 16, 17, 100, 600 };
    static uint32_t order[PAGES];
    for (size_t k = 0; k < sizeof mosts / sizeof mosts[0]; k++) {
        uint32_t most = mosts[k];
        begin(most);
        for (uint32_t i = 0; i < PAGES; i++) {
            add(order[i] = scattered(i), i % 3 ? ACCESS_READ : ACCESS_NONE);
            copies_trim();
            if (i % 8 > 1)
                continue;
            check(most);
            assert_true(queued() <= most);
            assert_int_equal(queued() + evictions, i + 1);
        }
        check_order(order, PAGES, 2 * 65);
        if (most < 8)
            assert_memory_equal(evicted, order, evictions * sizeof order[0]);
        assert_int_equal(closings, 0);
        end();
    }
}

/* The queues have nothing, one page, or two, become empty, and are used again. */
static void empty_and_single(void)
{
    begin(1);
    copies_trim();
    check(1);
    for (uint32_t i = 0; i < 50; i++) {
        add(3 * i, ACCESS_NONE);
        copies_trim();
        assert_int_equal(queued(), 1);
        assert_int_equal(evictions, i);
        assert_true(i == 0 || evicted[i - 1] == 3 * (i - 1));
        check(1);
    }
    end();
    /* with room for none all go, so that each queue is empty again and again */
    begin(1);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t n = 1 + i % 3;
        for (uint32_t k = 0; k < n; k++) {
            add(10 * i % 3000 + 3 * k, ACCESS_READ);
            pages[10 * i % 3000 + 3 * k].home = i % 2 ? 1 : 2; /* its home has come here */
        }
        copies_trim();
        check(1);
        for (uint32_t k = 0; k < n; k++)
            pages[10 * i % 3000 + 3 * k].home = 2;
    }
    end();
}

/* Pages that are in use, or of which the home is here by now, stand at the begin of the queue, in
 * its middle, and at its end: the others go, in order, and each that was kept goes later. */
static void removed_from_the_middle(void)
{
    uint32_t order[200];
    for (uint32_t which = 0; which < 64; which++) {
        for (int here = 0; here < 2; here++) {
            const uint32_t most = 40;
            uint32_t n = 0, gone;
            begin(most);
            for (uint32_t i = 0; i < most; i++)
                add(scattered(i), ACCESS_NONE);
            for (uint32_t i = 0; i < most; i++) {
                bool apart = i == which || i == which / 2 || (which > 50 && i % (which - 48) == 0);
                if (!apart)
                    order[n++] = scattered(i);
                else if (here)
                    pages[scattered(i)].home = 1;
                else
                    pages[scattered(i)].flags |= PAGE_DIRTY;
            }
            uint32_t next = most;
            for (gone = n; evictions < gone && next < 3 * most;) {
                add(order[n++] = scattered(next++), ACCESS_NONE);
                copies_trim();
                check(most);
            }
            assert_true(evictions >= gone);
            check_order(order, n, 11);
            /* those that were in use go when they are not any more, and no page is forgotten */
            for (uint32_t i = 0; i < most; i++)
                pages[scattered(i)].flags &= (uint8_t)~PAGE_DIRTY;
            for (uint32_t i = 0; i < 4 * most; i++) {
                add(scattered(next++), ACCESS_NONE);
                copies_trim();
                check(most);
            }
            for (uint32_t i = 0; i < most; i++)
                assert_int_equal(pages[scattered(i)].copy, 0);
            end();
        }
    }
}

/* A page that was closed when it came to the end of the first queue, and is open again at the end
 * of the second one, is used: it stays, after all others. */
static void used_again(void)
{
    const uint32_t most = 1500, used = scattered(200);
    begin(most);
    for (uint32_t i = 0; i < 2 * PAGES; i++) {
        if (scattered(i) != used || i == 200)
            add(scattered(i), ACCESS_READ);
        copies_trim();
        if (i % 50 == 0)
            check(most);
        if (i >= 200 && pages[used].access == ACCESS_NONE)
            pages[used].access = ACCESS_READ; /* a fault that fetches nothing */
    }
    assert_int_not_equal(pages[used].copy, 0);
    for (uint32_t i = 0; i < evictions; i++)
        assert_int_not_equal(evicted[i], used);
    for (uint32_t i = 0; i < 2 * most; i++) { /* and is not used any more */
        if (scattered(i) != used)
            add(scattered(i), ACCESS_READ);
        copies_trim();
    }
    assert_int_equal(pages[used].copy, 0);
    end();
}

/* [copies.flush-early]: where all is dirty an interval is closed, and they go. */
static void all_dirty(void)
{
    const uint32_t most = 16;
    begin(most);
    for (uint32_t i = 0; i < 10 * most; i++) {
        add(scattered(i), ACCESS_WRITE);
        pages[scattered(i)].flags |= PAGE_DIRTY;
        copies_trim();
        check(most);
        assert_true(queued() <= most);
    }
    assert_true(closings > 0 && evictions >= 9 * most);
    end();
}

/* What the kernel refuses to close stays in its queue, and goes when the kernel has room again. */
static void kernel_has_no_room(void)
{
    const uint32_t most = 16;
    begin(most);
    for (uint32_t i = 0; i < 3 * most; i++) {
        kernel_refuses = i % 4 == 0;
        add(i, ACCESS_READ); /* neighbours: runs */
        copies_trim();
        check(most);
        assert_int_equal(queued() + evictions, i + 1);
    }
    assert_true(mended > 0);
    kernel_refuses = false;
    for (uint32_t i = 0; i < 8 * most; i++) {
        add(1000 + scattered(i) / 2, ACCESS_READ);
        copies_trim();
    }
    for (uint32_t i = 0; i < 3 * most; i++)
        assert_int_equal(pages[i].copy, 0);
    end();
}

/* Memory that cannot be released is as it was: the page is valid, in no queue, and may be added
 * again. */
static void memory_that_stays(void)
{
    const uint32_t most = 16;
    begin(most);
    memory_stays = true;
    for (uint32_t i = 0; i < 3 * most; i++) {
        add(i, ACCESS_NONE);
        copies_trim();
        check(most);
        assert_false(pages[i].flags & PAGE_STALE);
    }
    memory_stays = false;
    for (uint32_t i = 0; i < 3 * most; i++) {
        add(i, ACCESS_NONE);
        copies_trim();
        check(most);
    }
    assert_true(queued() <= most);
    end();
}

/* Anything, in any order. In the end a flood of other pages drives out all that came before it: no
 * page is in a queue's books only. */
static void anything(void)
{
    for (uint32_t round = 0; round < 60; round++) {
        rng_state = round;
        const uint32_t most = 1 + rng(80), some = 1 + rng(1500);
        begin(most);
        for (uint32_t i = 0; i < 1500; i++) {
            uint32_t page = rng(some);
            struct page *p = &pages[page];
            kernel_refuses = rng(10) == 0;
            switch (rng(8)) {
            case 0:
                p->home = p->copy && rng(2) ? 1 : 2;
                p->flags &= (uint8_t)~PAGE_DIRTY;
                break;
            case 1:
                p->flags ^= p->copy && p->home == 2 && rng(2) ? PAGE_DIRTY : 0;
                break;
            case 2:
                if (p->copy)
                    p->access = ACCESS_READ;
                break;
            default:
                if (p->home == 2)
                    add(page, rng(3) ? ACCESS_READ : ACCESS_NONE);
            }
            if (rng(4))
                copies_trim();
            assert_true(copies_over() == (queued() > most));
        }
        kernel_refuses = false;
        for (uint32_t p = 0; p < some; p++) {
            pages[p].home = 2;
            pages[p].flags &= (uint8_t)~PAGE_DIRTY;
        }
        for (uint32_t i = 0; i < 4 * most + some; i++) {
            add(1500 + i % (PAGES - 1500), ACCESS_READ);
            copies_trim();
            copies_trim();
        }
        check(most);
        assert_true(queued() <= most);
        for (uint32_t p = 0; p < some; p++)
            assert_int_equal(pages[p].copy, 0);
        end();
    }
}

UNIT_MAIN(NULL, NULL, TEST(first_in_first_out), TEST(empty_and_single),
          TEST(removed_from_the_middle), TEST(used_again), TEST(all_dirty),
          TEST(kernel_has_no_room), TEST(memory_that_stays), TEST(anything))
