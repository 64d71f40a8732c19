/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What pages need (hlrc/memory/need.h), beside a table of all writers of all pages. The invariants
 * are there.
 */
#include "hlrc/memory/need.h"

#include "hlrc/core/engine.h"
#include "tests/unit/rng.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define PAGES 40u
#define LAST  ((UINT64_C(1) << 48) - 1) /* an interval that still fits */

static uint64_t needs[PAGES];            /* the words */
static uint64_t table[PAGES][NODES_MAX]; /* what they should hold; 0 none */
static uint64_t most_lines;              /* that were in use at a time */

static void begin(int nodes)
{
    engine.nodes = nodes;
    engine.pages = PAGES;
    assert_int_equal(need_init(), 0);
    memset(needs, 0, sizeof needs);
    memset(table, 0, sizeof table);
    most_lines = 0;
}

static uint64_t lines_used(void)
{
    uint64_t made;
    return need_lines_used(&made);
}

static void add(uint32_t page, int writer, uint64_t interval)
{
    need_add(&needs[page], writer, interval);
    if (most_lines < lines_used())
        most_lines = lines_used();
    if (table[page][writer] < interval)
        table[page][writer] = interval;
}

static void drop(uint32_t page)
{
    need_drop(&needs[page]);
    assert_int_equal(needs[page], 0);
    memset(table[page], 0, sizeof table[page]);
}

/* Versions that are as needed, and of the rest nothing. */
static void expect_covered_by_these(uint32_t page)
{
    uint64_t versions[NODES_MAX];

    memcpy(versions, table[page], sizeof versions);
    assert_true(need_covered(needs[page], versions));
    for (int w = 0; w < engine.nodes; w++)
        if (versions[w]) {
            versions[w]--;
            assert_false(need_covered(needs[page], versions));
            versions[w]++;
        }
}

/* How many lines the page has. */
static uint64_t expect_page(uint32_t page)
{
    uint64_t list[NODES_MAX], seen[NODES_MAX] = { 0 }, groups = 0;
    uint32_t n = need_list(needs[page], list);

    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(seen[protocol_version_writer(list[i])], 0); /* once */
        seen[protocol_version_writer(list[i])] = protocol_version_interval(list[i]);
    }
    assert_memory_equal(seen, table[page], sizeof seen);
    for (int w = 0; w < engine.nodes; w++)
        assert_int_equal(need_of(needs[page], w), table[page][w]);
    expect_covered_by_these(page);
    for (int first = 0; first < engine.nodes; first += NEED_WRITERS) {
        bool any = false;

        for (int w = first; w < first + NEED_WRITERS && w < engine.nodes; w++)
            any |= table[page][w] != 0;
        groups += any;
    }
    assert_int_equal(need_lines_of(needs[page]), n > 1 ? groups : 0);
    return n > 1 ? groups : 0;
}

/* Each line is of one page, none was lost, and none was made while one was free. */
static void expect_all(void)
{
    uint64_t lines = 0, made;

    for (uint32_t p = 0; p < PAGES; p++)
        lines += expect_page(p);
    assert_int_equal(need_lines_used(&made), lines);
    assert_int_equal(made, most_lines);
}

static void nothing_is_needed_at_first(void)
{
    begin(3);
    expect_all();
    drop(0);
    expect_all();
    need_end();
}

/* The latest interval counts, in whatever order they are told. */
static void one_writer_takes_no_line(void)
{
    begin(NODES_MAX);
    add(0, NODES_MAX - 1, LAST - 1);
    add(0, NODES_MAX - 1, LAST);
    add(0, NODES_MAX - 1, 1);
    add(1, 0, 1);
    add(1, 0, LAST);
    expect_all();
    assert_int_equal(lines_used(), 0);
    drop(0);
    drop(1);
    expect_all();
    need_end();
}

/* As acquires do it: writer by writer, from the first to the last; then again, and from the last to
 * the first. */
static void all_writers_in_order(void)
{
    for (int nodes = 2; nodes <= NODES_MAX; nodes = nodes * 2 + (nodes < 64)) {
        begin(nodes);
        for (int turn = 0; turn < 3; turn++) {
            for (int k = 0; k < nodes; k++)
                for (uint32_t p = 0; p < 3; p++)
                    add(p, turn < 2 ? k : nodes - 1 - k, 100u * (unsigned)(turn + 1) + p);
            if (turn == 1)
                drop(1);
        }
        expect_all();
        for (uint32_t p = 0; p < 3; p++)
            drop(p);
        expect_all();
        need_end();
    }
}

/* What is dropped is used again, whatever chains it comes from. */
static void any_order(void)
{
    static const int sizes[] = { 2, 7, 8, 29, 128, NODES_MAX };

    rng_state = 5;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        begin(sizes[s]);
        for (int round = 0; round < 300; round++) {
            uint32_t few = 1 + rng((uint32_t)sizes[s]); /* writers that this round is about */

            for (uint32_t k = rng(60); k > 0; k--)
                add(rng(PAGES), (int)rng(few), 1 + rng(1000));
            for (uint32_t k = rng(PAGES); k > 0; k--)
                drop(rng(PAGES));
            if (round % 10 == 0)
                expect_all();
        }
        expect_all();
        need_end();
    }
}

UNIT_MAIN(NULL, NULL, TEST(nothing_is_needed_at_first), TEST(one_writer_takes_no_line),
          TEST(all_writers_in_order), TEST(any_order))
