/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timelines of nodes that the test makes by hand: what is whole in a buffer, by which clock, and
 * what belongs together. The invariants are those of timeline_read.h and timeline.h.
 */
#include "tests/unit/unit.h"
#include "tools/timeline_read.h"

#include <string.h>

enum { NODES = 2, LANES = 3, RECORDS = 8, START = 1000000 };

struct memory {
    struct timeline_head head;
    struct timeline_lane lane[LANES];
    struct timeline_record record[LANES][RECORDS];
};

static struct memory memory[NODES];
static struct timeline_read_all t;

/* Counters of three ticks to the nanosecond, begun with 0. */
#define TICKS(ns) (3 * (int64_t)(ns))

static void setup(void)
{
    memset(memory, 0, sizeof memory);
    for (int n = 0; n < NODES; n++)
        memory[n].head = (struct timeline_head){ .magic = TIMELINE_MAGIC,
                                                 .node = (uint32_t)n,
                                                 .nodes = NODES,
                                                 .lanes = LANES,
                                                 .records = RECORDS,
                                                 .workers = 1,
                                                 .machine = 77,
                                                 .start = { TICKS(START), START },
                                                 .end = { TICKS(START + 1000), START + 1000 },
                                                 .offset = { { 0, 0, -1 }, { 0, 0, -1 } } };
}

static void teardown(void)
{
    timeline_read_end(&t);
}

static void note(int node, uint32_t lane, unsigned kind, int64_t begin, int64_t end,
                 uint64_t object, int peer, uint64_t extra)
{
    struct memory *m = &memory[node];
    uint64_t at = atomic_fetch_add(&m->lane[lane].count, 1) % RECORDS;
    m->record[lane][at] =
        (struct timeline_record){ .what = (uint64_t)kind << 32 | (uint32_t)(peer + 1),
                                  .begin = TICKS(START + begin),
                                  .end = TICKS(START + end),
                                  .object = object,
                                  .extra = extra };
}

static void read_all(void)
{
    struct timeline_read_memory list[NODES];
    for (int n = 0; n < NODES; n++)
        list[n] = (struct timeline_read_memory){ &memory[n], sizeof memory[n] };
    struct clock_moment now = { TICKS(START + 2000), START + 2000 };
    timeline_read_end(&t);
    assert_int_equal(timeline_read(&t, list, NODES, now), 0);
}

static void spans_are_in_order(void)
{
    /* noted when they end: the inner one first */
    note(0, 0, TIMELINE_FETCH, 20, 30, 5, 1, 0);
    note(0, 0, TIMELINE_READ_FAULT, 20, 40, 5, -1, 0);
    note(0, 1, TIMELINE_FETCH, 10, 11, 6, 1, 0);
    read_all();
    assert_int_equal(t.node[0].count, 3);
    const struct timeline_read_event *e = t.node[0].events;
    assert_int_equal(e[0].kind, TIMELINE_READ_FAULT);
    assert_int_equal(e[0].begin, 20);
    assert_int_equal(e[0].end, 40);
    assert_int_equal(e[1].kind, TIMELINE_FETCH);
    assert_int_equal(e[1].peer, 1);
    assert_int_equal(e[2].lane, 1);
    assert_int_equal(t.node[1].count, 0);
}

static void whole_records_alone(void)
{
    for (int i = 0; i < RECORDS + 3; i++)
        note(0, 0, TIMELINE_FETCH, 10 * i, 10 * i + 5, (uint64_t)i, 1, 0);
    /* killed amid the next one: its place was taken, and the word cleared */
    atomic_fetch_add(&memory[0].lane[0].count, 1);
    atomic_store(&memory[0].record[0][3].what, TIMELINE_NONE);
    read_all();
    assert_int_equal(t.node[0].count, RECORDS - 1);
    assert_int_equal(t.node[0].events[0].object, 4);
    assert_int_equal(t.node[0].dropped, 4);
}

static void nonsense_is_no_event(void)
{
    note(0, 0, 9999, 1, 2, 0, -1, 0);
    note(0, 0, TIMELINE_FETCH, 1, 2, 0, NODES, 0);
    note(0, 0, TIMELINE_FETCH, 3, 2, 0, 1, 0);
    memory[0].record[0][3] = (struct timeline_record){ .what = (uint64_t)TIMELINE_FETCH << 32,
                                                       .begin = INT64_MIN,
                                                       .end = INT64_MAX };
    atomic_store(&memory[0].lane[0].count, UINT64_MAX);
    note(1, 0, TIMELINE_NOTICE, 1, 2, UINT64_MAX, 0, 1);
    note(1, 0, TIMELINE_PREFETCH, 3, 4, UINT64_MAX, 0, UINT64_MAX);
    read_all();
    assert_int_equal(t.node[0].count, 0);
    assert_int_equal(t.arrow_count, 0);
    memory[0].head.records = UINT32_MAX; /* more than there is room for */
    memory[1].head.end.ns = INT64_MIN;
    read_all();
    assert_null(t.node[0].head);
    assert_null(t.node[1].head);
    assert_int_equal(t.node[1].count, 0);
}

