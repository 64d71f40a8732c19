/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of hlrc/policy, against tables worked out by hand from their heads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hlrc/policy/policy_update.h"

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
static void test_update_budget(void **state)
{
    static const struct notice notice[] = {
        { 0, false, true, true, false, 0, 0 },  { 1, false, true, true, false, 0, 0 },
        { 2, false, true, true, true, 2, 1 },   { 3, false, true, true, true, 2, 0 },
        { 4, false, true, true, false, 2, 0 },  { 5, false, true, true, true, 4, 3 },
        { 6, false, true, false, false, 4, 3 }, { 7, false, true, true, true, 5, 4 },
    };
    struct policy_update u = { 0 };

    (void)state;
    assert_int_equal(policy_update_first(false), 2);
    assert_int_equal(policy_update_first(true), 4);
    revoke_all(&u, (struct policy_update_limits){ policy_update_first(false), 5 }, notice,
               LENGTH(notice));
}

/* A closed copy that two acquires find unused loses its budget; a second notice of one acquire does
 * not count. */
static void test_update_unused(void **state)
{
    static const struct notice notice[] = {
        { 8, false, true, true, false, 8, 0 },  { 8, true, false, true, false, 8, 0 },
        { 9, true, false, true, false, 8, 0 },  { 9, true, false, true, false, 8, 0 },
        { 10, true, false, true, false, 0, 0 }, { 11, false, true, true, false, 0, 0 },
    };
    struct policy_update u = { .budget = 8, .used = 2 };

    (void)state;
    revoke_all(&u, (struct policy_update_limits){ 2, 32 }, notice, LENGTH(notice));
}

static void test_update_dirty(void **state)
{
    (void)state;
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
static void test_update_habit(void **state)
{
    struct policy_update_habit all[POLICY_UPDATE_OCCASIONS] = { 0 },
                               *h = policy_update_recall(all, 70);

    (void)state;
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

static void test_update_named(void **state)
{
    static const uint32_t list[] = { 5, 6, 7 };
    struct policy_update u = { .left = 3, .pending = true };
    bool named[2] = { false, false };

    (void)state;
    policy_update_named(&u, list, named, 2, 6);
    policy_update_named(&u, list, named, 2, 6); /* by another writer */
    policy_update_named(&u, list, named, 2, 7); /* listed by a notice */
    assert_int_equal(u.left, 2);
    assert_false(named[0]);
    assert_true(named[1]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_update_budget), cmocka_unit_test(test_update_unused),
        cmocka_unit_test(test_update_dirty),  cmocka_unit_test(test_update_habit),
        cmocka_unit_test(test_update_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
