/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The computing of one run at the pace of another (sim/spans.h), on numbers worked by hand. */
#include "tests/sim/replay_run.h"

static struct made faults, smooth; /* two runs of one program: the first has more faults */
static struct trace here, there;

/* Node 0 computes for 3,000, 1,000 and 1,993 up to faults, for 7 to a barrier, and for 500
 * behind; in the other run for 600 up to the barrier, and for 40 behind. Node 1 is there, too. */
static void make(void)
{
    made_begin(&faults, 2);
    made_put(&faults, 0, RECORD_WRITE, 3000, PAGE, 0);
    made_put(&faults, 0, RECORD_WRITE, 1000, PAGE + 1, 0);
    made_put(&faults, 0, RECORD_READ, 1993, PAGE + 2, 0);
    made_put(&faults, 0, RECORD_ARRIVE, 7, 1, 0);
    made_put(&faults, 0, RECORD_DEPART, 0, 0, 0);
    made_put(&faults, 0, RECORD_READ, 500, PAGE, 0);
    made_put(&faults, 0, RECORD_END, 0, 0, 0);
    made_put(&faults, 1, RECORD_ARRIVE, 0, 1, 0);
    made_put(&faults, 1, RECORD_DEPART, 0, 0, 0);
    made_begin(&smooth, 2);
    made_put(&smooth, 1, RECORD_ARRIVE, 0, 1, 0);
    made_put(&smooth, 1, RECORD_DEPART, 0, 0, 0);
    made_put(&smooth, 0, RECORD_READ, 200, PAGE, 0);
    made_put(&smooth, 0, RECORD_ARRIVE, 400, 1, 0);
    made_put(&smooth, 0, RECORD_DEPART, 0, 0, 0);
    made_put(&smooth, 0, RECORD_END, 40, 0, 0);
}

static void load(void)
{
    made_end(&faults);
    made_end(&smooth);
    assert_null(trace_read(&here, faults.bytes, faults.length));
    assert_null(trace_read(&there, smooth.bytes, smooth.length));
}

static void forget(void)
{
    trace_free(&here);
    trace_free(&there);
}

TEST(test_shares)
{
    struct spans_pace p;

    make();
    load();
    assert_int_equal(spans_pace_begin(&p, &here, &there, 0), 0);
    assert_int_equal(spans_pace_next(&p, RECORD_WRITE, 3000), 300);
    assert_int_equal(spans_pace_next(&p, RECORD_WRITE, 1000), 100);
    assert_int_equal(spans_pace_next(&p, RECORD_READ, 1993),
                     199); /* of 6,000 in all: 599.3 until here */
    assert_int_equal(spans_pace_next(&p, RECORD_ARRIVE, 7), 1);
    assert_int_equal(spans_pace_next(&p, RECORD_DEPART, 0), 0);
    assert_int_equal(spans_pace_next(&p, RECORD_READ, 500), 40);
    assert_int_equal(spans_pace_next(&p, RECORD_END, 0), 0);
    spans_pace_end(&p);
    forget();
}

/* Where nothing was computed here the end of the span takes what was there. */
TEST(test_nothing_here)
{
    struct spans_pace p;

    made_begin(&faults, 2);
    made_put(&faults, 0, RECORD_READ, 0, PAGE, 0);
    made_put(&faults, 0, RECORD_ARRIVE, 0, 1, 0);
    made_begin(&smooth, 2);
    made_put(&smooth, 0, RECORD_ARRIVE, 70, 1, 0);
    load();
    assert_int_equal(spans_pace_begin(&p, &here, &there, 0), 0);
    assert_int_equal(spans_pace_next(&p, RECORD_READ, 0), 0);
    assert_int_equal(spans_pace_next(&p, RECORD_ARRIVE, 0), 70);
    spans_pace_end(&p);
    forget();
}

/* Faults are not computing: 1,500 of each. */
TEST(test_faults)
{
    struct spans s;

    make();
    faults.set[RECORD_SET_fault_units] = 1500;
    load();
    spans_read(&s, &here, 0);
    assert_int_equal(s.at[0].ns, 1500 + 0 + 493 + 7);
    spans_free(&s);
    forget();
}

TEST(test_other_program)
{
    struct spans_pace p;

    make();
    made_put(&smooth, 1, RECORD_LOCK, 0, 1, 0);
    load();
    assert_int_equal(spans_pace_begin(&p, &here, &there, 0), 0);
    spans_pace_end(&p);
    assert_int_equal(spans_pace_begin(&p, &here, &there, 1), 3);
    forget();
}

/* The replay takes its pace. */
TEST(test_replay)
{
    make();
    load();
    for (int i = 0; i < 2; i++) {
        struct replay_wish w = { .protocol = REPLAY_ARDMAR, .times = i == 0 ? NULL : &there };
        replay_run(&r, &here, &machine, &w);
        assert_int_equal(r.node[0].computed / SIM_NS, i == 0 ? 6500 : 640);
        replay_free(&r);
    }
    forget();
}

TEST_MAIN(cmocka_unit_test(test_shares), cmocka_unit_test(test_nothing_here),
          cmocka_unit_test(test_faults), cmocka_unit_test(test_other_program),
          cmocka_unit_test(test_replay))