/* Node 1 knows no end, and goes by node 0's; without that, by the clock when it is read. */
static void one_rule_for_a_machine(void)
{
    memory[0].head.end = (struct clock_moment){ TICKS(START + 1500), START + 1000 };
    memory[1].head.end = (struct clock_moment){ 0, 0 };
    note(0, 0, TIMELINE_FETCH, 300, 600, 1, 1, 0);
    note(1, 0, TIMELINE_FETCH, 300, 600, 1, 0, 0);
    read_all();
    for (int n = 0; n < NODES; n++) {
        assert_int_equal(t.node[n].events[0].begin, 200);
        assert_int_equal(t.node[n].events[0].end, 400);
    }
    memory[0].head.end = (struct clock_moment){ 0, 0 };
    read_all();
    assert_int_equal(t.node[1].events[0].end, 600);
}

/* Another machine's clock is ahead by 500 ns at first and by 700 a thousand later. */
static void other_machines(void)
{
    memory[1].head.machine = 78;
    memory[1].head.offset[0] = (struct timeline_offset){ START + 500, 500, 20 };
    memory[1].head.offset[1] = (struct timeline_offset){ START + 1500, 700, 30 };
    for (int i = 0; i < 4; i++) {
        static const int64_t at[] = { 500, 1000, 1500, 3000 };
        note(1, 0, TIMELINE_FETCH, at[i], at[i], 1, 0, 0);
    }
    read_all();
    const struct timeline_read_event *e = t.node[1].events;
    /* the first moment of all is node 1's start, at 500 ns before node 0's */
    assert_int_equal(e[0].begin, 500);
    assert_int_equal(e[1].begin, 900);
    assert_int_equal(e[2].begin, 1300);
    assert_int_equal(e[3].begin, 2800);
    struct timeline_offset o = timeline_read_offset_of(&t, 1, START + 1000);
    assert_int_equal(o.ahead, 600);
    assert_int_equal(o.error, 30);
    memory[1].head.offset[1].error = -1; /* it did not come to its end */
    read_all();
    assert_int_equal(t.node[1].events[3].begin, 3000);
    assert_int_equal(timeline_read_offset_of(&t, 1, START).error, 20);
    memory[1].head.offset[0].error = -1;
    read_all();
    assert_true(timeline_read_offset_of(&t, 1, START).error < 0);
}

static void expect_arrow(size_t index, int from, int to, int64_t begin, int64_t end)
{
    assert_true(index < t.arrow_count);
    assert_int_equal(t.arrows[index].from, from);
    assert_int_equal(t.arrows[index].to, to);
    assert_int_equal(t.arrows[index].begin, begin);
    assert_int_equal(t.arrows[index].end, end);
}

static void grants_by_number(void)
{
    note(0, 0, TIMELINE_GRANT, 100, 110, 7, 1, 41);
    note(0, 0, TIMELINE_GRANT, 300, 310, 7, 1, 42);
    note(1, 0, TIMELINE_LOCK, 50, 120, 7, -1, 41);
    note(1, 0, TIMELINE_UNLOCK, 150, 160, 7, -1, 0);
    note(1, 1, TIMELINE_LOCK, 200, 250, 7, -1, 42); /* by a clock that is wrong */
    note(1, 1, TIMELINE_LOCK, 400, 410, 8, -1, 43); /* of which the grant was dropped */
    read_all();
    assert_int_equal(t.arrow_count, 1);
    expect_arrow(0, 0, 1, 100, 119);
    assert_int_equal(t.backward, 1);
    assert_int_equal(t.held_count, 3);
    assert_int_equal(t.held[0].begin, 120);
    assert_int_equal(t.held[0].end, 150);
    assert_true(t.held[1].end < 0 && t.held[2].end < 0);
}

static void changes_by_interval(void)
{
    note(0, 0, TIMELINE_DIFF, 100, 110, 30, 1, 5 << 16 | 12);
    note(0, 0, TIMELINE_CLOSE, 90, 130, 5, -1, 2);
    note(0, 0, TIMELINE_DIFF, 200, 210, 30, 1, 6 << 16 | 12);
    note(0, 0, TIMELINE_CLOSE, 190, 230, 6, -1, 1);
    /* pages 30 and 31 of interval 5; page 30 again, of 6, before and behind a fetch */
    note(1, 0, TIMELINE_NOTICE, 300, 300, UINT64_C(2) << 32 | 30, 0, 5);
    note(1, 0, TIMELINE_FETCH, 310, 320, 30, 0, 0);
    note(1, 0, TIMELINE_NOTICE, 330, 330, UINT64_C(1) << 32 | 30, 0, 6);
    note(1, 1, TIMELINE_FETCH, 340, 350, 31, 0, 0);
    note(1, 1, TIMELINE_PREFETCH, 360, 370, 30, 0, (uint64_t)TICKS(START + 335));
    note(1, 1, TIMELINE_FETCH, 380, 390, 30, 0, 0); /* of which nothing new is known */
    read_all();
    assert_int_equal(t.arrow_count, 3);
    expect_arrow(0, 0, 1, 100, 319);
    expect_arrow(1, 0, 1, 200, 369);
    expect_arrow(2, 0, 1, 90, 349); /* page 31 has no diff: the writer is its home */
}

UNIT_MAIN(setup, teardown, TEST(spans_are_in_order), TEST(whole_records_alone),
          TEST(nonsense_is_no_event), TEST(one_rule_for_a_machine), TEST(other_machines),
          TEST(grants_by_number), TEST(changes_by_interval))
