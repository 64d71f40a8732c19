/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replays of programs whose homes move (sim/replay.h, by [home-migration.held],
 * [home-migration.full-barrier]), and of what such rounds leave in a trace.
 */
#include "tests/sim/replay_run.h"

/* Node 0 is home; behind that node 1 alone writes the page, of which each diff has cost 17. */
static void write_elsewhere(int times, bool read, bool waits)
{
    made_begin(&made, 2);
    wrote(0, 0, PAGE, 0, 0);
    meet();
    for (int i = 0; i < times; i++) {
        wrote(1, 0, PAGE, 4096, 4000);
        made_put(&made, 1, RECORD_ARRIVE, 0, waits, 0);
        made_put(&made, 1, RECORD_DEPART, 0, 0, 0);
        if (read)
            made_put(&made, 0, RECORD_LOOK, 0, PAGE, 0);
        barrier(0, 1000000); /* the diff is there by then */
    }
}

static void expect_moved(uint64_t moves)
{
    for (int protocol = REPLAY_ASYNC; protocol <= REPLAY_ONESIDED; protocol++) {
        run((enum replay_protocol)protocol, &machine);
        expect(0, homes_moved, 0);
        expect(1, homes_moved, moves);
        assert_int_equal(replay_shared_of(&r, PAGE)->home, moves + 1);
        end();
    }
}

/* Twice 34 units, of which the second half is spent while nobody here uses the page. */
TEST(test_home_moves)
{
    write_elsewhere(3, false, true);
    expect_moved(0);
    write_elsewhere(6, false, true);
    expect_moved(1);
}

TEST(test_home_stays)
{
    write_elsewhere(20, true, true); /* the home reads it */
    expect_moved(0);
    write_elsewhere(20, false, false); /* [home-migration.full-barrier] */
    expect_moved(0);
    write_elsewhere(20, false, true);
    made.set[RECORD_SET_move_homes] = 1;
    expect_moved(0);
}

/* [home-migration.held]: the new home writes without a trace [unshared.announced-first], all others
 * have lost their copies; what a closing amid the round found unchanged was announced
 * [page.equal-twin]. */
TEST(test_behind_a_move)
{
    write_elsewhere(10, false, true);
    made_put(&made, 0, RECORD_READ, 0, PAGE, 0);
    run(REPLAY_ARDMAR, &machine);
    expect(0, read_faults, 1);
    expect(0, page_fetches, 1);
    expect(1, exclusive_pages, 1);
    assert_int_equal(r.node[0].epoch, 11 + 3); /* MEETING_MOVES */
    assert_false(replay_copy_of(&r.node[0], PAGE)->held);
    end();
}

TEST(test_moves_end)
{
    made_begin(&made, 2);
    for (unsigned i = 0; i < 300; i++) {
        unsigned writer = i / 50 % 2;
        wrote(writer, 0, PAGE, 4096, 4000);
        barrier(writer, 0);
        barrier(1 - writer, 1000000);
    }
    made.set[RECORD_SET_exclusive] = 1; /* off: each closing counts */
    run(REPLAY_ARDMAR, &machine);
    assert_int_equal(r.node[0].count[RECORD_COUNT_homes_moved] +
                         r.node[1].count[RECORD_COUNT_homes_moved],
                     3);
    end();
}

static void made_touch(unsigned node, uint64_t page)
{
    struct made_node *n = &made.node[node];
    const uint64_t arg[RECORD_ARGS] = { page, 1, 1 };

    n->stream_bytes =
        (size_t)(record_put(n->stream + n->stream_bytes, &n->page, RECORD_TOUCH, 0, arg) -
                 n->stream);
}

/* Node 1 had it first, and both want it now, node 0 before. */
TEST(test_first_home)
{
    made_begin(&made, 2);
    wrote(1, 1000, PAGE, 0, 0);
    barrier(1, 0);
    made_touch(0, PAGE);
    barrier(0, 0);
    wrote(0, 0, PAGE, 0, 0); /* it has moved since */
    run(REPLAY_ARDMAR, &machine);
    expect(1, homes_assigned, 1);
    expect(0, homes_assigned, 0);
    end();
}

/* Node 0 has tried to be home of what it never wrote; node 1 is home since it has moved. */
TEST(test_first_home_silent)
{
    struct made_node *n = &made.node[0];
    const uint64_t claims[RECORD_ARGS] = { PAGE, 1, 1, RECORD_CLAIMS };

    made_begin(&made, 2);
    made_put(&made, 0, RECORD_TOUCH, 100000, PAGE + 50, 0);
    n->stream_bytes =
        (size_t)(record_put(n->stream + n->stream_bytes, &n->page, RECORD_AHEAD, 0, claims) -
                 n->stream);
    wrote(1, 0, PAGE, 100, 24);
    meet();
    wrote(1, 0, PAGE, 0, 0);
    run(REPLAY_ARDMAR, &machine);
    expect(0, homes_assigned, 1);
    expect(1, homes_assigned, 0);
    expect(1, diffs, 1);
    end();
}

/* No acquire follows, so a round has left the page open. */
TEST(test_renewed_in_a_round)
{
    made_begin(&made, 2);
    for (int i = 0; i < 2; i++) {
        wrote(1, 1000000, PAGE, 0, 0);
        meet();
        made_put(&made, 0, RECORD_RENEWED, 0, PAGE, 0);
    }
    made_put(&made, 0, RECORD_END, 0, 0, 0);
    run(REPLAY_ARDMAR, &machine);
    expect(0, read_faults, 2);
    expect(0, invalidations, 2);
    end();
}

/* Where options are others, so are faults. */
TEST(test_ahead_of_other_faults)
{
    for (unsigned changed = 0; changed < RECORD_SETTING_COUNT; changed++) {
        uint64_t set[RECORD_SETTING_COUNT];
        struct run_options_option o;
        bool is_option = false;
        made_begin(&made, 2);
        for (uint64_t p = PAGE; p < PAGE + 16; p++)
            wrote(0, 0, p, 0, 0);
        meet();
        for (uint64_t p = PAGE; p < PAGE + 16; p++)
            made_put(&made, 1, RECORD_READ, 0, p, 0);
        for (unsigned i = 0; !is_option && run_options_entry(i, &o); i++)
            is_option = o.at == changed;
        memcpy(set, made.set, sizeof set);
        set[changed] += is_option;
        run_set(REPLAY_ARDMAR, &machine, set);
        expect(1, read_faults, is_option ? 3 : 16);
        expect(1, page_fetches, 16);
        end();
    }
}

TEST_MAIN(cmocka_unit_test(test_home_moves), cmocka_unit_test(test_home_stays),
          cmocka_unit_test(test_behind_a_move), cmocka_unit_test(test_moves_end),
          cmocka_unit_test(test_first_home), cmocka_unit_test(test_renewed_in_a_round),
          cmocka_unit_test(test_first_home_silent), cmocka_unit_test(test_ahead_of_other_faults))
