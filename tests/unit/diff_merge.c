/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges and updates of copies, with one changed byte at each place of the page in turn, and pages
 * of zeros. Every test runs once per instruction set that this CPU has. The invariants are those of
 * [update.own-stores].
 */
#include "hlrc/memory/diff.h"
#include "tests/unit/instructions.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef HLRC_INSTRUMENTED
#    define STEP 15 /* odd: all alignments occur; 4095 is a multiple */
#else
#    define STEP 1
#endif

static struct {
    uint8_t page[DIFF_PAGE], twin[DIFF_PAGE], other[DIFF_PAGE];
} p;

/* The byte at `at` is the only one that is changed here, or in what was fetched, or both. */
static void merge_at(size_t at, bool here, bool fetched, void (*into)(void *, void *, const void *))
{
    uint8_t expected[DIFF_PAGE];
    memcpy(p.page, p.twin, DIFF_PAGE);
    memcpy(p.other, p.twin, DIFF_PAGE);
    if (here)
        p.page[at] ^= 0x21;
    if (fetched)
        p.other[at] = (uint8_t)(p.twin[at] ^ 0x80);
    memcpy(expected, p.page, DIFF_PAGE);
    if (fetched && (!here || into == diff_renew))
        expected[at] = p.other[at];
    into(p.page, p.twin, p.other);
    assert_memory_equal(p.page, expected, DIFF_PAGE);
    assert_memory_equal(p.twin, p.other, DIFF_PAGE);
}

/* diff_merge keeps a byte that was changed on both sides as it is here; diff_renew assumes that
 * there is none, and takes what was fetched. */
static void test_merge_each_byte_alone(void)
{
    for (size_t i = 0; i < DIFF_PAGE; i++)
        p.twin[i] = (uint8_t)(i * 167 >> 3);
    for (size_t at = 0; at < DIFF_PAGE; at += STEP) {
        merge_at(at, true, false, diff_merge);
        merge_at(at, false, true, diff_merge);
        merge_at(at, true, true, diff_merge);
        merge_at(at, true, false, diff_renew);
        merge_at(at, false, true, diff_renew);
    }
}

static void test_zero(void)
{
    memset(p.page, 0, DIFF_PAGE);
    assert_true(diff_is_zero(p.page));
    for (size_t at = 0; at < DIFF_PAGE; at++) {
        p.page[at] = (uint8_t)(1u << at % 8);
        assert_false(diff_is_zero(p.page));
        p.page[at] = 0;
    }
    assert_true(diff_is_zero(p.page));
}

int main(void)
{
    struct unit_test tests[] = { TEST(test_merge_each_byte_alone), TEST(test_zero) };

    return instructions_each(tests, sizeof tests / sizeof *tests) != 0;
}
