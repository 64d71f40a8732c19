/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of hlrc/policy, against tables worked out by hand from their heads. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hlrc/policy/policy_batch.h"
#include "hlrc/policy/policy_gather.h"
#include "hlrc/policy/policy_history.h"
#include "hlrc/policy/policy_lock.h"
#include "hlrc/policy/policy_migrate.h"
#include "hlrc/policy/policy_notices.h"
#include "hlrc/policy/policy_placement.h"
#include "hlrc/policy/policy_readahead.h"
#include "hlrc/policy/policy_retain.h"
#include "hlrc/policy/policy_update.h"
#include "tests/unit/unit.h"

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

/* ---- update ---- */

/* A notice, and whether the copy is updated; then its budget, and what is left of it. */
struct notice {
    uint8_t acquire;
    bool stale, open, allowed, updated;
    uint8_t budget, left;
};

static void revoke_all(struct policy_update *u, struct policy_update_limits limits,
                       const struct notice *notice, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct notice *n = &notice[i];
        assert_int_equal(policy_update_revoke(u, limits, n->acquire, n->stale, n->open, n->allowed),
                         n->updated);
        assert_int_equal(u->budget, n->budget);
        assert_int_equal(u->left, n->left);
        assert_int_equal(u->pending, n->updated);
        u->pending = false; /* fetched */
    }
}

/* Two probes that find the copy used give the first budget; each further one doubles it. */
static void test_update_budget(void)
{
    static const struct notice notice[] = {
        { 0, false, true, true, false, 0, 0 },  { 1, false, true, true, false, 0, 0 },
        { 2, false, true, true, true, 2, 1 },   { 3, false, true, true, true, 2, 0 },
        { 4, false, true, true, false, 2, 0 },  { 5, false, true, true, true, 4, 3 },
        { 6, false, true, false, false, 4, 3 }, { 7, false, true, true, true, 5, 4 },
    };
    struct policy_update u = { 0 };

    assert_int_equal(policy_update_first(false), 2);
    assert_int_equal(policy_update_first(true), 4);
    revoke_all(&u, (struct policy_update_limits){ policy_update_first(false), 5 }, notice,
               LENGTH(notice));
}

/* A closed copy that two acquires find unused loses its budget; a second notice of one acquire does
 * not count. */
static void test_update_unused(void)
{
    static const struct notice notice[] = {
        { 8, false, true, true, false, 8, 0 },  { 8, true, false, true, false, 8, 0 },
        { 9, true, false, true, false, 8, 0 },  { 9, true, false, true, false, 8, 0 },
        { 10, true, false, true, false, 0, 0 }, { 11, false, true, true, false, 0, 0 },
    };
    struct policy_update u = { .budget = 8, .used = 2 };

    revoke_all(&u, (struct policy_update_limits){ 2, 32 }, notice, LENGTH(notice));
}

static void test_update_dirty(void)
{
    assert_true(policy_update_may_wait(false, false));
    assert_true(policy_update_may_wait(true, true));
    assert_false(policy_update_may_wait(true, false));
}

static void assert_habit(const struct policy_update_habit *h, const uint32_t *page, uint32_t pages)
{
    assert_int_equal(h->pages, pages);
    for (uint32_t i = 0; i < pages; i++)
        assert_int_equal(h->page[i], page[i]);
}

/* A page is expected no more after two acquires in a row that no notice named it. */
static void test_update_habit(void)
{
    struct policy_update_habit all[POLICY_UPDATE_OCCASIONS] = { 0 },
                               *h = policy_update_recall(all, 70);

    assert_ptr_equal(h, &all[6]);
    policy_update_learn(h, 11, false);
    policy_update_learn(h, 12, true); /* unknown: not learnt */
    policy_update_learn(h, 13, false);
    assert_habit(h, (uint32_t[]){ 11, 13 }, 2);
    policy_update_learn(h, 11, true);
    policy_update_learn(h, 11, false);
    policy_update_learn(h, 11, true);
    assert_habit(h, (uint32_t[]){ 11, 13 }, 2);
    policy_update_learn(h, 11, true);
    assert_habit(h, (uint32_t[]){ 13 }, 1);
    for (uint32_t page = 20; page < 40; page++)
        policy_update_learn(h, page, false);
    assert_int_equal(h->pages, 16);
    assert_ptr_equal(policy_update_recall(all, 70), h);
    assert_int_equal(h->pages, 16);
    assert_ptr_equal(policy_update_recall(all, 6), h);
    assert_habit(h, NULL, 0);
}

