/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cache of an atomic unit, by an example worked out by hand: sim/nic_cache.h. */
#include "sim/nic_cache.h"
#include "tests/sim/harness.h"

#define WORD(n) ((uint64_t)(n)*8)

static struct nic_cache cache;

static bool has(unsigned word)
{
    for (unsigned i = 0; i < cache.lines; i++)
        if (cache.line[i].used > 0 && cache.line[i].address == WORD(word))
            return true;
    return false;
}

/* As an operation does that is over at once; whether it hit. */
static bool touch(unsigned word)
{
    struct nic_cache_line *line = nic_cache_find(&cache, WORD(word));

    if (line != NULL)
        return true;
    assert_non_null(nic_cache_place(&cache, WORD(word)));
    return false;
}

/*
 * Four lines, two ways: words with even numbers share a set, and those with odd ones. Each set as
 * it is after the step, the line that goes next in front:
 *
 *    word      0    2    0*   4    0*   6    1    3    2    1*   5    6*   0
 *    even set  0    0 2  2 0  0 4  4 0  0 6  0 6  0 6  6 2  6 2  6 2  2 6  6 0
 *    odd set                                 1    1 3  1 3  3 1  1 5  1 5  1 5
 *
 * (* hits).
 */
TEST(test_by_hand)
{
    static const struct {
        unsigned word;
        bool hit;
        unsigned gone, stays;
    } steps[] = {
        { 0, false, 2, 0 }, { 2, false, 4, 0 }, { 0, true, 4, 2 },  { 4, false, 2, 0 },
        { 0, true, 2, 4 },  { 6, false, 4, 0 }, { 1, false, 4, 6 }, { 3, false, 4, 1 },
        { 2, false, 0, 6 }, { 1, true, 0, 3 },  { 5, false, 3, 1 }, { 6, true, 3, 2 },
        { 0, false, 2, 6 },
    };

    nic_cache_init(&cache, 4, 2);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(touch(steps[i].word), steps[i].hit);
        assert_true(has(steps[i].word));
        assert_true(has(steps[i].stays));
        assert_false(has(steps[i].gone));
    }
    nic_cache_free(&cache);
}

/* Each way of being in use keeps a line, though it is the oldest. */
TEST(test_in_use)
{
    nic_cache_init(&cache, 4, 2);
    for (int way = 0; way < 4; way++) {
        struct nic_cache_line *old = nic_cache_place(&cache, WORD(10 + way * 20));
        struct nic_cache_line *young = nic_cache_place(&cache, WORD(12 + way * 20));

        old->users = way == 0;
        old->waits = way == 1;
        old->computes = way == 2;
        old->registered = way == 3;
        assert_ptr_equal(nic_cache_place(&cache, WORD(14 + way * 20)), young);
        young->users = 1;
        assert_null(nic_cache_place(&cache, WORD(16 + way * 20)));
        assert_non_null(nic_cache_place(&cache, WORD(11 + way * 20))); /* the other set */
        *old = *young = (struct nic_cache_line){ 0 };
    }
    nic_cache_free(&cache);
}

/* Direct mapped, words that are the lines' number apart take each other's place; fully associative
 * they do not. */
TEST(test_shapes)
{
    nic_cache_init(&cache, 32, 1);
    assert_false(touch(1));
    assert_false(touch(33));
    assert_false(touch(1));
    nic_cache_free(&cache);
    nic_cache_init(&cache, 32, 32);
    for (unsigned n = 0; n < 32; n++)
        assert_false(touch(1 + 32 * n));
    for (unsigned n = 0; n < 32; n++)
        assert_true(touch(1 + 32 * n));
    assert_false(touch(0));
    assert_false(has(1));
    nic_cache_free(&cache);
}

TEST_MAIN(cmocka_unit_test(test_by_hand), cmocka_unit_test(test_in_use),
          cmocka_unit_test(test_shapes))
