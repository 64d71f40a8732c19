/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What nodes did to a page, made by hand, and what is said of it: profile_shared.h. Maps,
 * heat.h. */
#include "hlrc/report/profile_shared.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { NODES = 3 };

static struct profile_mask mask[NODES];
static struct profile_shared_side side[NODES];
static struct profile_shared_form form;

/* Nobody has written, or read; two have gone to and fro often enough. */
static struct heat heat;

static void setup(void)
{
    memset(mask, 0, sizeof mask);
    for (int n = 0; n < NODES; n++)
        side[n] = (struct profile_shared_side){ .mask = &mask[n], .turns = 100, .fetches = 100 };
    memset(&heat, 0, sizeof heat);
}

static void writes(int node, uint32_t first, uint32_t bytes)
{
    for (uint32_t b = first; b < first + bytes; b++)
        mask[node].written[b / 64] |= UINT64_C(1) << b % 64;
}

static void touches(int node, uint32_t byte, uint32_t times)
{
    int i = 0;
    while (mask[node].touched[i])
        i++;
    mask[node].touched[i] = byte << 16 | times;
}

static void expect(int nodes, enum profile_shared_verdict verdict)
{
    assert_int_equal(profile_shared_judge(side, nodes, &form), verdict);
}

/* Nodes 0 and 1 write a word each, one beside the other. */
static void write_apart(void)
{
    writes(0, 0, 8);
    writes(1, 8, 8);
}

static void counters_of_two_are_shared_falsely(void)
{
    write_apart();
    touches(0, 0, 20);
    touches(1, 8, 20);
    expect(2, SHARED_FALSE);
    assert_int_equal(form.writers, 2);
    assert_int_equal(form.pieces, 2);
    assert_int_equal(form.distance, 8);
}

static void one_writer_is_not_enough(void)
{
    writes(0, 0, 8);
    expect(2, SHARED_NOT);
}

static void a_page_without_a_mask_is_not_shared(void)
{
    side[0].mask = side[1].mask = NULL;
    expect(2, SHARED_NOT);
}

static void what_changes_hands_seldom_is_not_worth_a_line(void)
{
    write_apart();
    side[0].turns = 1;
    side[1].turns = SHARED_TURNS - 2;
    expect(2, SHARED_SELDOM);
    side[1].turns++;
    expect(2, SHARED_FALSE);
}

static void one_byte_of_both_is_sharing(void)
{
    writes(0, 0, 65);
    writes(1, 64, 200);
    expect(2, SHARED_OVERLAP);
    setup();
    writes(0, PAGE_SIZE - 1, 1);
    writes(1, 0, 8);
    writes(2, PAGE_SIZE - 1, 1);
    expect(3, SHARED_OVERLAP);
}

static void bytes_of_one_word_need_more_turns(void)
{
    writes(0, 0, 1);
    writes(1, 1, 1);
    side[0].turns = SHARED_WORD_TURNS - 1;
    side[1].turns = 0;
    expect(2, SHARED_SELDOM);
    side[1].turns = 1;
    expect(2, SHARED_FALSE);
}

static void reading_of_others_bytes_counts(void)
{
    write_apart();
    touches(0, 0, 16);
    touches(0, 8, 2);
    touches(1, 8, 20);
    expect(2, SHARED_FALSE); /* one in nine */
    mask[0].touched[1]++;
    expect(2, SHARED_READ);
}

static void reading_of_what_nobody_writes_does_not(void)
{
    write_apart();
    touches(0, 2000, 100);
    touches(1, 2000, 100);
    expect(2, SHARED_FALSE);
}

static void phases_in_which_it_is_only_read_count(void)
{
    write_apart();
    touches(1, 8, 16);
    side[1].looks = 2;
    expect(2, SHARED_FALSE);
    side[1].looks = 3;
    expect(2, SHARED_READ);
}

static void who_only_fetches_reads(void)
{
    write_apart();
    side[2].turns = 0;
    side[2].fetches = 25;
    expect(3, SHARED_FALSE); /* one in eight */
    side[2].fetches = 26;
    expect(3, SHARED_READ);
}