static void test_update_named(void)
{
    static const uint32_t list[] = { 5, 6, 7 };
    struct policy_update u = { .left = 3, .pending = true };
    bool named[2] = { false, false };

    policy_update_named(&u, list, named, 2, 6);
    policy_update_named(&u, list, named, 2, 6); /* by another writer */
    policy_update_named(&u, list, named, 2, 7); /* listed by a notice */
    assert_int_equal(u.left, 2);
    assert_false(named[0]);
    assert_true(named[1]);
}

/* ---- migrate ---- */

static void test_migrate_cost(void)
{
    static const struct {
        uint32_t bytes, units;
    } cost[] = { { 0, 1 }, { 255, 1 }, { 256, 2 }, { 4096, 17 } };

    for (size_t i = 0; i < LENGTH(cost); i++)
        assert_int_equal(policy_migrate_cost(cost[i].bytes), cost[i].units);
}

/* Diffs of a page whose home is node 0, each of 17 units: the second in a row of one writer makes
 * the page wanted, and more after each try. */
static void test_migrate_wanted(void)
{
    static const struct {
        unsigned writer;
        bool unshared, wanted;
    } diff[] = {
        { 1, false, false }, { 1, false, true },                       /* 34 */
        { 1, false, false }, { 2, false, false }, { 1, false, false }, /* another writer */
        { 1, true, false },  { 0, false, false }, { 1, false, false }, /* the home */
        { 1, false, true },
    };
    static const unsigned after[] = { 2, 4, 8 }; /* tries */
    struct policy_migrate m = { 0 };

    for (size_t i = 0; i < LENGTH(diff); i++) {
        bool counts = policy_migrate_wrote(&m, diff[i].writer, 0, diff[i].unshared);
        assert_int_equal(counts, diff[i].writer != 0);
        assert_int_equal(counts && policy_migrate_add(&m, 17), diff[i].wanted);
        m.noted = false;
    }
    for (unsigned try = 0; try < 3; try++) {
        unsigned diffs = 1;
        while (policy_migrate_wrote(&m, 1, 0, false) && !policy_migrate_add(&m, 17))
            diffs++;
        assert_int_equal(diffs, after[try]);
        policy_migrate_moved(&m);
    }
    assert_false(policy_migrate_wrote(&m, 1, 0, false)); /* three tries */
}

static void test_migrate_noted_once(void)
{
    struct policy_migrate m = { 0 };

    assert_true(policy_migrate_add(&m, 34));
    assert_false(policy_migrate_add(&m, 34));
    assert_true(m.noted);
}

static void test_migrate_judge(void)
{
    struct policy_migrate m = { .writer = 3, .noted = 1 };

    assert_int_equal(policy_migrate_judge(&m, 3, true), POLICY_MIGRATE_UNWATCHED);
    assert_int_equal(policy_migrate_judge(&m, 3, true),
                     POLICY_MIGRATE_DROPPED); /* no longer noted */
    m.noted = m.watched = 1;
    assert_int_equal(policy_migrate_judge(&m, 3, true), POLICY_MIGRATE_RIPE);
    m.noted = 1;
    assert_int_equal(policy_migrate_judge(&m, 2, true), POLICY_MIGRATE_DROPPED);
    m.noted = 1;
    assert_int_equal(policy_migrate_judge(&m, 3, false), POLICY_MIGRATE_DROPPED);
}