static void elements_by_turns_are_seen_as_such(void)
{
    for (uint32_t i = 0; i < 100; i++)
        writes((int)i % 3, 40 * i, 16);
    expect(3, SHARED_FALSE);
    assert_int_equal(form.writers, 3);
    assert_int_equal(form.pieces, 100);
    assert_int_equal(form.distance, 40);
    mask[1].written[40 / 64] ^= UINT64_C(7) << 40; /* what has not changed of one of them */
    expect(3, SHARED_FALSE);
    assert_int_equal(form.distance, 40);
}

/* ---- maps ---- */

static uint32_t at(uint32_t row, uint32_t column)
{
    return heat.row[row].count[HEAT_FETCHES][column];
}

static uint64_t all_of(enum heat_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < heat.rows; r++)
        for (uint32_t c = 0; c < HEAT_COLUMNS; c++)
            sum += heat.row[r].count[kind][c];
    return sum;
}

static void columns_become_longer(void)
{
    for (uint32_t t = 0; t < 4 * HEAT_COLUMNS; t++)
        heat_add(&heat, HEAT_FETCHES, 7, t, t + 1);
    assert_int_equal(heat.rows, 1);
    assert_int_equal(heat.time_shift, 2);
    for (uint32_t c = 0; c < HEAT_COLUMNS; c++) /* 4c + 1 to 4c + 4 */
        assert_int_equal(at(0, c), 16 * c + 10);
    heat_reach(&heat, 8 * HEAT_COLUMNS - 1);
    assert_int_equal(heat.time_shift, 3);
    assert_int_equal(at(0, 1), 2 * 10 + 16 * 5);
    assert_int_equal(at(0, HEAT_COLUMNS / 2), 0);
}

static void rows_become_wider(void)
{
    for (uint32_t page = 0; page < 2 * HEAT_ROWS; page++) /* backwards, and far apart */
        heat_add(&heat, HEAT_FETCHES, 5000 - page, page % 3, page + 1);
    for (uint32_t page = 0; page < 2 * HEAT_ROWS; page++)
        heat_add(&heat, HEAT_DIFFS, 1000000000 + 64 * page, 0, 1);
    assert_true(heat.rows <= HEAT_ROWS);
    assert_int_equal(all_of(HEAT_FETCHES), HEAT_ROWS * (2 * HEAT_ROWS + 1));
    assert_int_equal(all_of(HEAT_DIFFS), 2 * HEAT_ROWS);
    assert_int_equal(all_of(HEAT_FAULTS), 0);
    heat_sort(&heat);
    for (uint32_t r = 1; r < heat.rows; r++)
        assert_true(heat.row[r].group > heat.row[r - 1].group);
    uint32_t rows = heat.rows;
    heat_add(&heat, HEAT_FETCHES, 5000, 0, 1); /* found though the order is another one */
    assert_int_equal(heat.rows, rows);
}

static void pages_that_are_met_are_rows(void)
{
    heat_add(&heat, HEAT_FETCHES, 12, 1, 2);
    heat_add(&heat, HEAT_FETCHES, 4000000000, 1, 3);
    heat_add(&heat, HEAT_FETCHES, 13, 1, 4);
    assert_int_equal(heat.rows, 3);
    assert_int_equal(at(0, 1), 2);
    assert_int_equal(at(1, 1), 3);
    heat_widen(&heat, 1);
    assert_int_equal(heat.rows, 2);
    assert_int_equal(at(0, 1), 6);
    assert_int_equal(heat.row[0].group, 6);
    assert_int_equal(heat.row[1].group, 2000000000);
}

UNIT_MAIN(setup, NULL, TEST(counters_of_two_are_shared_falsely), TEST(one_writer_is_not_enough),
          TEST(a_page_without_a_mask_is_not_shared),
          TEST(what_changes_hands_seldom_is_not_worth_a_line), TEST(one_byte_of_both_is_sharing),
          TEST(bytes_of_one_word_need_more_turns), TEST(reading_of_others_bytes_counts),
          TEST(reading_of_what_nobody_writes_does_not), TEST(phases_in_which_it_is_only_read_count),
          TEST(who_only_fetches_reads), TEST(elements_by_turns_are_seen_as_such),
          TEST(columns_become_longer), TEST(rows_become_wider), TEST(pages_that_are_met_are_rows))