static void test_migrate_report(void)
{
    static const uint32_t units[] = { 0, 0, 9, 0, 0, 9, 17 };
    static const uint32_t bytes[] = { 512, 512, 512, 512, 512, 512, 4096 };
    struct policy_migrate m = { 0 };

    for (size_t i = 0; i < LENGTH(units); i++)
        assert_int_equal(policy_migrate_report(&m, bytes[i]), units[i]);
}

static void test_migrate_batch(void)
{
    assert_int_equal(policy_migrate_more(64), 1024);
    assert_int_equal(policy_migrate_more(1024), 4096);
    assert_int_equal(policy_migrate_less(1024), 512);
    assert_int_equal(policy_migrate_less(100), 64);
    assert_int_equal(policy_migrate_watch(64, 10), 10);
    assert_int_equal(policy_migrate_watch(64, 100), 64);
    assert_int_equal(policy_migrate_watch(64, 1000), 500);
}

/* ---- retain ---- */

/* Flushes of one page, with --hot-pages 4: whether it retains the page, and whether the page has
 * changed; then its budget. */
static void test_retain_budget(void)
{
    static const struct {
        bool stays, changed;
        uint8_t budget;
    } flush[] = {
        { false, true, 1 }, /* the first */
        { true, true, 2 },  { true, true, 4 },   { true, true, 4 },
        { true, false, 4 }, { true, false, 4 },  { true, false, 4 },
        { true, false, 4 }, { false, false, 2 }, /* write-protected */
        { false, true, 4 },                      /* stored to again */
    };
    struct policy_retain r = { 0 };

    for (size_t i = 0; i < LENGTH(flush); i++) {
        bool kept = policy_retain_stays(r);
        assert_int_equal(kept, flush[i].stays);
        policy_retain_learn(&r, flush[i].changed, kept, 4);
        assert_int_equal(r.budget, flush[i].budget);
    }
    policy_retain_forget(&r);
    assert_false(policy_retain_stays(r));
}

/* A load opens a retained page for stores after two stores in a row have followed a load; not after
 * one that no store has followed. */
static void test_retain_follows(void)
{
    struct policy_retain r = { .budget = 2 };
    unsigned stores = 0;

    for (int interval = 0; interval < 3; interval++) {
        assert_int_equal(policy_retain_follows(r, stores), interval >= 2);
        stores = policy_retain_judge(&r, policy_retain_opened(stores, true), true);
    }
    stores = policy_retain_judge(&r, policy_retain_opened(stores, false), true);
    assert_true(policy_retain_follows(r, stores));
    stores = policy_retain_judge(&r, policy_retain_opened(stores, false), false);
    assert_int_equal(stores, 0);
    assert_false(policy_retain_stays(r)); /* the next flush write-protects it */
    policy_retain_stored(&r);
    assert_true(policy_retain_stays(r));
}

/* ---- history ---- */

static void test_history_turns(void)
{
    assert_int_equal(policy_history_turn(0), 1);
    assert_int_equal(policy_history_turn(254), 255);
    assert_int_equal(policy_history_turn(255), 1);
    assert_int_equal(policy_history_opened(0, 7), 0x0007);
    assert_int_equal(policy_history_opened(0x0007, 7), 0x0007);
    assert_int_equal(policy_history_opened(0x0307, 9), 0x0709);
    assert_false(policy_history_opens(0x0007, 9)); /* opened once */
    assert_true(policy_history_opens(0x0307, 9));
    assert_false(policy_history_opens(0x0307, 7)); /* the same turn */
}

/* Of 64 pages, those with the turns 0x0203, except the two left out in turn 5: 2 and 17. */
static void test_history_group(void)
{
    static const struct {
        uint32_t at, count;
    } runs[] = { { 0, 2 }, { 8, 9 }, { 18, 46 } };
    uint16_t turns[POLICY_HISTORY_BLOCK];
    uint64_t group, all = ~UINT64_C(0);
    uint32_t at = 0;

    for (uint32_t i = 0; i < POLICY_HISTORY_BLOCK; i++)
        turns[i] = i >= 3 && i < 8 ? 0x0103 : 0x0203;
    group = policy_history_group(turns, 128, POLICY_HISTORY_BLOCK, 0x0203, 5);
    for (size_t i = 0; i < LENGTH(runs); i++) {
        assert_int_equal(policy_history_run(&group, &at), runs[i].count);
        assert_int_equal(at, runs[i].at);
    }
    assert_int_equal(policy_history_run(&group, &at), 0);
    assert_int_equal(policy_history_run(&all, &at), 64);
    assert_int_equal(all, 0);
    assert_int_equal(policy_history_group(turns, 128, 2, 0x0203, 5), 3);
}

/* ---- readahead ---- */

static void test_readahead_within(void)
{
    static const struct {
        uint32_t page, steps;
        int32_t stride;
        uint32_t within;
    } table[] = { { 90, 8, 1, 8 }, { 95, 8, 1, 4 }, { 99, 8, 1, 0 },
                  { 5, 8, -1, 5 }, { 90, 8, 3, 3 }, { 10, 8, -4, 2 } };

    for (size_t i = 0; i < LENGTH(table); i++)
        assert_int_equal(policy_readahead_within(100, table[i].page, table[i].steps,
                                                 table[i].stride),
                         table[i].within);
}

/* Stores to 70 pages in a row: then the next pages without a home are claimed, an eighth of the
 * length of the stream. */
static void test_readahead_run(void)
{
    struct streams_table s = { 0 };
    struct policy_readahead_run run;
    int32_t stride = 0;
    uint32_t steps = 0;

    for (uint32_t page = 100; page < 170; page++)
        steps = streams_ahead_next(&s, page, true, 0, &stride);
    assert_int_equal(steps, 0);
    steps = streams_ahead_next(&s, 170, true, 32, &stride);
    assert_int_equal(steps, 8);
    run = policy_readahead_run(&s, 170, steps, 1, false);
    assert_int_equal(run.first, 171);
    assert_int_equal(run.count, 8);
    assert_int_equal(run.claims, 0);
    run = policy_readahead_run(&s, 170, 32, 1, true);
    assert_int_equal(run.count, 8); /* 71 / 8 */
    assert_int_equal(run.claims, 8);
    run = policy_readahead_run(&s, 50, 6, -1, false);
    assert_int_equal(run.first, 44);
    assert_int_equal(run.count, 6);
}

/* ---- lock ---- */

static void test_lock_bias(void)
{
    static const struct {
        bool stays_here, requested, listed;
        uint8_t stays, lazy_release;
        bool unpublished;
    } table[] = {
        { false, false, false, 8, 8, true },  { false, false, false, 7, 8, false },
        { false, true, false, 8, 8, false },  { false, false, true, 8, 8, false },
        { false, false, false, 8, 0, false }, { true, true, true, 0, 8, true },
        { true, false, false, 8, 0, false },
    };

    for (size_t i = 0; i < LENGTH(table); i++)
        assert_int_equal(policy_lock_unpublished(table[i].stays_here, table[i].requested,
                                                 table[i].listed, table[i].stays,
                                                 table[i].lazy_release),
                         table[i].unpublished);
    assert_int_equal(policy_lock_stayed(0), 1);
    assert_int_equal(policy_lock_stayed(255), 255);
    assert_int_equal(policy_lock_manager(11, 4), 3);
}

static void test_lock_order(void)
{
    assert_false(policy_lock_stays_here(false, false, 0));
    assert_true(policy_lock_stays_here(true, false, 200));
    assert_true(policy_lock_stays_here(true, true, 7));
    assert_false(policy_lock_stays_here(true, true, 8));
    assert_true(policy_lock_yields(true, false, 64));
    assert_false(policy_lock_yields(true, false, 63));
    assert_false(policy_lock_yields(true, true, 64));
    assert_false(policy_lock_yields(false, false, 64));
}

/* ---- batch ---- */

static void test_batch(void)
{
    assert_int_equal(policy_batch_size(9), 24);
    assert_int_equal(policy_batch_size(4612), 4624);
    assert_true(policy_batch_fits(3532)); /* 8176 - 8 - 4612 - 8 - 16 */
    assert_false(policy_batch_fits(3533));
}

/* ---- notices ---- */

static void test_notices(void)
{
    static const uint32_t pages[] = { 3, 4, 5, 7, 9, 10 };

    assert_int_equal(policy_notices_runs(pages, 6), 3);
    assert_int_equal(policy_notices_runs(pages, 0), 0);
    assert_true(policy_notices_recorded(2047));
    assert_false(policy_notices_recorded(2048));
    assert_int_equal(policy_notices_words(0, false), 32);
    assert_int_equal(policy_notices_words(0, true), 512);
    assert_int_equal(policy_notices_words(4090, true), 6);
}

/* ---- gather ---- */

/* Seven nodes in groups of three: 0 to 2, 3 to 5, 6; then these three groups. */
static void test_gather(void)
{
    static const struct policy_gather want[7][2] = {
        { { 0, 3, 0, 0 }, { 3, 3, 0, 0 } }, { { 0, 3, 1, 0 }, { 3, 3, 0, 0 } },
        { { 0, 3, 2, 0 }, { 3, 3, 0, 0 } }, { { 1, 3, 0, 3 }, { 3, 3, 1, 0 } },
        { { 1, 3, 1, 3 }, { 3, 3, 1, 0 } }, { { 1, 3, 2, 3 }, { 3, 3, 1, 0 } },
        { { 2, 1, 0, 6 }, { 3, 3, 2, 0 } },
    };
    struct policy_gather g;

    for (uint32_t node = 0; node < 7; node++) {
        struct policy_gather_climb c = policy_gather_begin(node, 7, 3);
        for (int level = 0; level < 2; level++) {
            assert_true(policy_gather_next(&c, &g));
            assert_memory_equal(&g, &want[node][level], sizeof g);
        }
        assert_false(policy_gather_next(&c, &g));
    }
}

/* The last of twelve nodes, in pairs. */
static void test_gather_pairs(void)
{
    static const struct policy_gather want[] = {
        { 5, 2, 1, 10 }, { 8, 2, 1, 8 }, { 10, 1, 0, 8 }, { 11, 2, 1, 0 }
    };
    struct policy_gather_climb c = policy_gather_begin(11, 12, 2);
    struct policy_gather g;

    for (size_t level = 0; level < LENGTH(want); level++) {
        assert_true(policy_gather_next(&c, &g));
        assert_memory_equal(&g, &want[level], sizeof g);
    }
    assert_false(policy_gather_next(&c, &g));
}

/* ---- placement ---- */

static void test_placement(void)
{
    static const struct policy_placement p = { .heap_pages = 1000,
                                               .near = 100,
                                               .near_pages = 200,
                                               .near_shift = 2,
                                               .far_shift = 5,
                                               .range_shift = 0 };
    static const struct {
        uint32_t page, home;
    } table[] = {
        { 99, 0 }, { 100, 1 }, { 104, 2 }, { 299, 2 }, { 300, 0 }, { 999, 1 }, { 1000, 1 }
    };

    for (size_t i = 0; i < LENGTH(table); i++)
        assert_int_equal(policy_placement_home(p, table[i].page, 3), table[i].home);
}

UNIT_MAIN(NULL, NULL, TEST(test_update_budget), TEST(test_update_unused), TEST(test_update_dirty),
          TEST(test_update_habit), TEST(test_update_named), TEST(test_migrate_cost),
          TEST(test_migrate_wanted), TEST(test_migrate_noted_once), TEST(test_migrate_judge),
          TEST(test_migrate_report), TEST(test_migrate_batch), TEST(test_retain_budget),
          TEST(test_retain_follows), TEST(test_history_turns), TEST(test_history_group),
          TEST(test_readahead_within), TEST(test_readahead_run), TEST(test_lock_bias),
          TEST(test_lock_order), TEST(test_batch), TEST(test_notices), TEST(test_gather),
          TEST(test_gather_pairs), TEST(test_placement))
